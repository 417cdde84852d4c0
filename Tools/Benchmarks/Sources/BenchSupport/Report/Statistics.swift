// Statistics of samples. Always holds: the samples are numbers and there is at least one.

/// Computes statistics of samples.
public enum Statistics {
    /// The median; of an even number of samples the mean of the middle two.
    public static func median(_ samples: [Double]) -> Double {
        let sorted = samples.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The least sample that the given part of the samples does not exceed (the nearest rank).
    ///
    /// - Parameter part: from 0 to 1; 0.99 for the 99th percentile.
    public static func percentile(_ part: Double, of samples: [Double]) -> Double {
        let sorted = samples.sorted()
        let rank = Int((part * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
