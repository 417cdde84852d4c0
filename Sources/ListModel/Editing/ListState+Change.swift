// Leads a list from the rows of one version to those of another, without the commits between them.
//
// Always holds: afterwards every row has its content at the same place as in the other version.

extension ListState {
    /// Changes the rows into those of another version. Nodes without a difference stay as they are.
    ///
    /// If the rows were not those of `before`, the result is of no version: compare its hash.
    ///
    /// - Parameters:
    ///   - before: the rows that this list has now, in the list that they come from.
    ///   - after: the rows to get, of the same list as `before`.
    ///   - histories: the histories at that version.
    ///   - eraser: knows which contents of the rows are erased.
    /// - Throws: an error of rows that cannot be read.
    /// - Complexity: O(n + k log n) for k rows that differ.
    package mutating func change(
        from before: UntypedSnapshot, to after: UntypedSnapshot, histories: HistoryTable,
        without eraser: ContentEraser? = nil
    ) throws {
        var editor = UntypedEditor(ListState(), source: NoCommits())
        swap(&editor.state, &self)
        defer { swap(&editor.state, &self) }
        // An event says how many versions before its own a content was written.
        editor.state.version = after.version
        editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)), .untracked)
        _ = try editor.merge(from: before, to: after, now: before)
        editor.state.histories = histories
        // A row that got an equal content, written elsewhere, is no difference.
        let rows = editor.state.snapshot()
        try after.checked {
            for (section, (present, wanted)) in zip(rows.sections, after.sections).enumerated() {
                for (item, (row, other)) in zip(present.items, wanted.items).enumerated() {
                    let content = eraser?.reference(other.content) ?? other.content
                    if row.content == content { continue }
                    let path = ListIndexPath(section: section, item: item)
                    try editor.state.apply(.itemUpdated(at: path, row.id, old: row.content, new: content))
                }
            }
        }
    }
}

/// The commits of a change that is none.
private struct NoCommits: CommitSource {
    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        throw ListError.unknownVersion(version, head: .empty)
    }
}
