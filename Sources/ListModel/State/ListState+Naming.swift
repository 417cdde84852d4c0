// Makes an event name the rows that are there.
//
// Two rows can be equal although their contents lie in different places: a row that was deleted and inserted again, for one.
// An event of long ago, taken back, names the rows of then. If such an event were recorded, the rows would depend on the way
// to a version: forward it removes the row that is there, and backward it brings the other one. A packed block has only the
// positions of rows, so it could not be unpacked.
//
// Always holds: taking back a named event gives the very rows that it removed, with their contents where they were.

extension ListState {
    /// The event with the rows and contents that it removes, as they are in the list.
    ///
    /// - Parameter event: an event that is about to be applied.
    /// - Throws: ``ListError/eventMismatch(what:expected:found:)`` if other rows are there. Whether everything else fits, applying
    ///   the event finds out.
    /// - Complexity: O(k + log n) for k rows that the event removes, and O(1) if it removes none.
    func naming(_ event: ListEvent) throws -> ListEvent {
        switch event {
        case .itemsDeleted(let path, let items):
            if items.count == 1 { return .itemsDeleted(at: path, .one(try row(items[0].id, at: path))) }
            let rows = try items.indices.map { index in
                try row(items[index].id, at: ListIndexPath(section: path.section, item: path.item + index))
            }
            return .itemsDeleted(at: path, ListRun(rows) ?? items)
        case .itemUpdated(let path, let id, _, let new):
            return .itemUpdated(at: path, id, old: try row(id, at: path).content, new: new)
        case .sectionDeleted(let index, let section):
            guard sectionID(at: index) == section.id else {
                throw ListError.eventMismatch(
                    what: "section \(index)", expected: "\(section.id)",
                    found: sectionID(at: index).map { "\($0)" } ?? "none")
            }
            return .sectionDeleted(at: index, sectionEntry(at: index).contents(pool))
        case .listReloaded(_, let new):
            return .listReloaded(old: (0..<sectionCount).map { sectionEntry(at: $0).contents(pool) }, new: new)
        default: return event
        }
    }

    private func row(_ id: UntypedID, at path: ListIndexPath) throws -> UntypedRow {
        let row = item(at: path)
        guard let row, row.id == id else {
            throw ListError.eventMismatch(
                what: "row at \(path)", expected: "\(id)", found: row.map { "\($0.id)" } ?? "none")
        }
        return row
    }
}
