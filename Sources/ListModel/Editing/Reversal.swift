// The result of an undo, a redo, a revert or a restore.

/// The result of an undo, a redo, a go, a revert or a restore.
public struct Reversal: Sendable {
    /// The new commit; the last one if there are several, nil if there was nothing to do.
    public private(set) var commit: Commit?
    /// The commits that were undone or redone, in the order in which this happened; empty otherwise.
    public var versions: [Version] { Array(step) }
    /// The commits of `versions`.
    private var step: ListRun<Version>
    /// The conflicts: changes that were left out, because others changed the same rows.
    public private(set) var conflicts: [MergeConflict]
    /// The cause with which the commit was made. A commit that was made again, because another process committed first, may have another.
    package private(set) var cause: Commit.Cause?

    package init(
        commit: Commit?, step: ListRun<Version>? = nil, conflicts: [MergeConflict], cause: Commit.Cause? = nil
    ) {
        self.commit = commit
        self.cause = cause ?? commit?.cause
        self.step = step ?? .none
        self.conflicts = conflicts
    }

    /// The result if nothing was done.
    package static let nothing = Reversal(commit: nil, conflicts: [])

    /// The same for a last commit that was made again, and so were some that it undid or redid.
    package func replacing(_ made: (commit: Commit, versions: [Version])) -> Reversal {
        Reversal(commit: made.commit, step: ListRun(made.versions), conflicts: conflicts, cause: cause)
    }

    /// Adds the result of the next one.
    package mutating func append(_ next: Reversal) {
        if commit == nil && conflicts.isEmpty {
            self = next
        } else {
            (commit, cause) = (next.commit ?? commit, next.cause ?? cause)
            step.append(contentsOf: next.step)
            conflicts += next.conflicts
        }
    }
}

extension Reversal: CustomStringConvertible {
    /// The commit, and what was left out.
    public var description: String {
        let parts = (commit.map { ["\($0)"] } ?? ["nothing"]) + conflicts.map { "left out: \($0)" }
        return parts.joined(separator: "; ")
    }
}
