// The result of an undo, a redo, a revert or a restore.

/// What an undo, a redo or the like did.
public struct Reversal: Sendable {
    /// The commit that did it; the last one if there are several, and nil if nothing was to be done.
    public private(set) var commit: Commit?
    /// The commits that were undone or redone, in the order in which that happened; empty for all else.
    public var versions: [Version] { Array(step) }
    /// Those commits.
    private var step: Run<Version>
    /// What was left undone, because the rows are not as they were expected to be.
    public private(set) var conflicts: [MergeConflict]

    package init(commit: Commit?, step: Run<Version>? = nil, conflicts: [MergeConflict]) {
        self.commit = commit
        self.step = step ?? .none
        self.conflicts = conflicts
    }

    /// Nothing was done.
    package static let nothing = Reversal(commit: nil, conflicts: [])

    /// Adds what was done next.
    package mutating func append(_ next: Reversal) {
        if commit == nil && conflicts.isEmpty {
            self = next
        } else {
            commit = next.commit ?? commit
            step.append(contentsOf: next.step)
            conflicts += next.conflicts
        }
    }
}
