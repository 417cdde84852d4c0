// The sizes of the workloads, and the order of the measurements.
//
// Always holds: contenders that are compared with each other are measured in turn, not one after the other.

/// The sizes and the plan.
struct PeerScale {
    let isQuick: Bool
    let runs: Int
    /// How many rows the lists have.
    let rowCounts: [Int]
    /// How many edits of each kind are made one at a time.
    let editCount: Int
    /// How many keys of the recording are replayed, and how many are undone.
    let keyCount: Int
    let undoCount: Int
    let writerCounts: [Int]
    let writerCommitCount: Int
    private let hasRecording: Bool

    init(isQuick: Bool, isSoak: Bool, runs: Int, hasRecording: Bool) {
        self.isQuick = isQuick
        self.runs = isQuick ? 1 : runs
        rowCounts = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000] + (isSoak ? [10_000_000] : [])
        editCount = isQuick ? 20 : 500
        keyCount = isQuick ? 10_000 : 1_000_000
        undoCount = isQuick ? 100 : 1_000
        writerCounts = [1, 64]
        writerCommitCount = isQuick ? 640 : 6_400
        self.hasRecording = hasRecording
    }

    /// The size of the list in the targets.
    var targetRowCount: Int { isQuick ? 10_000 : 100_000 }

    /// The measurements, in groups whose members take turns.
    var groups: [[Job]] {
        var groups: [[Job]] = []
        for size in rowCounts {
            groups.append(Contender.stores.map { job(.rows, $0, size, count: editCount) })
            groups.append([Contender.listory, .lmdb, .sqliteFractional].map { job(.open, $0, size) })
            groups.append([Contender.listory, .array].map { job(.memory, $0, size) })
            groups.append([Contender.listory, .difference].map { job(.oneEdit, $0, size) })
            // The standard library would need hours for ten million.
            if size <= 1_000_000 { groups.append([Contender.listory, .difference].map { job(.onePercent, $0, size) }) }
        }
        groups.append(writerCounts.map { job(.writers, .listory, $0, count: writerCommitCount) })
        guard hasRecording else { return groups }
        groups.append(([.listory, .listoryAtOnce] + Contender.sequences).map { job(.trace, $0, keyCount) })
        groups.append(
            [Contender.listory, .pycrdtArray, .pycrdtText, .loroList].map { job(.undo, $0, keyCount, count: undoCount) }
        )
        return groups
    }

    private func job(_ workload: Workload, _ contender: Contender, _ size: Int, count: Int = 0) -> Job {
        Job(
            workload: workload, contender: contender, size: size, count: count,
            runs: worthwhileRuns(workload, contender, size))
    }

    /// A reasonable number of samples.
    private func worthwhileRuns(_ workload: Workload, _ contender: Contender, _ size: Int) -> Int {
        switch workload {
        // An undo of Loro takes longer than replaying everything before it.
        case .undo where contender == .loroList: 1
        // These samples take few milliseconds, or hundreds with a sync at the end. They differ most and are cheap, so
        // there are more of them.
        case .undo: 3 * runs
        case .trace where contender == .listoryAtOnce || contender == .loroList: 3 * runs
        case .trace where contender.isPython: min(runs, 3)
        case .rows where size >= 10_000_000: 1
        case .rows where size >= 1_000_000: min(runs, 3)
        default: runs
        }
    }
}
