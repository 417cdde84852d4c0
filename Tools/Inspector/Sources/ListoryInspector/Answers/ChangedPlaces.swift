// The entries of a changeset, each with its place before and after.
//
// A changeset says of an updated row only where it is afterwards. Rows that stay keep their order, so the place before
// follows from the numbers of rows that left and arrived above it.
//
// Always holds: the order is that of `listory diff`.

import ListModel

/// The changes between two snapshots with their places.
struct ChangedPlaces {
    /// What is changed, with its place before and after.
    enum Subject {
        case section(Int?, Int?)
        case row(ListIndexPath?, ListIndexPath?)
    }

    /// A change.
    struct Change {
        let kind: String
        let subject: Subject
    }

    /// All changes.
    private(set) var all: [Change] = []

    /// - Complexity: O(k log k) for k changes.
    init(_ changeset: Changeset) {
        let (sections, items) = (changeset.sections, changeset.items)
        let order = Order(sections)
        var rows: [Int: Order] = [:]
        func add(_ kind: String, _ subject: Subject) { all.append(Change(kind: kind, subject: subject)) }
        sections.deleted.forEach { add("deleted", .section($0, nil)) }
        sections.inserted.forEach { add("inserted", .section(nil, $0)) }
        sections.moved.forEach { add("moved", .section($0.from, $0.to)) }
        sections.updated.forEach { add("updated", .section(order.before($0), $0)) }

        items.deleted.forEach { add("deleted", .row($0, nil)) }
        items.inserted.forEach { add("inserted", .row(nil, $0)) }
        items.moved.forEach { add("moved", .row($0.from, $0.to)) }
        let moves = Dictionary(items.moved.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
        let gone = Dictionary(grouping: items.deleted + items.moved.map(\.from), by: \.section)
        let arrived = Dictionary(grouping: items.inserted + items.moved.map(\.to), by: \.section)
        for path in items.updated {
            if let from = moves[path] {
                add("updated", .row(from, path))
                continue
            }
            let section = order.before(path.section)
            let inSection =
                rows[path.section]
                ?? Order(gone: gone[section]?.map(\.item) ?? [], arrived: arrived[path.section]?.map(\.item) ?? [])
            rows[path.section] = inSection
            let before = ListIndexPath(section: section, item: inSection.before(path.item))
            add("updated", .row(before, path))
        }
    }

    /// The positions before of those that stay.
    private struct Order {
        /// Positions before, and after, both ascending.
        let gone, arrived: [Int]
        private var moves: [Int: Int] = [:]

        init(gone: [Int], arrived: [Int]) { (self.gone, self.arrived) = (gone.sorted(), arrived.sorted()) }

        init(_ changes: Changeset.Changes<Int>) {
            self.init(
                gone: changes.deleted + changes.moved.map(\.from), arrived: changes.inserted + changes.moved.map(\.to))
            moves = Dictionary(changes.moved.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
        }

        /// The position before of what is at a position after.
        func before(_ position: Int) -> Int {
            if let from = moves[position] { return from }
            // Its rank among those that stay.
            let rank = position - arrived.firstCount { $0 < position }
            // As many have left above it as there are before the first gap in which the rank fits.
            return rank + gone.indices.firstCount { gone[$0] - $0 <= rank }
        }
    }
}

extension RandomAccessCollection {
    /// How many elements, from the first on, fulfil a condition that no element after another one fulfils again.
    fileprivate func firstCount(where fulfils: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if fulfils(self[index(startIndex, offsetBy: middle)]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
