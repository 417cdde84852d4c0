// From two snapshots to a changeset, in three steps: which sections differ, which rows of those differ, which of the
// rows that are in both can stay.
//
// Always holds: a row or section in both snapshots is matched by its id alone. Of several rows with one id, as
// unreadable rows have, one is matched; the others are deleted and inserted.

extension Changeset {
    /// Compares two snapshots of one list.
    ///
    /// - Parameters:
    ///   - old: the snapshot that a view shows now.
    ///   - new: the snapshot that it will show, which may be an older version.
    /// - Complexity: O(k log n) for k rows that differ, because shared nodes are not visited. If the snapshots share
    ///   nothing, O(n log n).
    public init(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        self = SnapshotDifference(from: old, to: new).changes
    }

    /// Where what a changeset updates was before.
    struct Origins {
        /// The section of each updated section in the old snapshot, in the order of the changeset.
        var sections: [Int] = []
        /// The index path of each updated row in the old snapshot, in the order of the changeset.
        var items: [ListIndexPath] = []
    }

    /// As ``init(from:to:)``, and where what it updates was before.
    ///
    /// - Parameter movable: what may move; something else moves only if it has to. Nil to move as few as possible.
    static func withOrigins(
        from old: UntypedSnapshot, to new: UntypedSnapshot, moving movable: Elements? = nil
    ) -> (Changeset, Origins) {
        let difference = SnapshotDifference(from: old, to: new, keepsOrigins: true, moving: movable)
        return (difference.changes, difference.origins)
    }
}

/// A comparison of two snapshots in progress.
private struct SnapshotDifference {
    /// A section that may hold rows that differ.
    struct SectionPair {
        var oldIndex: Int?
        var newIndex: Int?
        var rows: PieceMatches<UntypedRow>
        /// Whether rows are deleted, inserted or moved in it.
        var isRearranged = false
    }

    var changes = Changeset()
    /// Empty unless they are to be kept.
    var origins = Changeset.Origins()
    private let keepsOrigins: Bool
    /// What may move; nil if it does not matter.
    private let movable: Changeset.Elements?
    private var pairs: [SectionPair] = []
    private var sectionMatches: PieceMatches<SectionEntry>?
    /// Reads nodes that are not in memory, for both sides.
    private let oldStore: NodePool
    private let newStore: NodePool

    init(
        from old: UntypedSnapshot, to new: UntypedSnapshot, keepsOrigins: Bool = false,
        moving movable: Changeset.Elements? = nil
    ) {
        (oldStore, newStore) = (old.tree.pool, new.tree.pool)
        (self.keepsOrigins, self.movable) = (keepsOrigins, movable)
        compareSections(old.tree, new.tree)
        matchItems()
        moveSections()
    }

    // MARK: Sections

    /// Compares the sections, and finds those that may hold rows that differ.
    private mutating func compareSections(_ old: PersistentTree<SectionEntry>, _ new: PersistentTree<SectionEntry>) {
        if compareSectionsInStep(old, new) { return }
        let difference = TreeDifference(from: old, to: new, single: movable.map { $0.contains })
        for change in difference.changed { compare(change.old, change.oldOffset, change.new, change.newOffset) }
        var oldByID: [UntypedID: Int] = [:]
        var unmatched: [Int] = []
        for (index, piece) in difference.old.enumerated() {
            guard let section = piece.element else { continue }
            if let other = oldByID.updateValue(index, forKey: section.id) { unmatched.append(other) }
        }
        var matches = PieceMatches(difference)
        for (index, piece) in difference.new.enumerated() {
            guard let section = piece.element else { continue }
            if let match = oldByID.removeValue(forKey: section.id) {
                matches.match(old: match, new: index)
                compare(difference.old[match].element!, difference.old[match].start, section, piece.start)
            } else {
                changes.sections.inserted.append(piece.start)
                addPair(nil, piece.start, from: .empty, to: section.rows)
            }
        }
        for index in (unmatched + oldByID.values).sorted() {
            let piece = difference.old[index]
            changes.sections.deleted.append(piece.start)
            addPair(piece.start, nil, from: piece.element!.rows, to: .empty)
        }
        sectionMatches = matches
        changes.sections.updated.sort(with: &origins.sections)
    }

    /// Compares sections that are the same in both versions, in the same order, in one node in memory. Most lists are
    /// like this after most edits and need no search for shared nodes.
    ///
    /// - Returns: false, with no effect, if the sections are not like this.
    private mutating func compareSectionsInStep(
        _ old: PersistentTree<SectionEntry>, _ new: PersistentTree<SectionEntry>
    ) -> Bool {
        guard let oldNode = old.top.node, let newNode = new.top.node, oldNode.isLeaf, newNode.isLeaf,
            oldNode.count == newNode.count
        else { return false }
        // SAFETY: the trees retain the nodes.
        let (oldSections, newSections) = (oldNode.elements, newNode.elements)
        for index in 0..<oldNode.count where oldSections[index].id != newSections[index].id { return false }
        for index in 0..<oldNode.count where !oldSections[index].isUnchanged(in: newSections[index]) {
            compare(oldSections[index], index, newSections[index], index)
        }
        return true
    }

    /// Chooses which sections move. List views cannot move a section and change its rows in one batch, so among equally
    /// small choices this prefers moved sections whose rows do not change.
    private mutating func moveSections() {
        guard let sectionMatches else { return }
        if let movable {
            changes.sections.moved = sectionMatches.moves(where: movable.contains)
            return
        }
        let rearranged = pairs.filter { $0.isRearranged && $0.oldIndex != nil }.compactMap(\.newIndex).sorted()
        var moves = changes.items.moved.isEmpty ? sectionMatches.moves(keeping: rearranged) : []
        if moves.isEmpty || moves.contains(where: { rearranged.containsSorted($0.to) }) {
            moves = sectionMatches.moves(keeping: [])
        }
        changes.sections.moved = moves
    }

    private mutating func compare(_ old: SectionEntry, _ oldIndex: Int, _ new: SectionEntry, _ newIndex: Int) {
        if !old.hasSameTitle(as: new) {
            changes.sections.updated.append(newIndex)
            if keepsOrigins { origins.sections.append(oldIndex) }
        }
        addPair(oldIndex, newIndex, from: old.rows, to: new.rows)
    }

    private mutating func addPair(
        _ oldIndex: Int?, _ newIndex: Int?, from old: TreeChild<UntypedRow>, to new: TreeChild<UntypedRow>
    ) {
        if old.isSame(as: new) { return }
        let difference = TreeDifference(
            from: PersistentTree(old, oldStore), to: PersistentTree(new, newStore), single: movable.map { $0.contains })
        pairs.append(SectionPair(oldIndex: oldIndex, newIndex: newIndex, rows: PieceMatches(difference)))
    }

    // MARK: Rows

    /// Compares the rows of the sections that differ.
    private mutating func matchItems() {
        var old = OldRows(count: pairs.reduce(0) { $0 + $1.rows.difference.old.count { $0.element != nil } })
        for (index, pair) in pairs.enumerated() {
            for change in pair.rows.difference.changed {
                changes.items.updated.append(ListIndexPath(section: pair.newIndex!, item: change.newOffset))
                if keepsOrigins {
                    origins.items.append(ListIndexPath(section: pair.oldIndex!, item: change.oldOffset))
                }
            }
            for (piece, part) in pair.rows.difference.old.enumerated() {
                guard let item = part.element else { continue }
                old.add(OldRow(pair: UInt32(index), piece: UInt32(piece)), item.id) { self[$0].id }
            }
        }
        for index in pairs.indices {
            for (piece, part) in pairs[index].rows.difference.new.enumerated() {
                guard let item = part.element else { continue }
                let path = ListIndexPath(section: pairs[index].newIndex!, item: part.start)
                guard let row = old.take(item.id, { self[$0].id }) else {
                    changes.items.inserted.append(path)
                    pairs[index].isRearranged = true
                    continue
                }
                if !self[row].isUnchanged(in: item) {
                    changes.items.updated.append(path)
                    if keepsOrigins { origins.items.append(oldPath(row)) }
                }
                if row.pair == index {
                    pairs[index].rows.match(old: Int(row.piece), new: piece)
                } else {
                    changes.items.moved.append(Changeset.Move(from: oldPath(row), to: path))
                    pairs[index].isRearranged = true
                    pairs[Int(row.pair)].isRearranged = true
                }
            }
        }
        for row in old.left {
            changes.items.deleted.append(oldPath(row))
            pairs[Int(row.pair)].isRearranged = true
        }
        for index in pairs.indices {
            let rows = pairs[index].rows
            for move in movable.map({ rows.moves(where: $0.contains) }) ?? rows.moves(keeping: []) {
                pairs[index].isRearranged = true
                changes.items.moved.append(
                    Changeset.Move(
                        from: ListIndexPath(section: pairs[index].oldIndex!, item: move.from),
                        to: ListIndexPath(section: pairs[index].newIndex!, item: move.to)))
            }
        }
        changes.items.deleted.sort()
        changes.items.inserted.sort()
        changes.items.moved = changes.items.moved.ordered { $0.to < $1.to }
        changes.items.updated.sort(with: &origins.items)
    }

    private subscript(_ row: OldRow) -> UntypedRow {
        pairs[Int(row.pair)].rows.difference.old[Int(row.piece)].element!
    }

    private func oldPath(_ row: OldRow) -> ListIndexPath {
        let pair = pairs[Int(row.pair)]
        return ListIndexPath(section: pair.oldIndex!, item: pair.rows.difference.old[Int(row.piece)].start)
    }
}

extension Array where Element: Comparable {
    /// Sorts the elements, and another array with them, unless that is empty.
    fileprivate mutating func sort<Other>(with others: inout [Other]) {
        if others.isEmpty { return sort() }
        let order = indices.sorted { self[$0] < self[$1] }
        self = order.map { self[$0] }
        others = order.map { others[$0] }
    }
}

/// A row of the old snapshot without a partner in step.
private struct OldRow {
    let pair: UInt32
    let piece: UInt32
}

/// The rows of the old snapshot without a partner in step, by their ids. A dictionary would take several times as much memory,
/// because it also has the ids.
private struct OldRows {
    /// The rows in the order in which they were added, and whether each was taken.
    private var rows: [(row: OldRow, isTaken: Bool)] = []
    /// The numbers of the rows, each at the first free slot from the one that its hash says.
    private var slots: [UInt32]
    private static let free = UInt32.max

    init(count: Int) {
        rows.reserveCapacity(count)
        // At most half of them are occupied, so a search ends soon.
        let size = 1 << (Int.bitWidth - max(1, 2 * count - 1).leadingZeroBitCount)
        slots = [UInt32](repeating: OldRows.free, count: size)
    }

    /// The rows that were not taken.
    var left: some Sequence<OldRow> { rows.lazy.filter { !$0.isTaken }.map(\.row) }

    /// Adds a row. One with the same id, which only a damaged snapshot has, is left.
    mutating func add(_ row: OldRow, _ id: UntypedID, _ idOf: (OldRow) -> UntypedID) {
        slots[slot(of: id, idOf)] = UInt32(rows.count)
        rows.append((row, false))
    }

    /// Takes the row of an id, once.
    mutating func take(_ id: UntypedID, _ idOf: (OldRow) -> UntypedID) -> OldRow? {
        let number = slots[slot(of: id, idOf)]
        guard number != OldRows.free, !rows[Int(number)].isTaken else { return nil }
        rows[Int(number)].isTaken = true
        return rows[Int(number)].row
    }

    /// The slot of an id, or the one that it would have.
    private func slot(of id: UntypedID, _ idOf: (OldRow) -> UntypedID) -> Int {
        let mask = slots.count - 1
        var slot = id.hashValue & mask
        while slots[slot] != OldRows.free, idOf(rows[Int(slots[slot])].row) != id { slot = (slot + 1) & mask }
        return slot
    }
}

/// Which pieces of two versions of a tree are the same, and which of those can stay.
private struct PieceMatches<Element: TreeElement> {
    let difference: TreeDifference<Element>
    /// The pieces, old and new, of single elements that are in both versions.
    private var elements: [(old: Int, new: Int)] = []

    init(_ difference: TreeDifference<Element>) {
        self.difference = difference
    }

    mutating func match(old: Int, new: Int) { elements.append((old, new)) }

    /// The offsets, old and new, of every matched element that cannot stay; ascending by the new one.
    ///
    /// As few elements as possible move. Among equal choices, this prefers the one that moves the fewest elements of
    /// `kept`, and then the one with the fewest moves to the same offset, which list views may take for no move.
    ///
    /// - Parameter kept: the new offsets of the elements that should rather stay, ascending.
    func moves(keeping kept: [Int]) -> [Changeset.Move<Int>] { moves { weights($0, keeping: kept) } }

    /// As ``moves(keeping:)``, but what is not movable stays if it can; among such choices, the fewest movable elements move.
    func moves(where isMovable: (Element) -> Bool) -> [Changeset.Move<Int>] {
        moves { matched in
            let areMovable = matched.map { difference.new[$0.new].element.map(isMovable) ?? false }
            let most = areMovable.count { $0 } + 1
            return zip(matched, areMovable).map { match, isMovable in
                let (weight, overflow) = difference.new[match.new].count.multipliedReportingOverflow(by: most)
                // Bounded so that no sum overflows.
                return isMovable ? 1 : overflow ? most : min(weight, Int.max / (matched.count + 1))
            }
        }
    }

    private func moves(_ weights: ([(old: Int, new: Int)]) -> [Int]) -> [Changeset.Move<Int>] {
        // Matched runs are in the same order in both versions, so without other matches all of them stay.
        if elements.isEmpty { return [] }
        let matchedRuns = zip(
            difference.old.indices.lazy.filter { difference.old[$0].element == nil },
            difference.new.indices.lazy.filter { difference.new[$0].element == nil })
        let matched = (elements + matchedRuns.map { (old: $0, new: $1) }).ordered { $0.new < $1.new }
        let stays = IncreasingSubsequence.staying(matched.map(\.old), weights: weights(matched))
        var moves: [Changeset.Move<Int>] = []
        for (index, match) in matched.enumerated() where !stays[index] {
            let old = difference.old[match.old]
            let new = difference.new[match.new]
            for offset in 0..<old.count {
                moves.append(Changeset.Move(from: old.start + offset, to: new.start + offset))
            }
        }
        return moves
    }

    /// The weight of pieces that stay: first their number of elements, then how many of those are in `kept`, then how
    /// many keep their offset.
    private func weights(_ matched: [(old: Int, new: Int)], keeping kept: [Int]) -> [Int] {
        let counts = matched.map { difference.new[$0.new].count }
        let total = counts.reduce(0, +)
        // Bounded so that no sum overflows.
        let (unit, overflow) = (total + 1).multipliedReportingOverflow(by: kept.count + 1)
        if overflow || unit.multipliedReportingOverflow(by: total + 1).overflow { return counts }
        return zip(matched, counts).map { match, count in
            let (old, new) = (difference.old[match.old].start, difference.new[match.new].start)
            let keptCount = kept.countLess(than: new + count) - kept.countLess(than: new)
            return count * unit + keptCount * (total + 1) + (old == new ? count : 0)
        }
    }
}
