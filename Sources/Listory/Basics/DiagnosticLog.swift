// Writes reports to swift-log, with the trait Logging.
//
// Always holds: messages are constant; metadata has numbers and names of cases, and the label that the app gave the store.

#if Logging
import Dispatch
import ListModel
import Logging

/// The log of a store.
struct DiagnosticLog: Sendable {
    private let logger: Logger
    /// The queue on which the handler is called: never with a lock of the store held, and in order.
    private let queue = DispatchQueue(label: "listory.diagnostics")
    private static let isOnQueue = DispatchSpecificKey<ObjectIdentifier>()

    init(_ label: String) {
        var logger = Logger(label: "listory")
        if !label.isEmpty { logger[metadataKey: "store"] = "\(label)" }
        self.logger = logger
        queue.setSpecific(key: DiagnosticLog.isOnQueue, value: ObjectIdentifier(queue))
    }

    func take(_ report: Diagnostics.Report, _ duration: Duration?, waiting: Duration?) {
        // The most frequent one.
        if case .flushed = report, logger.logLevel > .trace { return }
        for line in report.lines where line.level >= logger.logLevel {
            queue.async { [logger] in
                var metadata = Logger.Metadata(uniqueKeysWithValues: line.fields.map { ($0, "\($1)") })
                metadata["event"] = "\(line.event)"
                if let duration { metadata["duration.ms"] = "\(duration.milliseconds)" }
                if let waiting { metadata["waiting.ms"] = "\(waiting.milliseconds)" }
                logger.log(level: line.level, Logger.Message(stringLiteral: line.message), metadata: metadata)
            }
        }
    }

    /// Waits until the handler has everything, unless the handler itself waits.
    func wait() {
        if DispatchQueue.getSpecific(key: DiagnosticLog.isOnQueue) == ObjectIdentifier(queue) { return }
        queue.sync {}
    }
}

/// A line of the log.
private struct Line: Sendable {
    let level: Logger.Level
    /// The name by which programs know it.
    let event: String
    let message: String
    let fields: [(String, String)]

    init(
        _ level: Logger.Level, _ event: String, _ message: String,
        _ fields: KeyValuePairs<String, any CustomStringConvertible>
    ) {
        (self.level, self.event, self.message) = (level, event, message)
        self.fields = fields.map { ($0, "\($1)") }
    }
}

extension Diagnostics.Report {
    fileprivate var lines: [Line] {
        switch self {
        case .opened(let opening):
            let line = Line(
                .debug, "open", "opened a store",
                [
                    "version": opening.version.rawValue, "checkpoint": opening.checkpoint.rawValue,
                    "replayed.commits": opening.replayedCommits, "replayed.events": opening.replayedEvents,
                ])
            return [line] + opening.recoveryLines
        case .flushed(let commits, let bytes):
            return [Line(.trace, "flush", "appended commits", ["commits": commits, "bytes": bytes])]
        case .appendFailed(let durable, let reason):
            return [
                Line(
                    .warning, "append.failed", "could not append commits",
                    ["durable": durable.rawValue, "reason": reason])
            ]
        case .appendSucceeded(let durable):
            return [
                Line(.info, "append.succeeded", "appended commits after failures", ["durable": durable.rawValue])
            ]
        case .discarded(let commits):
            if commits == 0 { return [] }
            return [Line(.warning, "discard", "discarded commits that could not be appended", ["commits": commits])]
        case .checkpointed(let version, let nodes, let bytes):
            return [
                Line(
                    .debug, "checkpoint", "took a checkpoint",
                    ["version": version.rawValue, "nodes": nodes, "bytes": bytes])
            ]
        case .checkpointFailed(let reason):
            return [Line(.warning, "checkpoint.failed", "could not take a checkpoint", ["reason": reason])]
        case .packed(let commits, let bytes):
            return [Line(.debug, "packing", "packed old commits", ["commits": commits, "bytes": bytes])]
        case .packingFailed(let reason):
            return [Line(.warning, "packing.failed", "could not pack old commits", ["reason": reason])]
        case .trimmingFailed(let reason):
            return [Line(.warning, "trimming.failed", "could not drop old history", ["reason": reason])]
        case .compacted(let bytesBefore, let bytesAfter, let dropped, let packed):
            return [
                Line(
                    .info, "compaction", "compacted a store",
                    [
                        "before.bytes": bytesBefore, "after.bytes": bytesAfter, "dropped.commits": dropped,
                        "packed.commits": packed,
                    ])
            ]
        case .edited(let cause, let events):
            return [Line(.info, "edit.slow", "an edit was slow", ["kind": cause.kind, "events": events])]
        case .rebased(let commits, let others, let conflicting):
            return [
                Line(
                    conflicting == 0 ? .debug : .info, "rebase", "made commits again after those of another process",
                    ["commits": commits, "others": others, "conflicting": conflicting])
            ]
        }
    }
}

extension Diagnostics.Opening {
    /// What opening found that closing had not left.
    fileprivate var recoveryLines: [Line] {
        guard isRecovery else { return [] }
        var level = isRebuilt ? Logger.Level.warning : .info
        if lost != nil { level = .error }
        return [
            Line(
                level, "recovery", "recovered a store",
                [
                    "journal.commits": journalCommits, "rebuilt": isRebuilt,
                    "lost.version": lost.map { "\($0.rawValue)" } ?? "none",
                ])
        ]
    }
}

extension Commit.Cause? {
    /// The name of the cause.
    fileprivate var kind: String {
        switch self {
        case nil: "nothing"
        case .edit: "edit"
        case .undo: "undo"
        case .redo: "redo"
        case .go: "checkout"
        case .revert: "revert"
        case .restore: "restore"
        }
    }
}

extension Duration {
    /// Milliseconds, to a microsecond.
    fileprivate var milliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }
}
#endif
