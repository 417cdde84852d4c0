// Edits of sections: insert, delete, move, rename, and reload, which replaces everything.

extension UntypedEditor {
    /// Inserts a section, with its rows, as one event.
    ///
    /// - Throws: ``ListError`` for a duplicate id, an unknown anchor, or an index out of range.
    /// - Complexity: O(log s + k) for s sections and k rows in the new one.
    public mutating func insertSection(_ section: NewSection, at destination: SectionDestination = .end) throws {
        let index = try sectionIndex(destination, without: nil)
        try appendNew { writer, version in
            writer.write(.sectionInserted, index)
            return .sectionInserted(at: index, try writer.write(section, version))
        }
    }

    /// Deletes a section with its rows, as one event.
    ///
    /// - Throws: ``ListError`` for an unknown id or an index out of range.
    /// - Complexity: O(log s + k) for s sections and k rows in the deleted one.
    public mutating func deleteSection(_ selection: SectionSelection) throws {
        let index = try resolve(selection)
        try append(.sectionDeleted(at: index, state.sectionEntry(at: index).contents(state.pool)))
    }

    /// Moves a section with its rows.
    ///
    /// - Parameters:
    ///   - selection: the section.
    ///   - destination: its place after the move. An index counts the sections without the moved one.
    /// - Throws: ``ListError`` for an unknown id, an index out of range, or an anchor that is the section itself.
    /// - Complexity: O(log s) for s sections, however many rows it has.
    public mutating func moveSection(_ selection: SectionSelection, to destination: SectionDestination) throws {
        let source = try resolve(selection)
        let target = try sectionIndex(destination, without: source)
        guard source != target else { return }
        try append(.sectionMoved(from: source, to: target, state.sectionEntry(at: source).id))
    }

    /// Renames a section.
    ///
    /// - Throws: ``ListError`` for an unknown id or an index out of range.
    /// - Complexity: O(log s) for s sections.
    public mutating func renameSection(_ selection: SectionSelection, to title: String) throws {
        let index = try resolve(selection)
        let section = state.sectionEntry(at: index)
        guard !section.title.hasSameBytes(as: title) else { return }
        try append(.sectionRenamed(at: index, section.id, old: section.title, new: title))
    }

    /// Replaces all sections and rows, as one event. Rows and sections keep their identity by id.
    ///
    /// - Parameter sections: the new sections and rows; if they are equal to the present ones, nothing happens.
    /// - Throws: ``ListError`` if an id occurs twice.
    /// - Complexity: O(n).
    public mutating func reload(_ sections: [NewSection]) throws {
        let old = state.tree.indices.map { state.sectionEntry(at: $0).contents(state.pool) }
        if try isEqual(old, sections) { return }
        try appendNew { writer, version in
            writer.write(.listReloaded, old.count)
            for section in old { writer.write(section, version) }
            writer.write(count: sections.count)
            return .listReloaded(old: old, new: try sections.map { try writer.write($0, version) })
        }
    }

    /// Whether the list has exactly these sections and rows. Stops at the first difference.
    private func isEqual(_ present: [ListSection], _ sections: [NewSection]) throws -> Bool {
        guard present.count == sections.count else { return false }
        for (old, new) in zip(present, sections) {
            guard old.id == new.id, old.title.hasSameBytes(as: new.title), old.items.count == new.items.count
            else { return false }
            for (old, new) in zip(old.items, new.items) {
                guard old.id == new.id, old.isChecked == new.isChecked, old.depth == new.depth,
                    old.isCollapsed == new.isCollapsed,
                    try new.content.withUnsafeBytes({ try isContent(old.content, equalTo: $0) })
                else { return false }
            }
        }
        return true
    }

    private func resolve(_ selection: SectionSelection) throws -> Int {
        switch selection {
        case .section(let id): return try indexOfSection(id)
        case .at(let index):
            try state.checkSection(index)
            return index
        }
    }

    /// The index of a destination, not counting the moved section.
    private func sectionIndex(_ destination: SectionDestination, without moved: Int?) throws -> Int {
        let count = state.sectionCount - (moved == nil ? 0 : 1)
        func index(beside id: UntypedID, distance: Int) throws -> Int {
            let anchor = try indexOfSection(id)
            guard let moved else { return anchor + distance }
            if anchor == moved { throw ListError.movedOntoItself(id) }
            return anchor + distance - (moved < anchor ? 1 : 0)
        }
        switch destination {
        case .end: return count
        case .before(let id): return try index(beside: id, distance: 0)
        case .after(let id): return try index(beside: id, distance: 1)
        case .at(let index):
            guard index >= 0 && index <= count else {
                throw ListError.sectionIndexOutOfRange(index, valid: 0..<count + 1)
            }
            return index
        }
    }
}

extension ByteWriter {
    /// Writes a section with its rows and their content into the record, and returns it with references to that
    /// content.
    fileprivate mutating func write(_ section: NewSection, _ version: Version) throws -> ListSection {
        write(section.id)
        write(section.title)
        write(count: section.items.count)
        return ListSection(
            id: section.id, title: section.title, items: try section.items.map { try write($0, version) })
    }
}
