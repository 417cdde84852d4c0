// A list in memory on which samples are taken; each sample is undone afterwards.
//
// Always holds: between two samples the rows are those of the recipe, in the same order, because a sample is undone
// outside of the measured time. The shape of the tree may differ, as in any list in use.

import ListModel

/// A list for samples.
public final class BenchList {
    public let rowCount: Int
    public var planner: EditPlanner
    private var editor: UntypedEditor
    private let log = MemoryLog()
    private var clock: Int64 = 0

    /// The snapshots that are kept during the edits.
    public enum SnapshotUse: String, CaseIterable, Sendable {
        /// None: the list is changed in place.
        case none = "no-snapshot"
        /// One snapshot, taken before the first edit.
        case one = "one-snapshot"
        /// A snapshot after every edit, which is kept until the next.
        case each = "each-snapshot"
    }

    /// The rows could not be restored after a sample.
    public struct NotRestored: Error {}

    public init(rowCount: Int) throws {
        self.rowCount = rowCount
        planner = EditPlanner(rowCount: rowCount, seed: UInt64(rowCount))
        editor = UntypedEditor(ListState(), source: log)
        try ListRecipe(rowCount: rowCount).forEachCommit { body in
            guard let commit = try editor.commit(draft(), body) else { return }
            // The commits of a sample stay on a branch that is not used again, so undo reads only the records that are
            // kept here.
            log.keepPlace(of: commit)
            log.forgetAll(but: commit)
        }
    }

    private func draft() -> CommitDraft {
        clock += 1
        return CommitDraft(name: "Edit", time: Timestamp(microseconds: clock))
    }

    /// The present rows.
    public func snapshot() -> UntypedSnapshot { editor.snapshot() }

    /// Makes one commit of these edits.
    public func commit(_ edits: [PlannedEdit]) throws {
        let commit = try editor.commit(draft()) { editor in
            for edit in edits { try edit.apply(to: &editor) }
        }
        if let commit { log.append(commit) }
    }

    /// Makes a commit of each edit, and measures the time.
    ///
    /// - Parameters:
    ///   - edits: the edits.
    ///   - use: the snapshots that are kept meanwhile.
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

    /// The measured loop. It is not inlined, so that a profile shows it. The editor is passed as an argument, so that
    /// exclusive access to the property is checked only once.
    @inline(never)
    private static func run(
        _ editor: inout UntypedEditor, _ edits: [PlannedEdit], _ draft: CommitDraft, _ commits: inout [Commit],
        _ afterEach: (inout UntypedEditor) -> Void
    ) throws {
        for edit in edits {
            try editor.begin(draft)
            try edit.apply(to: &editor)
            if let commit = try editor.finish() { commits.append(commit) }
            afterEach(&editor)
        }
    }

    /// Undoes commits, one by one, and measures the time.
    public func timeUndo(_ count: Int) throws -> Double {
        let time = Timestamp(microseconds: clock)
        return try seconds {
            for _ in 0..<count { log.append(try editor.undo(time: time).commit!) }
        }
    }

    /// Redoes commits, one by one, and measures the time.
    public func timeRedo(_ count: Int) throws -> Double {
        let time = Timestamp(microseconds: clock)
        return try seconds {
            for _ in 0..<count { log.append(try editor.redo(time: time).commit!) }
        }
    }

    /// Calls `body`, and then undoes its edits.
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
