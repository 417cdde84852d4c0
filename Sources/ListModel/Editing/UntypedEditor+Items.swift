// Edits of rows: insert, delete, move, toggle, update.
//
// These edits treat rows and runs without regard to their depth; `UntypedEditor+Outline.swift` has the edits of subtrees.
// If a row is deleted or moved without its children, their new parent is the nearest row before them that is less deep.
// An inserted row becomes the parent of deeper rows right after it.
//
// Always holds: an edit that changes nothing appends no event.

extension UntypedEditor {
    /// Inserts one row.
    ///
    /// - Parameters:
    ///   - item: a row whose id is not in the list.
    ///   - destination: the place of the row.
    /// - Throws: ``ListError`` for a duplicate id, an unknown anchor or section, or an index out of range.
    /// - Complexity: O(log n).
    public mutating func insert(_ item: NewRow, at destination: ItemDestination) throws {
        try insert(.one(item), at: destination)
    }

    /// Inserts a run of rows as one event.
    ///
    /// - Parameters:
    ///   - items: rows whose ids are not in the list; if empty, nothing happens.
    ///   - destination: the place of the first row.
    /// - Throws: as ``insert(_:at:)-(NewRow,_)``.
    /// - Complexity: O(k + log n) for k rows, typically.
    public mutating func insert(_ items: [NewRow], at destination: ItemDestination) throws {
        if let run = ListRun(items) { try insert(run, at: destination) }
    }

    private mutating func insert(_ items: ListRun<NewRow>, at destination: ItemDestination) throws {
        try insert(items, at: try insertionPath(destination))
    }

    /// Inserts rows at a resolved path.
    mutating func insert(_ items: ListRun<NewRow>, at path: ListIndexPath) throws {
        try appendNew { writer, version in
            writer.write(.itemsInserted, path)
            writer.write(count: items.count)
            return .itemsInserted(at: path, try items.mapped { try writer.write($0, version) })
        }
    }

    /// Deletes rows, with one event for each run of consecutive rows.
    ///
    /// In an outline the rows below them stay, and are then below the nearest row before them that is less deep, which may be
    /// collapsed. ``deleteSubtrees(_:)`` deletes them as well.
    ///
    /// - Throws: ``ListError`` for an unknown id or an index out of range.
    /// - Complexity: O(k log n) for k rows.
    public mutating func delete(_ selection: ItemSelection) throws {
        let runs = try resolve(selection)
        try atomically { editor in
            // The last run first, so that the paths of the others stay valid.
            for run in runs.reversed() {
                try editor.append(.itemsDeleted(at: run.path, editor.items(in: run)))
            }
        }
    }

    /// Deletes all rows and all sections, as one event.
    ///
    /// - Complexity: O(n).
    public mutating func deleteAll() throws { try reload([]) }

    /// Moves rows, within a section or to another one, with one event for each run of consecutive rows.
    ///
    /// - Parameters:
    ///   - selection: the rows; they keep their order and become consecutive.
    ///   - destination: the place of the first of them after the move. An index counts the rows without the moved ones.
    /// - Throws: ``ListError`` for an unknown id, an index out of range, or an anchor that is among the moved rows.
    /// - Complexity: O(k log n) for k rows.
    public mutating func move(_ selection: ItemSelection, to destination: ItemDestination) throws {
        let runs = try resolve(selection)
        let target = try gap(destination, without: runs)
        try atomically { editor in
            if case .one(let run) = runs { return try editor.moveRun(run, to: target.path(without: runs)) }
            // Every move shifts the other runs and the gap, so they are looked up by id again.
            let firsts = runs.map { editor.state.item(at: $0.path)!.id }
            for (run, first) in zip(runs, firsts) {
                // A row that cannot be read has the id of a placeholder, which is not found.
                func path(of id: UntypedID) throws -> ListIndexPath {
                    guard let path = editor.state.indexPath(of: id) else { throw ListError.unknownItem(id) }
                    return path
                }
                let current = ItemRun(path: try path(of: first), count: run.count)
                let gap =
                    try target.anchor.map(path)
                    ?? ListIndexPath(
                        section: target.place.section,
                        item: editor.state.itemCount(inSectionAt: target.place.section))
                let path = Gap(place: gap, anchor: nil).path(without: .one(current))
                try editor.moveRun(current, to: path)
            }
        }
    }

    /// Moves consecutive rows as one event. Makes no event if they are there already.
    mutating func moveRun(_ run: ItemRun, to target: ListIndexPath) throws {
        guard run.path != target else { return }
        try append(.itemsMoved(from: run.path, to: target, items(in: run).mapped(\.id)))
    }

    /// Toggles checkmarks.
    ///
    /// - Throws: ``ListError`` for an unknown id or an index out of range.
    /// - Complexity: O(k log n) for k rows, with one event for each.
    public mutating func toggle(_ selection: ItemSelection) throws {
        for run in try resolve(selection) {
            for (index, item) in items(in: run).enumerated() {
                try append(.itemToggled(at: run.path(index), item.id, isChecked: !item.isChecked))
            }
        }
    }

    /// Sets or clears checkmarks.
    ///
    /// - Throws: ``ListError`` for an unknown id or an index out of range.
    /// - Complexity: O(k log n) for k rows, with one event for each row that changes.
    public mutating func setChecked(_ isChecked: Bool, for selection: ItemSelection) throws {
        for run in try resolve(selection) {
            for (index, item) in items(in: run).enumerated() where item.isChecked != isChecked {
                try append(.itemToggled(at: run.path(index), item.id, isChecked: isChecked))
            }
        }
    }

    /// Updates the content of a row. The row keeps its identity.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - content: its new content; if it is the present one, nothing happens.
    /// - Throws: ``ListError/unknownItem(_:)``, or an error of the log if the present content cannot be read.
    /// - Complexity: O(log n + length).
    public mutating func update(_ id: UntypedID, content: [UInt8]) throws {
        guard let path = state.indexPath(of: id), let item = state.item(at: path) else {
            throw ListError.unknownItem(id)
        }
        try update(item, at: path, content: content)
    }

    /// Updates the content of the row at an index path.
    ///
    /// - Throws: ``ListError/itemIndexOutOfRange(_:valid:)``, ``ListError/sectionIndexOutOfRange(_:valid:)``, or an
    ///   error of the log.
    /// - Complexity: as ``update(_:content:)``.
    public mutating func update(at path: ListIndexPath, content: [UInt8]) throws {
        try state.checkRange(path, count: 1)
        try update(state.item(at: path)!, at: path, content: content)
    }

    private mutating func update(_ item: UntypedRow, at path: ListIndexPath, content: [UInt8]) throws {
        let old = item.content
        if try content.withUnsafeBytes({ try isContent(old, equalTo: $0) }) { return }
        try appendNew { writer, version in
            writer.write(.itemUpdated, path)
            writer.write(item.id)
            writer.write(old, isChecked: false, version)
            let new = try writer.writeContent(content, isChecked: false, version)
            return .itemUpdated(at: path, item.id, old: old, new: new)
        }
    }
}

extension ByteWriter {
    /// Writes a row with its content into the record, and returns the row with a reference to that content.
    mutating func write(_ item: NewRow, _ version: Version) throws -> UntypedRow {
        try item.checkDepth()
        let outline = UInt8(item.depth) &<< 1 | (item.isCollapsed ? 1 : 0)
        write(item.id, outline: outline)
        let content = try writeContent(item.content, isChecked: item.isChecked, version)
        return UntypedRow(id: item.id, isChecked: item.isChecked, content: content, outline: outline)
    }

    mutating func writeContent(_ content: [UInt8], isChecked: Bool, _ version: Version) throws -> ContentReference {
        let reference = content.withUnsafeBytes { write(newContent: $0, isChecked: isChecked, version) }
        guard let reference else { throw ListError.commitTooLarge(bytes: count + content.count) }
        return reference
    }
}
