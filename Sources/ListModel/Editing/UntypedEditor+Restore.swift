// Restoring: a row or a section of another version comes back, and everything else stays as it is.
//
// A row that is gone comes back beside the nearest of its former neighbours that is still in its section. Contents are not
// copied: the restored row refers to the content where it was written.
//
// Always holds: a function that throws has changed nothing; other rows neither move nor change their depths. Their parents follow
// from the depths, so rows after a restored row may get another parent.

extension UntypedEditor {
    /// Restores a row as it was in a snapshot: its content, its checkmark, its depth, and whether it was collapsed.
    ///
    /// A row that is in the list stays where it is. Any other comes back into the section that it was in, beside the nearest of the
    /// rows around it that are still there, or else at the end. If the section is gone, it is made again with its title.
    ///
    /// In an outline, only this row gets its depth back, as with ``changeDepth(of:by:)``, so rows after it may get another parent. If it is
    /// less deep than before, the deeper rows right after it are below it then. If it comes back before rows that were below it, so are
    /// the rows that others have put after those.
    ///
    /// ```swift
    /// let then = try store.snapshot(at: 12)
    /// try store.edit("Restore Milk") { try $0.restore(7, from: then) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - snapshot: rows of this store, usually of an earlier version.
    /// - Throws: ``ListError/notInVersion(what:_:)`` if the snapshot does not have the row; an error of the log if its content
    ///   cannot be read.
    /// - Complexity: O(n) for n rows of the snapshot, which has no index of ids.
    public mutating func restore(_ id: UntypedID, from snapshot: UntypedSnapshot) throws {
        let (path, row) = try snapshot.checked {
            guard let path = snapshot.indexPath(of: id), let row = snapshot.item(at: path) else {
                throw ListError.notInVersion(what: "row \(id)", snapshot.version)
            }
            return (path, row)
        }
        try withContent(of: row.content) { _ in }
        try atomically(reading: snapshot) { editor in
            guard let now = editor.state.item(id) else {
                if editor.state.indexOfSection(snapshot.tree[path.section].id) == nil {
                    try editor.makeSection(at: path.section, of: snapshot, items: [])
                }
                return try editor.putBack(row, from: path, of: snapshot)
            }
            let isSame = try editor.withContent(of: row.content) { try editor.isContent(now.content, equalTo: $0) }
            if !isSame {
                let place = editor.state.indexPath(of: id)!
                try editor.append(.itemUpdated(at: place, id, old: now.content, new: row.content))
            }
            try editor.setChecked(row.isChecked, for: .item(id))
            try editor.changeDepth(of: .item(id), by: row.depth - now.depth)
            try editor.setCollapsed(row.isCollapsed, for: id)
        }
    }

    /// Restores a section of a snapshot with its rows.
    ///
    /// A section that is gone is made again, beside the nearest of its former neighbours; one that is in the list gets its title
    /// back. Rows that are gone come back as ``restore(_:from:)`` says. Rows that are in the list, in this section or another, stay
    /// as they are.
    ///
    /// - Parameters:
    ///   - id: the section.
    ///   - snapshot: rows of this store, usually of an earlier version.
    /// - Throws: ``ListError/notInVersion(what:_:)`` if the snapshot does not have the section; an error of the log if a content
    ///   cannot be read.
    /// - Complexity: O(s) for s sections of the snapshot, and O(k log n) for k rows of the section.
    public mutating func restoreSection(_ id: UntypedID, from snapshot: UntypedSnapshot) throws {
        let (index, items) = try snapshot.checked {
            guard let index = snapshot.sections.firstIndex(where: { $0.id == id }) else {
                throw ListError.notInVersion(what: "section \(id)", snapshot.version)
            }
            return (index, Array(snapshot.sections[index].items))
        }
        let gone = items.indices.filter { state.indexPath(of: items[$0].id) == nil }
        for item in gone { try withContent(of: items[item].content) { _ in } }
        try atomically(reading: snapshot) { editor in
            guard editor.state.indexOfSection(id) != nil else {
                return try editor.makeSection(at: index, of: snapshot, items: gone.map { items[$0] })
            }
            try editor.renameSection(.section(id), to: snapshot.sections[index].title)
            for item in gone {
                try editor.putBack(items[item], from: ListIndexPath(section: index, item: item), of: snapshot)
            }
        }
    }

    /// As ``atomically(_:)``; also takes the edits back if rows of the snapshot could not be read.
    private mutating func atomically(
        reading snapshot: UntypedSnapshot, _ body: (inout UntypedEditor) throws -> Void
    ) throws {
        try atomically { editor in try snapshot.checked { try body(&editor) } }
    }

    /// Makes a section of a snapshot again, beside the nearest of its former neighbours.
    private mutating func makeSection(at index: Int, of snapshot: UntypedSnapshot, items: [UntypedRow]) throws {
        let section = snapshot.sections[index]
        let place = nearest(to: index, in: snapshot.sections) { state.indexOfSection($0.id) }
        try append(
            .sectionInserted(
                at: place ?? state.sectionCount,
                ListSection(id: section.id, title: section.title, items: items)))
    }

    /// Inserts a row of a snapshot, whose section is there.
    private mutating func putBack(_ row: UntypedRow, from path: ListIndexPath, of snapshot: UntypedSnapshot) throws {
        let old = snapshot.sections[path.section]
        let section = try indexOfSection(old.id)
        let found = nearest(to: path.item, in: old.items) { item in
            state.indexPath(of: item.id).flatMap { $0.section == section ? $0.item : nil }
        }
        let outline = state.outline(inSectionAt: section)
        var place = found ?? outline.items.count
        if place < outline.items.count && outline.items[place].depth > row.depth {
            // Rows that came below the row before it since then stay there.
            let below = Set(old.outline.subtree(of: path.item).lazy.map { old.items[$0].id })
            place =
                outline.items[place...].firstIndex { $0.depth <= row.depth || below.contains($0.id) }
                ?? outline.items.count
        }
        try append(.itemsInserted(at: ListIndexPath(section: section, item: place), .one(row)))
    }

    /// The place after or before the nearest element that is still in the list; nil if none is.
    ///
    /// - Parameter place: returns where an element is now; nil if it is gone.
    private func nearest<Elements: RandomAccessCollection>(
        to index: Int, in elements: Elements, _ place: (Elements.Element) -> Int?
    ) -> Int? where Elements.Index == Int {
        var distance = 1
        while index - distance >= 0 || index + distance < elements.count {
            if index - distance >= 0, let found = place(elements[index - distance]) { return found + 1 }
            if index + distance < elements.count, let found = place(elements[index + distance]) { return found }
            distance += 1
        }
        return nil
    }
}
