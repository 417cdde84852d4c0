// What was selected when a commit was made, for whoever undoes it: an editor puts the caret back where it was.

import ListModel

extension Store {
    /// What an interface selects after an undo, a redo or a go: what ``ListEditor/attachSelection(before:after:)`` attached.
    ///
    /// ```swift
    /// let reversal = try store.undo()
    /// if let bytes = try store.selection(after: reversal) { select(bytes) }
    /// ```
    ///
    /// - Parameter reversal: what an undo, a redo, or going somewhere gave.
    /// - Returns: what was selected before the first commit that was undone, after the last one that was redone, or after the
    ///   commit that was gone to; nil if nothing was attached.
    /// - Throws: an error of the log.
    /// - Complexity: O(bytes of the commit).
    public func selection(after reversal: Reversal) throws -> [UInt8]? {
        guard let cause = reversal.commit?.cause else { return nil }
        switch cause {
        case .undo: return try annotation(Annotation.selectionBefore, of: reversal.versions.last)
        case .redo: return try annotation(Annotation.selectionAfter, of: reversal.versions.last)
        case .go(let target): return try annotation(Annotation.selectionAfter, of: target)
        case .edit, .revert, .restore: return nil
        }
    }

    private func annotation(_ name: String, of version: Version?) throws -> [UInt8]? {
        guard let version, version > oldestVersion else { return nil }
        return try commit(version).annotation(named: name)
    }
}
