// Several samples in a cell of a table. Always holds: the median, the least and the greatest have the same unit.

import BenchSupport

/// The median of samples, with the least and the greatest if they differ.
struct Spread {
    let text: String

    init(_ samples: [Double], _ unit: Plot.Unit) {
        let median = Statistics.median(samples)
        let (factor, name) = Spread.scale(median, unit)
        // A growth of memory can be slightly below zero.
        let numbers = [median, samples.min()!, samples.max()!].map { NumberText.text(max(0, $0) / factor) }
        text = numbers[0] + name + (numbers[1] != numbers[2] ? " (\(numbers[1])–\(numbers[2]))" : "")
    }

    private static func scale(_ value: Double, _ unit: Plot.Unit) -> (factor: Double, name: String) {
        switch unit {
        case .count: (1, "")
        case .seconds:
            value >= 1 ? (1, " s") : value >= 1e-3 ? (1e-3, " ms") : value >= 1e-6 ? (1e-6, " µs") : (1e-9, " ns")
        case .bytes: value >= 1_048_576 ? (1_048_576, " MiB") : (1_024, " KiB")
        }
    }
}
