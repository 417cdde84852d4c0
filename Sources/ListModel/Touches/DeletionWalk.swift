// A walk into the past that finds the rows that commits deleted, and the sections that these were in.
//
// An event names a section by its index. So the walk keeps the ids and titles of all sections, and takes the changes of
// sections back on its way.
//
// Always holds: `sections` are those before the commit that was walked over last.

/// A row that a commit took out of the list, as it was before the commit.
package struct DeletedRow: Equatable, Sendable {
    /// The row.
    package var row: UntypedRow
    /// The id of its section.
    package var sectionID: UntypedID
    /// The title of its section.
    package var sectionTitle: String
}

/// A walk over commits, from the newest to older ones. Commits that neither delete rows nor change sections may be skipped.
package struct DeletionWalk: Sendable {
    private var sections: Sections

    /// The ids and titles of the sections; read from the rows until one of them changes.
    private enum Sections: Sendable {
        case of(UntypedSnapshot)
        case copied([Name])
    }

    private typealias Name = (id: UntypedID, title: String)

    /// A walk that begins at some rows.
    ///
    /// - Complexity: O(1).
    package init(from snapshot: UntypedSnapshot) { sections = .of(snapshot) }

    /// Keeps no snapshot from now on.
    ///
    /// - Complexity: O(s) for s sections.
    package mutating func releaseRows() { changeSections { _ in } }

    private mutating func changeSections(_ body: (inout [Name]) -> Void) {
        var names: [Name]
        switch sections {
        case .of(let snapshot): names = snapshot.sections.map { ($0.id, $0.title) }
        case .copied(let copied): names = copied
        }
        sections = .copied([])
        body(&names)
        sections = .copied(names)
    }

    /// What a commit did, from the rows before it to the rows after it.
    package struct Step {
        /// The rows that were there before it and not after it: those of its last event first, and those of one event in the
        /// order of the list.
        package var deleted: [DeletedRow] = []
        /// The rows that were there after it and not before it.
        package var inserted: Set<UntypedID> = []
    }

    /// Walks over the next older commit.
    ///
    /// - Throws: ``RecordError``; ``ListError/eventMismatch(what:expected:found:)`` for an event that names a section that
    ///   is not there, or before which a row would have an impossible depth.
    /// - Complexity: O(bytes), and O(s) for each section that the commit inserted, deleted or moved.
    package mutating func step(over commit: Commit) throws -> Step {
        var rows = RowsOfStep()
        for event in try commit.events().reversed() { try takeBack(event, &rows) }
        return Step(deleted: rows.deleted.compactMap { $0 }, inserted: rows.inserted)
    }

    /// The rows that are on one side of the walked events only.
    private struct RowsOfStep {
        /// Those that are there before the events and not after the commit; nil for one that an earlier event brought.
        var deleted: [DeletedRow?] = []
        /// Where each of them is in the array.
        var places: [UntypedID: Int] = [:]
        /// Those that are there after the commit and not before the events.
        var inserted: Set<UntypedID> = []

        mutating func takeBackDeletion(of row: UntypedRow, _ section: Name) {
            if inserted.remove(row.id) != nil { return }
            places[row.id] = deleted.count
            deleted.append(DeletedRow(row: row, sectionID: section.id, sectionTitle: section.title))
        }

        mutating func takeBackInsertion(of id: UntypedID) {
            if let place = places.removeValue(forKey: id) { deleted[place] = nil } else { inserted.insert(id) }
        }

        /// Takes back what an event did to a row that a later one deletes.
        mutating func change(_ id: UntypedID, _ body: (inout DeletedRow) throws -> Void) rethrows {
            guard !places.isEmpty, let place = places[id], var row = deleted[place] else { return }
            try body(&row)
            deleted[place] = row
        }
    }

    private mutating func takeBack(_ event: ListEvent, _ rows: inout RowsOfStep) throws {
        switch event {
        case .itemsInserted(_, let items): for row in items { rows.takeBackInsertion(of: row.id) }
        case .itemsDeleted(let path, let items):
            let section = try section(path.section)
            for row in items { rows.takeBackDeletion(of: row, section) }
        case .itemsMoved(let source, _, let ids):
            let section = try section(source.section)
            for id in ids { rows.change(id) { ($0.sectionID, $0.sectionTitle) = section } }
        case .itemToggled(_, let id, let isChecked): rows.change(id) { $0.row.setChecked(!isChecked) }
        case .itemUpdated(_, let id, let old, _): rows.change(id) { $0.row.setContent(old) }
        case .itemsIndented(_, let ids, let change):
            for id in ids {
                try rows.change(id) { deleted in
                    let depth = deleted.row.depth - change
                    guard UntypedRow.depths.contains(depth) else {
                        throw ListError.eventMismatch(
                            what: "depth of row \(id)", expected: "0 to \(UntypedRow.maximumDepth)", found: "\(depth)")
                    }
                    deleted.row.changeDepth(by: -change)
                }
            }
        case .itemCollapsed(_, let id, let isCollapsed): rows.change(id) { $0.row.setCollapsed(!isCollapsed) }
        case .sectionInserted(let index, let section):
            _ = try self.section(index)
            changeSections { $0.remove(at: index) }
            for row in section.items { rows.takeBackInsertion(of: row.id) }
        case .sectionDeleted(let index, let section):
            try check(index, through: sectionCount)
            changeSections { $0.insert((section.id, section.title), at: index) }
            for row in section.items { rows.takeBackDeletion(of: row, (section.id, section.title)) }
        case .sectionMoved(let source, let target, _):
            let section = try section(target)
            try check(source, through: sectionCount - 1)
            changeSections { sections in
                sections.remove(at: target)
                sections.insert(section, at: source)
            }
        case .sectionRenamed(let index, _, let old, _):
            let id = try section(index).id
            changeSections { $0[index].title = old }
            // Rows that a later event of the commit deletes were in a section of this title.
            for place in rows.places.values where rows.deleted[place]?.sectionID == id {
                rows.deleted[place]?.sectionTitle = old
            }
        case .listReloaded(let old, let new): takeBackReload(from: old, to: new, &rows)
        case .annotated, .unrecognised: break
        }
    }

    private mutating func takeBackReload(from old: [ListSection], to new: [ListSection], _ rows: inout RowsOfStep) {
        sections = .copied(old.map { ($0.id, $0.title) })
        var gone: Set<UntypedID> = []
        for section in old { for row in section.items { gone.insert(row.id) } }
        for section in new {
            for row in section.items where gone.remove(row.id) == nil { rows.takeBackInsertion(of: row.id) }
        }
        for section in old {
            for row in section.items {
                if gone.contains(row.id) {
                    rows.takeBackDeletion(of: row, (section.id, section.title))
                } else {
                    rows.change(row.id) { changed in
                        changed = DeletedRow(row: row, sectionID: section.id, sectionTitle: section.title)
                    }
                }
            }
        }
    }

    private var sectionCount: Int {
        switch sections {
        case .of(let snapshot): snapshot.sectionCount
        case .copied(let names): names.count
        }
    }

    private func section(_ index: Int) throws -> Name {
        try check(index, through: sectionCount - 1)
        switch sections {
        case .of(let snapshot):
            let section = snapshot.sections[index]
            return (section.id, section.title)
        case .copied(let names): return names[index]
        }
    }

    private func check(_ index: Int, through last: Int) throws {
        guard index >= 0 && index <= last else {
            throw ListError.eventMismatch(
                what: "section of an event", expected: "an index up to \(last)", found: "\(index)")
        }
    }
}

extension Commit {
    /// Whether a row was there before the commit and not after it.
    ///
    /// - Complexity: O(bytes).
    package func deletes(_ id: UntypedID) throws -> Bool {
        var (first, last): (ChangeKinds?, ChangeKinds?)
        try forEachTouch { subject, kinds in
            guard subject == .row(id), !kinds.isDisjoint(with: [.inserted, .deleted]) else { return }
            first = first ?? kinds
            last = kinds
        }
        return first == .deleted && last == .deleted
    }
}
