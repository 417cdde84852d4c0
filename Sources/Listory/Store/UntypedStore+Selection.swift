// The selection attached to a commit: after an undo, an editor restores it.

import ListModel

extension StoreProtocol {
    /// The selection to restore after an undo, a redo or a go, as ``UntypedEditor/attachSelection(before:after:)``
    /// attached it.
    ///
    /// ```swift
    /// let reversal = try store.undo()
    /// if let bytes = try store.selection(after: reversal) { select(bytes) }
    /// ```
    ///
    /// - Parameter reversal: the result of an undo, a redo or a go.
    /// - Returns: the selection before the first undone commit, after the last redone one, or after the checked out
    ///   revision; nil if none was attached.
    /// - Throws: an error of the log.
    /// - Complexity: O(bytes of the commit).
    public func selection(after reversal: Reversal) throws -> [UInt8]? {
        try door {
            guard let commit = reversal.commit, let cause = reversal.cause else { return nil }
            // If another process has committed first, they have other versions, and a redo may have become an edit.
            let present = core.group.successor(of: commit, reversal.versions)
            switch cause {
            case .undo: return try annotation(CommitAnnotation.selectionBefore, of: present.versions.last)
            case .redo: return try annotation(CommitAnnotation.selectionAfter, of: present.versions.last)
            case .go:
                guard case .go(let target) = present.commit.cause else { return nil }
                return try annotation(CommitAnnotation.selectionAfter, of: target)
            case .edit, .revert, .restore: return nil
            }
        }
    }

    private func annotation(_ name: String, of version: Version?) throws -> [UInt8]? {
        guard let version, version > oldestVersion else { return nil }
        return try commit(version).annotation(named: name)
    }
}
