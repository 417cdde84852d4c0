// Counts reports in swift-metrics, with the trait Metrics.
//
// Always holds: names and units are those of the guide; the only dimension is the label that the app gave the store.

#if Metrics
import ListModel
import Metrics

/// The metrics of a store.
struct DiagnosticMetrics: Sendable {
    private let opening: Timer
    private let replayedCommits: Recorder
    private let recoveries: Counter
    private let flush: Timer
    private let flushedCommits: Counter
    private let flushedBytes: Counter
    private let appendFailures: Counter
    private let discardedCommits: Counter
    private let checkpoint: Timer
    private let checkpointNodes: Recorder
    private let checkpointBytes: Recorder
    private let checkpointFailures: Counter
    private let packing: Timer
    private let packedCommits: Counter
    private let packedBytes: Counter
    private let packingFailures: Counter
    private let trimmingFailures: Counter
    private let compaction: Timer
    private let bytesBefore: Recorder
    private let bytesAfter: Recorder
    private let edit: Timer
    private let slowEdits: Counter
    private let rebasedCommits: Counter
    private let conflictingCommits: Counter

    init(_ label: String) {
        let dimensions = label.isEmpty ? [] : [("store", label)]
        func timer(_ name: String) -> Timer { Timer(label: "listory.\(name)", dimensions: dimensions) }
        func recorder(_ name: String) -> Recorder { Recorder(label: "listory.\(name)", dimensions: dimensions) }
        func counter(_ name: String) -> Counter { Counter(label: "listory.\(name)", dimensions: dimensions) }
        opening = timer("open.duration")
        replayedCommits = recorder("open.replayed.commits")
        recoveries = counter("recoveries")
        flush = timer("flush.duration")
        flushedCommits = counter("flush.commits")
        flushedBytes = counter("flush.bytes")
        appendFailures = counter("append.failures")
        discardedCommits = counter("discarded.commits")
        checkpoint = timer("checkpoint.duration")
        checkpointNodes = recorder("checkpoint.nodes")
        checkpointBytes = recorder("checkpoint.bytes")
        checkpointFailures = counter("checkpoint.failures")
        packing = timer("packing.duration")
        packedCommits = counter("packing.commits")
        packedBytes = counter("packing.bytes")
        packingFailures = counter("packing.failures")
        trimmingFailures = counter("trimming.failures")
        compaction = timer("compaction.duration")
        bytesBefore = recorder("compaction.before.bytes")
        bytesAfter = recorder("compaction.after.bytes")
        edit = timer("edit.duration")
        slowEdits = counter("edit.slow")
        rebasedCommits = counter("rebase.commits")
        conflictingCommits = counter("rebase.conflicting")
    }

    func take(_ report: Diagnostics.Report, _ duration: Duration?, isSlow: Bool) {
        switch report {
        case .opened(let found):
            opening.record(duration)
            replayedCommits.record(found.replayedCommits)
            if found.isRecovery { recoveries.increment() }
        case .flushed(let commits, let bytes):
            flush.record(duration)
            flushedCommits.increment(by: commits)
            flushedBytes.increment(by: bytes)
        case .appendFailed: appendFailures.increment()
        case .appendSucceeded: break
        case .discarded(let commits): discardedCommits.increment(by: commits)
        case .checkpointed(_, let nodes, let bytes):
            checkpoint.record(duration)
            checkpointNodes.record(nodes)
            checkpointBytes.record(bytes)
        case .checkpointFailed: checkpointFailures.increment()
        case .packed(let commits, let bytes):
            packing.record(duration)
            packedCommits.increment(by: commits)
            packedBytes.increment(by: bytes)
        case .packingFailed: packingFailures.increment()
        case .trimmingFailed: trimmingFailures.increment()
        case .compacted(let before, let after, _, _):
            compaction.record(duration)
            bytesBefore.record(before)
            bytesAfter.record(after)
        case .edited:
            edit.record(duration)
            if isSlow { slowEdits.increment() }
        case .rebased(let commits, _, let conflicting):
            rebasedCommits.increment(by: commits)
            if conflicting > 0 { conflictingCommits.increment(by: conflicting) }
        }
    }
}

extension Timer {
    fileprivate func record(_ duration: Duration?) {
        if let duration { recordNanoseconds(Int64(min(9e18, duration / .nanoseconds(1)))) }
    }
}
#endif
