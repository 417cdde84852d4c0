// Reading inside an edit: the list as it is after the edits so far.
//
// Always holds: a row that is read has the item that the edit wrote last, though no log has it yet.

import ListModel

extension ListEdit {
    /// The version that the edit makes, unless it changes nothing.
    ///
    /// - Throws: ``ListError/editEnded``, as everything here.
    public var version: Version {
        get throws { try withEditor { $0.state.version.next } }
    }

    /// The rows after the edits so far, as a value that does not change. Its ``ListSnapshot/version`` is the one before the edit.
    ///
    /// Of a row that this edit has written, the item can be read until the closure returns; then from the store, if the edit
    /// was made.
    ///
    /// - Complexity: O(1), plus the nodes that the next edits copy for it.
    public var snapshot: ListSnapshot<SectionID, Item> {
        get throws { try withReader { try ListSnapshot($0.snapshot(), $1.source, $1.coder) } }
    }

    /// The rows of all sections after the edits so far, in order. Edits do not change the collection.
    public var rows: some BidirectionalCollection<ListRow<Item>> {
        get throws { try snapshot.rows }
    }

    /// How many rows there are in all sections.
    public var itemCount: Int {
        get throws { try withEditor { $0.state.itemCount } }
    }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func row(_ id: Item.ID) throws -> ListRow<Item>? {
        try withReader { editor, reader in editor.state.item(id.untypedID).map { ListRow(core: $0, reader: reader) } }
    }

    /// The item of an id, or nil if there is none.
    ///
    /// - Throws: an error of the log or of the decoder.
    /// - Complexity: O(log n) expected, plus decoding.
    public func item(_ id: Item.ID) throws -> Item? {
        try withEditor { editor in
            guard let item = editor.state.item(id.untypedID) else { return nil }
            return try editor.withContent(of: item.content) { try coder.item($0, of: item.id) }
        }
    }

    /// The position of the row of an id, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func indexPath(of id: Item.ID) throws -> ListIndexPath? {
        try withEditor { $0.state.indexPath(of: id.untypedID) }
    }

    /// The section that a row is in, or nil if there is no such row.
    ///
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if the section's id is none of the app's.
    /// - Complexity: O(log n) expected.
    public func sectionID(containing id: Item.ID) throws -> SectionID? {
        try withEditor { $0.state.sectionID(containing: id.untypedID) }
            .map { try SectionID.reading($0) }
    }

    /// Whether there is a section of an id.
    ///
    /// - Complexity: O(1) expected.
    public func hasSection(_ id: SectionID) throws -> Bool {
        try withEditor { $0.state.indexOfSection(id.untypedID) != nil }
    }
}

// MARK: - Rows of the past

extension ListEdit {
    /// Restores a row as it was in a snapshot: its item, its checkmark and its place in an outline.
    ///
    /// A row that is still in the list stays where it is. A row that is not gets its former place: after the row that was before
    /// it, or else before the row that was after it; if none of its neighbours is left, the end of its section, which is made if
    /// it is gone.
    ///
    /// ```swift
    /// let then = try store.snapshot(at: .now - 300)
    /// try store.edit("Restore Milk") { try $0.restore(7, from: then) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - snapshot: rows of this store, usually of an earlier version.
    /// - Throws: ``ListError/unknownItem(_:)`` if the snapshot does not have the row; an error of the log.
    /// - Complexity: O(n), because a snapshot has no index by id.
    public func restore(_ id: Item.ID, from snapshot: ListSnapshot<SectionID, Item>) throws {
        try door {
            guard let path = snapshot.core.indexPath(of: id.untypedID), let old = snapshot.core.item(at: path) else {
                throw ListError.unknownItem(id.untypedID)
            }
            let content = try snapshot.reader.source.withContent(of: old.content) { Array($0) }
            try withEditor { editor in
                try editor.atomically { editor in
                    if editor.state.indexPath(of: old.id) != nil {
                        try editor.update(old.id, content: content)
                        try editor.setChecked(old.isChecked, for: .item(old.id))
                        let depth = editor.state.item(old.id)!.depth
                        if depth != old.depth { try editor.changeDepth(of: .item(old.id), by: old.depth - depth) }
                    } else {
                        let row = NewRow(
                            id: old.id, isChecked: old.isChecked, content: content, depth: old.depth,
                            isCollapsed: old.isCollapsed)
                        try editor.insert(row, at: Self.formerPlace(of: path, in: snapshot.core, &editor))
                    }
                }
            }
        }
    }

    /// Where a row that is gone was, in the list as it is now.
    private static func formerPlace(
        of path: ListIndexPath, in snapshot: UntypedSnapshot, _ editor: inout UntypedEditor
    ) throws -> ItemDestination {
        let section = snapshot.sections[path.section]
        guard let index = editor.state.indexOfSection(section.id) else {
            try editor.insertSection(NewSection(id: section.id, title: section.title))
            return .end(ofSection: section.id)
        }
        func isThere(_ item: UntypedRow) -> Bool { editor.state.indexPath(of: item.id)?.section == index }
        if let before = section.items[..<path.item].last(where: isThere) { return .after(before.id) }
        if let after = section.items[(path.item + 1)...].first(where: isThere) { return .before(after.id) }
        return .end(ofSection: section.id)
    }
}
