// A log in an array. For the editor it takes the place of a store's log, without a file.

import ListModel
import Synchronization

/// The records of commits, in memory.
public final class MemoryLog: CommitSource {
    private let records = Mutex<[[UInt8]]>([])

    public init() {}

    public var head: Version { Version(UInt64(records.withLock { $0.count })) }

    public func append(_ commit: Commit) {
        records.withLock { records in
            precondition(commit.version.rawValue == UInt64(records.count) + 1, "commits are appended in order")
            records.append(commit.record)
        }
    }

    public func record(of version: Version) -> [UInt8] {
        records.withLock { $0[Int(version.rawValue) - 1] }
    }

    public func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try record(of: version).withUnsafeBytes(body)
    }
}

/// An editor whose commits go into a log in memory, with a clock that counts.
public struct MemoryList: ~Copyable {
    public let log: MemoryLog
    public var editor: UntypedEditor
    private var clock: Int64 = 0

    package init(limits: TreeLimits = TreeLimits()) {
        log = MemoryLog()
        editor = UntypedEditor(ListState(limits: limits), source: log)
    }

    /// Continues with a recovered state and a log that continues from it.
    public mutating func replace(_ state: consuming ListState, checksum: UInt64) {
        editor = UntypedEditor(state, checksum: checksum, source: log)
    }

    private mutating func now() -> Timestamp {
        clock += 1
        return Timestamp(microseconds: clock)
    }

    /// Makes one commit of the edits in `body`.
    @discardableResult
    public mutating func commit(
        _ name: String = "edit", _ body: (inout UntypedEditor) throws -> Void
    ) throws -> Commit? {
        let commit = try editor.commit(CommitDraft(name: name, time: now()), body)
        if let commit { log.append(commit) }
        return commit
    }

    @discardableResult
    public mutating func undo() throws -> Commit {
        guard let commit = try editor.undo(time: now()).commit else { preconditionFailure("a move is a commit") }
        log.append(commit)
        return commit
    }

    @discardableResult
    public mutating func redo() throws -> Commit {
        guard let commit = try editor.redo(time: now()).commit else { preconditionFailure("a move is a commit") }
        log.append(commit)
        return commit
    }

    public mutating func snapshot() -> UntypedSnapshot { editor.snapshot() }

    /// The rows of the list, with their content.
    public mutating func contents() throws -> ReferenceList { try ReferenceList(snapshot(), log) }
}
