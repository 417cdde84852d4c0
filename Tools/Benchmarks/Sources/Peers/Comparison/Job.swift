// One measurement: the workload, the contender, the size, the number of samples.

import BenchSupport

/// A measurement.
struct Job: Hashable {
    let workload: Workload
    let contender: Contender
    /// The size of the list, the number of threads, or the number of replayed keys.
    let size: Int
    /// How many edits, commits or undos are made.
    let count: Int
    /// How many samples are taken.
    let runs: Int

    /// The name that the filter is compared with.
    var name: String { "\(workload.rawValue)/\(contender.rawValue)/\(NumberText.count(size))" }

    /// What a process is told that takes one sample, with its files in a folder.
    func order(folder: String) -> MeasureOrder {
        MeasureOrder(workload: workload, contender: contender, size: size, count: count, folder: folder)
    }
}
