// Prints the checkpoints of a store. Always holds: the oldest is first.

import ListModel
import Listory

/// Prints checkpoints.
public struct CheckpointReport {
    private let checkpoints: [(found: StoredCheckpoint, time: Timestamp?)]
    /// The version that the log begins with.
    private let oldest: Version

    /// A report on the checkpoints of a store.
    public init(_ store: UntypedStore) throws {
        oldest = store.oldestVersion
        checkpoints = try store.checkpoints().map { found in
            // The commit of the oldest version was dropped.
            (found, found.version > store.oldestVersion ? try store.commitInfo(found.version).time : nil)
        }
    }

    /// A line for each checkpoint.
    public func text(_ style: TerminalStyle) -> String {
        checkpoints.map { found, time in
            let when =
                time.map { "  \($0.text)" }
                ?? (found.version < oldest ? "  before the log" : "  the beginning of the log")
            return "\(style.bold("version \(found.version)"))\(when)  \(EventText.count(found.itemCount, "row")), "
                + "\(found.eventCount) events, hash \(found.stateHash)\n"
        }.joined()
    }

    /// Each checkpoint as a line of JSON.
    public func json() -> [UInt8] {
        checkpoints.flatMap { found, time in
            JSONWriter.line { writer in
                writer.member("version", found.version.rawValue)
                if let time { writer.member("time", time.text) }
                writer.member("items", found.itemCount)
                writer.member("events", found.eventCount)
                writer.member("hash", found.stateHash.description)
            }
        }
    }
}
