// The calls of one batch, in the order in which a list view uses them.
//
// A reload counts as a deletion at its old and an insertion at its new position. The new position is computed only from
// the deletions and insertions of the batch; moves are ignored. Real views do the same, so a reload beside a move often
// reloads the wrong row.

import ListModel

/// The calls of one batch.
struct TableBatch: Sendable {
    /// The calls for rows, or those for sections.
    struct Calls<Position: Hashable & Comparable & Sendable>: Sendable {
        var deletes: [Position] = []
        var inserts: [Position] = []
        var reloads: [Position] = []
        var moves: [Changeset.Move<Position>] = []
        var reconfigures: [Position] = []
        /// The positions at which reloads are inserted again.
        var reloadTargets: [Position] = []

        /// All deletions, including those of reloads.
        var allDeletes: [Position] { deletes + reloads }
        var allInserts: [Position] { inserts + reloadTargets }
        var hasStructure: Bool { !(deletes.isEmpty && inserts.isEmpty && reloads.isEmpty && moves.isEmpty) }
    }

    private(set) var sections = Calls<Int>()
    private(set) var items = Calls<ListIndexPath>()

    init(_ operations: [TableOperation]) {
        for operation in operations {
            switch operation {
            case .deleteItem(let path): items.deletes.append(path)
            case .insertItem(let path): items.inserts.append(path)
            case .moveItem(let from, let to): items.moves.append(Changeset.Move(from: from, to: to))
            case .reloadItem(let path): items.reloads.append(path)
            case .deleteSection(let index): sections.deletes.append(index)
            case .insertSection(let index): sections.inserts.append(index)
            case .moveSection(let from, let to): sections.moves.append(Changeset.Move(from: from, to: to))
            case .reloadSection(let index): sections.reloads.append(index)
            case .reconfigureItem(let path): items.reconfigures.append(path)
            case .reconfigureHeader(let index): sections.reconfigures.append(index)
            }
        }
        for index in sections.reloads {
            sections.reloadTargets.append(Self.target(index, sections.deletes, sections.inserts))
        }
        for path in items.reloads { items.reloadTargets.append(target(path)) }
    }

    /// The position at which the reload of a row is inserted again.
    private func target(_ path: ListIndexPath) -> ListIndexPath {
        let section = Self.target(path.section, sections.deletes, sections.inserts)
        let deletes = items.deletes.filter { $0.section == path.section }.map(\.item)
        let inserts = items.inserts.filter { $0.section == section }.map(\.item)
        return ListIndexPath(section: section, item: Self.target(path.item, deletes, inserts))
    }

    /// The position at which a reload is inserted again.
    private static func target(_ index: Int, _ deletes: [Int], _ inserts: [Int]) -> Int {
        var target = index
        for deleted in deletes.sorted(by: >) where deleted <= target { target -= 1 }
        for inserted in inserts.sorted() where inserted <= target { target += 1 }
        return target
    }
}
