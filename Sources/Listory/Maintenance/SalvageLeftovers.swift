// The rows that are left over: in commits behind a gap, and in leaves of checkpoints that are newer than the log.
//
// Always holds: a content was compared with its hash or lies in a record with the right checksum. A row that a readable
// commit deleted is not left over.

import ListModel

/// Rows that no version of a salvaged log has in this form.
struct SalvageLeftovers {
    /// A row, as far as it is known.
    struct Row {
        var content: [UInt8]
        var isChecked: Bool
        var depth: Int
    }

    /// The rows, by their ids.
    private(set) var rows: [UntypedID: Row] = [:]
    /// The ids in the order in which they were found.
    private(set) var order: [UntypedID] = []
    /// The rows that readable commits deleted. Leaves of older checkpoints may still have them.
    private var deleted: Set<UntypedID> = []

    /// Finds the rows.
    ///
    /// - Parameters:
    ///   - index: what can be read of the file.
    ///   - pieces: the commits that are not in the log.
    ///   - last: the newest version of the log. Earlier commits leave nothing over.
    init(_ index: SalvageIndex, _ pieces: [SalvagePiece], after last: Version) throws {
        for piece in pieces {
            for unit in piece.units where unit.first > last && !unit.isBlock {
                let commit = try Commit(record: try index.bytes(of: unit), version: unit.first)
                guard let events = try? commit.events() else { continue }
                for event in events { try note(event, index) }
            }
        }
        guard index.newestKnown > last else { return }
        try index.forEachLeaf { leaf in
            // What was written up to then, the log itself has, or has deleted.
            for item in leaf where item.content.version > last { try note(item, index, isKnownLater: true) }
        }
    }

    private mutating func note(_ event: ListEvent, _ index: SalvageIndex) throws {
        switch event {
        case .itemsInserted(_, let items): for item in items { try note(item, index) }
        case .sectionInserted(_, let section): for item in section.items { try note(item, index) }
        case .listReloaded(_, let sections):
            for section in sections { for item in section.items { try note(item, index) } }
        case .itemsDeleted(_, let items): for item in items { delete(item.id) }
        case .sectionDeleted(_, let section): for item in section.items { delete(item.id) }
        case .itemUpdated(_, let id, _, let new):
            guard let content = try index.content(of: new) else { return }
            if rows[id] == nil { order.append(id) }
            deleted.remove(id)
            rows[id, default: Row(content: [], isChecked: false, depth: 0)].content = content
        case .itemToggled(_, let id, let isChecked): rows[id]?.isChecked = isChecked
        case .itemsMoved, .itemsIndented, .itemCollapsed, .sectionMoved, .sectionRenamed, .annotated, .unrecognised:
            break
        }
    }

    private mutating func delete(_ id: UntypedID) {
        rows[id] = nil
        deleted.insert(id)
    }

    /// - Parameter isKnownLater: whether a row that is known already is newer.
    private mutating func note(_ item: UntypedRow, _ index: SalvageIndex, isKnownLater: Bool = false) throws {
        if isKnownLater && (rows[item.id] != nil || deleted.contains(item.id)) { return }
        guard let content = try index.content(of: item.content) else { return }
        if rows[item.id] == nil { order.append(item.id) }
        deleted.remove(item.id)
        rows[item.id] = Row(content: content, isChecked: item.isChecked, depth: item.depth)
    }

    /// The ids of the rows, each once.
    var identifiers: [UntypedID] {
        var seen: Set<UntypedID> = []
        return order.filter { rows[$0] != nil && seen.insert($0).inserted }
    }
}
