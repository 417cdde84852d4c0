// What the next undo and the next redo would revert: two stacks, kept as two numbers and the log itself.
//
// Undo never searches the past, and the history's memory does not grow with the log. The stacks are linked lists that
// lie in the log: the record of every commit holds the history as it is after the commit, so the entry below the
// topmost undo entry t is the `undo` of the history after commit t − 1, that is, before t was made.
//
// Always holds: the history is a fold of the commits (`history(after:…)`), whether it is read from the newest record
// or computed from the first.

/// The undo and redo stacks at one version.
public struct History: Hashable, Sendable {
    /// An end of a stack: its topmost commit and how deep it is.
    public struct Stack: Hashable, Sendable {
        /// The commit that comes first when the stack is walked; ``Version/empty`` if the stack is empty.
        public let top: Version
        /// How many commits the stack holds.
        public let depth: Int

        /// A stack of this depth.
        public init(top: Version, depth: Int) {
            self.top = top
            self.depth = depth
        }

        /// The stack without commits.
        public static let empty = Stack(top: .empty, depth: 0)

        func pushing(_ version: Version) -> Stack { Stack(top: version, depth: depth + 1) }
    }

    /// The commits that undo reverts: edits and redos.
    public let undo: Stack
    /// The commits that redo reverts: undos since the last edit.
    public let redo: Stack

    /// A history with these stacks.
    public init(undo: Stack, redo: Stack) {
        self.undo = undo
        self.redo = redo
    }

    /// Nothing to undo and nothing to redo.
    public static let empty = History(undo: .empty, redo: .empty)

    /// The history after one more commit.
    ///
    /// - Parameters:
    ///   - version: the version that the commit makes.
    ///   - cause: what kind of commit it is.
    ///   - beforeTarget: the history before the commit that is undone or redone; not used for an edit.
    func after(_ version: Version, _ cause: Commit.Cause, beforeTarget: History) -> History {
        switch cause {
        // An edit leaves the undone commits behind: they stay in the log, on a branch of their own.
        case .edit: History(undo: undo.pushing(version), redo: .empty)
        case .undo: History(undo: beforeTarget.undo, redo: redo.pushing(version))
        case .redo: History(undo: undo.pushing(version), redo: beforeTarget.redo)
        }
    }

    /// The history after one more commit.
    ///
    /// - Parameters:
    ///   - commit: the commit.
    ///   - beforeTarget: for an undo or a redo, the history before the commit that it reverts.
    public func after(_ commit: Commit, beforeTarget: History = .empty) -> History {
        after(commit.version, commit.cause, beforeTarget: beforeTarget)
    }
}
