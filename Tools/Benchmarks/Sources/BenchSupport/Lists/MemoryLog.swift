// A log in memory: the newest commits of a list, so that they can be undone without a file.
//
// Always holds: `records[i]` is the record of the commit that made version `first + i`. Older records are dropped,
// except the headers of those whose history entry is kept.

import ListModel
import Synchronization

/// The records of the newest commits.
public final class MemoryLog: CommitSource {
    private struct State {
        var first: UInt64 = 1
        var records: [[UInt8]] = []
        var heads: [UInt64: [UInt8]] = [:]
    }

    /// The most bytes of a record's header with its history entry.
    private static let headSize = 128

    private let state = Mutex(State())

    /// A log without commits.
    public init() {}

    /// The error for a record that was dropped or never written.
    public struct MissingRecord: Error {
        let version: Version
    }

    /// Adds the next commit.
    public func append(_ commit: Commit) {
        state.withLock { $0.records.append(commit.record) }
    }

    /// Keeps the header of a commit, which undo may read, even if its record is dropped.
    public func keepPlace(of commit: Commit) {
        state.withLock { $0.heads[commit.version.rawValue] = Array(commit.record.prefix(MemoryLog.headSize)) }
    }

    /// Drops all commits but the newest.
    public func forgetAll(but newest: Commit) {
        state.withLock { state in
            state.first = newest.version.rawValue
            state.records.removeAll(keepingCapacity: true)
            state.records.append(newest.record)
        }
    }

    public func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let record = state.withLock { state -> [UInt8]? in
            let index = Int(truncatingIfNeeded: version.rawValue &- state.first)
            return state.records.indices.contains(index) ? state.records[index] : state.heads[version.rawValue]
        }
        guard let record else { throw MissingRecord(version: version) }
        try record.withUnsafeBytes(body)
    }
}
