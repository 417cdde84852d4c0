// All samples. Always holds: what was not measured is not there; nothing is filled in.

import BenchSupport

/// What was measured.
struct Results {
    /// What samples are of.
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

    /// How many times that of another the figure of a contender is; nil if one of them was not measured.
    ///
    /// It is the median of the ratios of the rounds, in each of which everybody is measured once. A machine that is fast and
    /// slow by turns moves both sides of such a ratio; it could move the median of one side and not that of the other.
    func ratio(
        _ workload: Workload, _ contender: Contender, to other: Contender, _ size: Int, _ quantity: Quantity
    ) -> Double? {
        guard let samples = samples(workload, contender, size, quantity),
            let others = self.samples(workload, other, size, quantity)
        else { return nil }
        return Statistics.median(zip(samples, others).map { $0 / $1 })
    }

    /// For which sizes a quantity was measured, from the least.
    func sizes(_ workload: Workload, _ contender: Contender, _ quantity: Quantity) -> [Int] {
        samples.keys.filter { $0.workload == workload && $0.contender == contender && $0.quantity == quantity }
            .map(\.size).sorted()
    }

    /// For which sizes a workload was measured at all, from the least.
    func sizes(_ workload: Workload) -> [Int] {
        Set(samples.keys.filter { $0.workload == workload }.map(\.size)).sorted()
    }
}
