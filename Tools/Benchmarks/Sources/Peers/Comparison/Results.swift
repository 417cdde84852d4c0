// All samples. Always holds: a value that was not measured is missing; nothing is filled in.

import BenchSupport

/// The measured values.
struct Results {
    /// The subject of samples.
    private struct Key: Hashable {
        let workload: Workload
        let contender: Contender
        let size: Int
        let quantity: Quantity
    }

    private var samples: [Key: [Double]] = [:]

    var isEmpty: Bool { samples.isEmpty }

    /// Adds a sample of each quantity.
    mutating func add(_ values: Values, of job: Job) {
        for (quantity, value) in values {
            let key = Key(
                workload: job.workload, contender: job.contender, size: job.size, quantity: quantity)
            samples[key, default: []].append(value)
        }
    }

    /// The samples, or nil if there are none.
    func samples(_ workload: Workload, _ contender: Contender, _ size: Int, _ quantity: Quantity) -> [Double]? {
        samples[Key(workload: workload, contender: contender, size: size, quantity: quantity)]
    }

    /// The median of the samples, or nil if there are none.
    func median(_ workload: Workload, _ contender: Contender, _ size: Int, _ quantity: Quantity) -> Double? {
        samples(workload, contender, size, quantity).map(Statistics.median)
    }

    /// The ratio of a contender's figure to that of another one; nil if one of them was not measured.
    ///
    /// It is the median of the ratios of the rounds, because each round measures every contender once. If the machine
    /// is alternately fast and slow, both sides of such a ratio change together; a ratio of two medians could change on
    /// one side only.
    func ratio(
        _ workload: Workload, _ contender: Contender, to other: Contender, _ size: Int, _ quantity: Quantity
    ) -> Double? {
        guard let samples = samples(workload, contender, size, quantity),
            let others = self.samples(workload, other, size, quantity)
        else { return nil }
        return Statistics.median(zip(samples, others).map { $0 / $1 })
    }

    /// The sizes for which a quantity was measured, ascending.
    func sizes(_ workload: Workload, _ contender: Contender, _ quantity: Quantity) -> [Int] {
        samples.keys.filter { $0.workload == workload && $0.contender == contender && $0.quantity == quantity }
            .map(\.size).sorted()
    }

    /// The sizes for which a workload was measured, ascending.
    func sizes(_ workload: Workload) -> [Int] {
        Set(samples.keys.filter { $0.workload == workload }.map(\.size)).sorted()
    }
}
