// A list in memory that is edited, timed and put back.
//
// Always holds: between two samples the rows are those of the recipe, in the same order: what a sample did is undone,
// off the clock. The shape of the tree may differ, as it does in any list that is in use.

import ListModel

/// A list that samples are taken on.
public final class BenchList {
    public let rowCount: Int
    public var planner: EditPlanner
    private var editor: ListEditor
    private let log = MemoryLog()
    private var clock: Int64 = 0

    /// What a caller of the library keeps while it edits.
    public enum SnapshotUse: String, CaseIterable, Sendable {
        /// Nothing: the list is edited in its place.
        case none = "no-snapshot"
        /// One snapshot, taken before the first edit.
        case one = "one-snapshot"
        /// A snapshot after every edit; it is kept until the next.
        case each = "each-snapshot"
    }

    /// A sample changed the list and could not be put back.
    public struct NotRestored: Error {}

    public init(rowCount: Int) throws {
        self.rowCount = rowCount
        planner = EditPlanner(rowCount: rowCount, seed: UInt64(rowCount))
        editor = ListEditor(ListState(), source: log)
        try ListRecipe(rowCount: rowCount).forEachCommit { body in
            guard let commit = try editor.commit(draft(), body) else { return }
            // What a sample leaves is on a branch that nobody goes to; only these are met by the next.
            log.keepPlace(of: commit)
            log.forgetAll(but: commit)
        }
    }

    private func draft() -> CommitDraft {
        clock += 1
        return CommitDraft(name: "Edit", time: Timestamp(microseconds: clock))
    }

    /// The rows as they are now.
    public func snapshot() -> Snapshot { editor.snapshot() }

    /// Makes one commit of these edits.
    public func commit(_ edits: [PlannedEdit]) throws {
        let commit = try editor.commit(draft()) { editor in
            for edit in edits { try edit.apply(to: &editor) }
        }
        if let commit { log.append(commit) }
    }

    /// Makes each edit a commit, and takes the time.
    ///
    /// - Parameters:
    ///   - edits: what is done.
    ///   - use: which snapshots are kept meanwhile.
    ///   - readsHash: whether the state hash of each version is read.
    /// - Returns: the seconds that all of it took.
    public func time(_ edits: [PlannedEdit], _ use: SnapshotUse, readsHash: Bool = false, _ sink: Sink) throws -> Double
    {
        var commits: [Commit] = []
        commits.reserveCapacity(edits.count)
        let draft = draft()
        var kept = use == .one ? editor.snapshot() : nil
        let keepsEach = use == .each
        let result = try seconds {
            try BenchList.run(&editor, edits, draft, &commits) { editor in
                if keepsEach { kept = editor.snapshot() }
                if readsHash { sink.take(editor.snapshot().stateHash.rawValue) }
            }
        }
        if let kept { sink.take(kept.itemCount) }
        for commit in commits { log.append(commit) }
        return result
    }

    /// The loop that is timed, not inlined so that a profile shows it. The editor is passed so that the class's own
    /// access to it is checked once.
    @inline(never)
    private static func run(
        _ editor: inout ListEditor, _ edits: [PlannedEdit], _ draft: CommitDraft, _ commits: inout [Commit],
        _ afterEach: (inout ListEditor) -> Void
    ) throws {
        for edit in edits {
            try editor.begin(draft)
            try edit.apply(to: &editor)
            if let commit = try editor.finish() { commits.append(commit) }
            afterEach(&editor)
        }
    }

    /// Undoes commits, one by one, and takes the time.
    public func timeUndo(_ count: Int) throws -> Double {
        let time = Timestamp(microseconds: clock)
        return try seconds {
            for _ in 0..<count { log.append(try editor.undo(time: time).commit!) }
        }
    }

    /// Takes undone commits back, one by one, and takes the time.
    public func timeRedo(_ count: Int) throws -> Double {
        let time = Timestamp(microseconds: clock)
        return try seconds {
            for _ in 0..<count { log.append(try editor.redo(time: time).commit!) }
        }
    }

    /// Calls `body`, and then undoes what it did.
    public func restoring<Result>(_ body: () throws -> Result) throws -> Result {
        let before = editor.snapshot().stateHash
        let depth = editor.state.history.undoCount
        let result = try body()
        let time = Timestamp(microseconds: clock)
        var last: Commit?
        for _ in depth..<editor.state.history.undoCount { last = try editor.undo(time: time).commit }
        guard editor.snapshot().stateHash == before else { throw NotRestored() }
        if let last { log.forgetAll(but: last) }
        return result
    }
}
