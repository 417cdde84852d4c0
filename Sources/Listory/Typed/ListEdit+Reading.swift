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
    /// A row that is in the list stays where it is; any other comes back beside its former neighbours. Rows after it keep their
    /// depths, so in an outline they may get another parent. See ``UntypedEditor/restore(_:from:)``, and
    /// ``ListStore/restoreRow(_:from:name:origin:durability:)`` for a commit of its own.
    ///
    /// ```swift
    /// let then = try store.snapshot(at: .now - 300)
    /// try store.edit("Restore Milk") { try $0.restore(7, from: then) }
    /// ```
    ///
    /// - Parameters, Throws, Complexity: as ``UntypedEditor/restore(_:from:)``.
    public func restore(_ id: Item.ID, from snapshot: ListSnapshot<SectionID, Item>) throws {
        try withEditor { try $0.restore(id.untypedID, from: snapshot.core) }
    }

    /// Restores a section of a snapshot with its rows; those that are in the list now stay where they are. See
    /// ``UntypedEditor/restoreSection(_:from:)``.
    public func restoreSection(_ id: SectionID, from snapshot: ListSnapshot<SectionID, Item>) throws {
        try withEditor(rows: .max) { try $0.restoreSection(id.untypedID, from: snapshot.core) }
    }
}
