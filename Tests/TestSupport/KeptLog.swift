// A log in memory that keeps the rows of every version and counts the records that are read: for tests that go to any
// version, and for tests of how many records that reads.

import ListModel
import Synchronization

/// Records and rows of every version, in memory.
public final class KeptLog: CommitSource {
    private struct Contents {
        var records: [[UInt8]] = []
        var snapshots: [UntypedSnapshot] = [.empty]
        var reads: Set<Version> = []
        var readCount = 0
    }

    private let contents = Mutex(Contents())
    /// Whether the rows of every version are kept.
    private let isKeeping: Bool

    public init(isKeeping: Bool = true) { self.isKeeping = isKeeping }

    public var head: Version { Version(UInt64(contents.withLock { $0.records.count })) }

    public func append(_ commit: Commit, _ snapshot: @autoclosure () -> UntypedSnapshot) {
        let snapshot = isKeeping ? snapshot() : .empty
        contents.withLock { contents in
            precondition(commit.version.rawValue == UInt64(contents.records.count) + 1, "commits are appended in order")
            contents.records.append(commit.record)
            contents.snapshots.append(snapshot)
        }
    }

    /// Replaces the record of a version: damage.
    public func replace(_ version: Version, with record: [UInt8]) {
        contents.withLock { $0.records[Int(version.rawValue) - 1] = record }
    }

    /// Which records `body` reads.
    public func reads(_ body: () throws -> Void) rethrows -> Set<Version> {
        contents.withLock { $0.reads = [] }
        try body()
        return contents.withLock { $0.reads }
    }

    /// How many records `body` reads, each as often as it is read.
    public func readCount(_ body: () throws -> Void) rethrows -> Int {
        contents.withLock { $0.readCount = 0 }
        try body()
        return contents.withLock { $0.readCount }
    }

    public func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let record = try contents.withLock { contents in
            guard version > .empty, version.rawValue <= UInt64(contents.records.count) else {
                throw ListError.notInHistory(version)
            }
            contents.reads.insert(version)
            contents.readCount += 1
            return contents.records[Int(version.rawValue) - 1]
        }
        try record.withUnsafeBytes(body)
    }

    public func snapshot(at version: Version) throws -> UntypedSnapshot {
        precondition(isKeeping, "the rows of earlier versions were not kept")
        return contents.withLock { $0.snapshots[Int(version.rawValue)] }
    }
}

/// An editor whose commits go into a log that keeps the rows of every version, with a clock that counts milliseconds.
public struct KeptList: ~Copyable {
    public let log: KeptLog
    public var editor: UntypedEditor
    public var clock: Int64 = 0

    package init(limits: TreeLimits = TreeLimits(leafCapacity: 4, innerCapacity: 4), isKeeping: Bool = true) {
        log = KeptLog(isKeeping: isKeeping)
        editor = UntypedEditor(ListState(limits: limits), source: log)
    }

    /// The time of the next commit, a second after the one before.
    public mutating func now() -> Timestamp {
        clock += 1_000_000
        return Timestamp(microseconds: clock)
    }

    /// Puts a commit into the log.
    @discardableResult
    public mutating func keep(_ commit: Commit?) -> Commit? {
        if let commit { log.append(commit, editor.snapshot()) }
        return commit
    }

    /// Makes one commit of the edits in `body`, in the history of an origin, or in the shared one if there is no
    /// origin.
    @discardableResult
    public mutating func commit(
        _ name: String = "edit", by origin: String? = nil, tracking: Tracking? = nil,
        _ body: (inout UntypedEditor) throws -> Void
    ) throws -> Commit? {
        let draft = CommitDraft(
            name: name, origin: origin ?? "", time: now(), tracking: tracking ?? (origin == nil ? .shared : .own))
        return keep(try editor.commit(draft, body))
    }

    @discardableResult
    public mutating func undo(_ origin: String? = nil, onConflict: ConflictPolicy = .refuse) throws -> Reversal {
        let reversal = try editor.undo(in: Self.scope(origin), time: now(), onConflict: onConflict)
        keep(reversal.commit)
        return reversal
    }

    @discardableResult
    public mutating func redo(_ origin: String? = nil, onConflict: ConflictPolicy = .refuse) throws -> Reversal {
        let reversal = try editor.redo(in: Self.scope(origin), time: now(), onConflict: onConflict)
        keep(reversal.commit)
        return reversal
    }

    @discardableResult
    public mutating func go(
        to version: Version, _ origin: String? = nil, onConflict: ConflictPolicy = .refuse
    ) throws -> Reversal {
        let reversal = try editor.go(to: version, in: Self.scope(origin), time: now(), onConflict: onConflict)
        keep(reversal.commit)
        return reversal
    }

    /// The rows of the list, with their content.
    public mutating func contents() throws -> ReferenceList { try ReferenceList(editor.snapshot(), log) }

    /// An editor of the log, replayed.
    package func replayed(limits: TreeLimits = TreeLimits(leafCapacity: 4, innerCapacity: 4)) throws -> UntypedEditor {
        var state = ListState(limits: limits)
        var checksum: UInt64 = 0
        while state.version < log.head {
            try log.withRecord(of: state.version.next) {
                checksum = try state.replay($0, previousChecksum: checksum)
            }
        }
        return UntypedEditor(state, checksum: checksum, source: log)
    }

    public static func scope(_ origin: String?) -> HistoryScope { origin.map { .origin($0) } ?? .shared }
}
