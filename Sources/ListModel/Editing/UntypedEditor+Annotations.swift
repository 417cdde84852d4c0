// Annotations: values that are attached to a commit, and read when the commit is undone or displayed.

extension UntypedEditor {
    /// Attaches a value to the present commit, for example a selection, the source of an edit, or the typed text.
    ///
    /// ```swift
    /// try store.edit("Type") { list in
    ///     try list.update(7, content: text)
    ///     list.annotate("selection", with: bytes)
    /// }
    /// ```
    ///
    /// An annotation is an event of the commit. It changes no row, and undo ignores it. A commit with only annotations
    /// is not made. If several values have the same name, the last one counts.
    ///
    /// The names ``CommitAnnotation/identifier`` and ``CommitAnnotation/lostRace`` belong to the library: they say what becomes of a
    /// commit that is made again. With an annotation of such a name, the commit is not made, and throws
    /// ``ListError/reservedAnnotation(_:)`` at its end.
    ///
    /// - Parameters:
    ///   - name: the name for ``Commit/annotation(named:)``.
    ///   - value: any bytes. A value that changes little from one commit to the next takes little room in a packed log.
    /// - Complexity: O(bytes).
    public mutating func annotate(_ name: String, with value: [UInt8]) {
        if CommitAnnotation.isReserved(name) { refusedAnnotation = name }
        annotate(own: name, with: value)
    }

    /// Attaches a value whose name may be one of the library's own.
    mutating func annotate(own name: String, with value: [UInt8]) {
        append(ancillary: .annotated(name: name, value: value))
    }

    /// Attaches the selections before and after the edit, so that undo and redo can restore them.
    ///
    /// The app chooses the content of a selection, for example ids of rows or the position of a caret.
    ///
    /// - Complexity: O(bytes).
    public mutating func attachSelection(before: [UInt8], after: [UInt8]) {
        annotate(CommitAnnotation.selectionBefore, with: before)
        annotate(CommitAnnotation.selectionAfter, with: after)
    }
}
