// One thing to measure: what, with whom, how large, how often.

import BenchSupport

/// Something to measure.
struct Job: Hashable {
    let workload: Workload
    let contender: Contender
    /// How large the list is, how many threads there are, how many keys are replayed.
    let size: Int
    /// How many edits, commits or undos are made.
    let count: Int
    /// How many samples are taken.
    let runs: Int

    /// What the filter looks at.
    var name: String { "\(workload.rawValue)/\(contender.rawValue)/\(NumberText.count(size))" }
}
