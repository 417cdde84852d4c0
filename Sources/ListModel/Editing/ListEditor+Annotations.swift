// Values that are attached to a commit: what an editor wants to know again when the commit is undone or looked at.

extension ListEditor {
    /// Attaches a value to the commit that is being made: a selection, where an edit came from, what a user typed.
    ///
    /// ```swift
    /// try store.edit("Type") { list in
    ///     try list.update(7, content: text)
    ///     list.annotate("selection", bytes)
    /// }
    /// ```
    ///
    /// It is an event of the commit, which changes no row and which undo leaves out. A commit of nothing but annotations is
    /// none. Of several values under one name the last one counts.
    ///
    /// - Parameters:
    ///   - name: what ``Commit/annotation(named:)`` asks for.
    ///   - value: any bytes. What changes little from one commit to the next takes little room in a packed log.
    /// - Complexity: O(bytes).
    public mutating func annotate(_ name: String, _ value: [UInt8]) {
        append(ancillary: .annotated(name: name, value: value))
    }

    /// Attaches what was selected before the edit, and what is after it, so that undo and redo can select it again.
    ///
    /// What a selection is, is the app's business: ids of rows, or where a caret stands.
    ///
    /// - Complexity: O(bytes).
    public mutating func attachSelection(before: [UInt8], after: [UInt8]) {
        annotate(Annotation.selectionBefore, before)
        annotate(Annotation.selectionAfter, after)
    }
}
