// A log in memory: the latest commits of a list, so that they can be undone without a file.
//
// Always holds: `records[i]` is the record of the commit that made version `first + i`; older ones are forgotten, but for
// the beginnings of those whose place in the history is kept.

import ListModel
import Synchronization

/// The records of the latest commits.
public final class MemoryLog: CommitSource {
    private struct State {
        var first: UInt64 = 1
        var records: [[UInt8]] = []
        var heads: [UInt64: [UInt8]] = [:]
    }

    /// Into so many bytes fits what a record says of the history.
    private static let headSize = 128

    private let state = Mutex(State())

    /// A log without commits.
    public init() {}

    /// A record that was forgotten or never written was asked for.
    public struct MissingRecord: Error {
        let version: Version
    }

    /// Adds the next commit.
    public func append(_ commit: Commit) {
        state.withLock { $0.records.append(commit.record) }
    }

    /// Keeps what a commit says of the history, where undo may meet it, even if the commit is forgotten.
    public func keepPlace(of commit: Commit) {
        state.withLock { $0.heads[commit.version.rawValue] = Array(commit.record.prefix(MemoryLog.headSize)) }
    }

    /// Forgets all commits but one, the newest, after which the next is appended.
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
