// Edits of a typed outline, and edits that state the wanted rows.

import ListModel

extension ListEdit {
    /// Where rows are inserted or moved to in an outline.
    public enum OutlinePlace {
        /// After the last row of a section, without a parent.
        case root(of: SectionID)
        /// After the last child of a row, and all below it.
        case lastChild(of: Item.ID)
        /// Before the first child of a row.
        case firstChild(of: Item.ID)
        /// Directly before a row, as its sibling.
        case before(Item.ID)
        /// After a row and all below it, as its sibling.
        case after(Item.ID)

        var untyped: OutlineDestination {
            switch self {
            case .root(let id): .root(ofSection: id.untypedID)
            case .lastChild(let id): .lastChild(of: id.untypedID)
            case .firstChild(let id): .firstChild(of: id.untypedID)
            case .before(let id): .before(id.untypedID)
            case .after(let id): .after(id.untypedID)
            }
        }
    }

    /// Inserts an item without children at a place in an outline. See ``UntypedEditor/insert(_:in:)``.
    public func insert(_ item: Item, isChecked: Bool = false, in place: OutlinePlace) throws {
        try insert([Row(item, isChecked: isChecked)], in: place)
    }

    /// Inserts items without children at a place in an outline. See ``UntypedEditor/insert(_:in:)``.
    public func insert(_ items: [Item], in place: OutlinePlace) throws {
        try insert(items.map { Row($0) }, in: place)
    }

    /// Inserts rows at a place in an outline; their depths are relative to the place. See ``UntypedEditor/insert(_:in:)``.
    public func insert(_ rows: [Row], in place: OutlinePlace) throws {
        let new = try rows.map(newItem)
        try withEditor(rows: new.count) { try $0.insert(new, in: place.untyped) }
    }

    /// Inserts rows with the depths that they have, at any place. See ``UntypedEditor/insert(_:at:)-([NewRow],_)``.
    public func insert(_ rows: [Row], at destination: Destination) throws {
        let new = try rows.map(newItem)
        try withEditor(at: destination, rows: new.count) { try $0.insert(new, at: $1) }
    }

    /// Moves a row with all rows below it. See ``UntypedEditor/moveSubtree(_:to:)``.
    public func moveSubtree(_ id: Item.ID, to place: OutlinePlace) throws {
        try withEditor { try $0.moveSubtree(id.untypedID, to: place.untyped) }
    }

    /// Deletes rows with all rows below them. See ``UntypedEditor/deleteSubtrees(_:)``.
    public func deleteSubtrees(_ ids: [Item.ID]) throws {
        try withEditor { try $0.deleteSubtrees(ids.map(\.untypedID)) }
    }

    /// Makes a row the last child of the sibling before it. See ``UntypedEditor/indent(_:)``.
    public func indent(_ id: Item.ID) throws { try withEditor { try $0.indent(id.untypedID) } }

    /// Makes a row the next sibling of its parent. See ``UntypedEditor/outdent(_:)``.
    public func outdent(_ id: Item.ID) throws { try withEditor { try $0.outdent(id.untypedID) } }

    /// Changes the depth of these rows only. See ``UntypedEditor/changeDepth(of:by:)``.
    public func changeDepth(of selection: Selection, by change: Int) throws {
        try withEditor { try $0.changeDepth(of: selection.untyped, by: change) }
    }

    /// Hides the children of a row. See ``UntypedEditor/setCollapsed(_:for:recursively:)``.
    public func collapse(_ id: Item.ID, recursively: Bool = false) throws {
        try withEditor { try $0.collapse(id.untypedID, recursively: recursively) }
    }

    /// Shows the children of a row. See ``UntypedEditor/setCollapsed(_:for:recursively:)``.
    public func expand(_ id: Item.ID, recursively: Bool = false) throws {
        try withEditor { try $0.expand(id.untypedID, recursively: recursively) }
    }
}

// MARK: - Rows as they are wanted

extension ListEdit {
    /// Changes the list to the given sections and rows, with as few moves as possible. See ``UntypedEditor/apply(_:)``.
    ///
    /// ```swift
    /// try store.edit("Refresh") { list in
    ///     try list.apply([.init(id: .today, title: "Today", rows: items.map { .init($0) })])
    /// }
    /// ```
    public func apply(_ sections: [ReloadedSection]) throws {
        var new = try sections.map(newSection)
        for index in new.indices { new[index].items = try keepingStored(new[index].items) }
        try withEditor(rows: .max) { [new] in try $0.apply(new) }
    }

    /// Changes the rows of one section to the given rows. See ``UntypedEditor/apply(_:toSection:)``.
    public func apply(_ rows: [Row], toSection id: SectionID) throws {
        let new = try keepingStored(rows.map(newItem))
        try withEditor(rows: .max) { try $0.apply(new, toSection: id.untypedID) }
    }

    /// Rows with the contents that the list has, where these are the same items in an older version. The list is not locked while they
    /// are decoded.
    private func keepingStored(_ rows: [NewRow]) throws -> [NewRow] {
        if coder.version == 0 { return rows }
        let stored = try withEditor(rows: .max) { editor in rows.map { editor.otherContent(of: $0) } }
        return zip(rows, stored).map { row, stored in
            guard let stored, stored.withUnsafeBytes({ coder.isSameItem($0, as: row.content) }) else { return row }
            var kept = row
            kept.content = stored
            return kept
        }
    }

    /// Updates the rows of the items' ids: all of them, or none if one is unknown.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``; ``ListError/duplicateItem(_:)`` if an id occurs twice.
    public func update(_ items: [Item]) throws {
        var ids = Set<Item.ID>()
        for item in items where !ids.insert(item.id).inserted {
            throw ListError.duplicateItem(item.id.untypedID)
        }
        let new = try items.map { (id: $0.id.untypedID, content: try coder.content(of: $0)) }
        try withEditor(rows: new.count) { editor in
            for item in new where editor.state.indexPath(of: item.id) == nil {
                throw ListError.unknownItem(item.id)
            }
            for item in new { try editor.update(item.id, content: item.content, coder) }
        }
    }

    /// Deletes all rows and all sections, as one event.
    public func deleteAll() throws { try withEditor(rows: .max) { try $0.deleteAll() } }
}
