// From two snapshots to a changeset, in three steps: which sections differ, which rows of those differ, which of the
// rows that are in both can stay.
//
// Always holds: a row or section that both snapshots have is matched by its id and by nothing else.

extension Changeset {
    /// What differs between two snapshots of one list.
    ///
    /// - Parameters:
    ///   - old: the snapshot that a view shows now.
    ///   - new: the snapshot it is to show. It may as well be the older version.
    /// - Complexity: O(k log n) for k rows that differ: what both share is not visited. If they share nothing, O(n log n).
    public init(from old: Snapshot, to new: Snapshot) {
        var difference = SnapshotDifference()
        difference.compareSections(old.tree, new.tree)
        difference.matchItems()
        self = difference.changes
    }
}

/// A comparison of two snapshots while it is made.
private struct SnapshotDifference {
    /// A section that may hold rows that differ.
    struct SectionPair {
        var oldIndex: Int?
        var newIndex: Int?
        var pieces: TreeDifference<ListItem>
    }

    /// A row of the old snapshot that is not in a shared subtree.
    struct OldItem {
        var pair: Int
        var piece: Int
        var item: ListItem
    }

    var changes = Changeset()
    private var pairs: [SectionPair] = []

    // MARK: Sections

    /// Notes what happened to the sections, and which of them may hold rows that differ.
    mutating func compareSections(_ old: PersistentTree<SectionEntry>, _ new: PersistentTree<SectionEntry>) {
        let difference = TreeDifference(from: old, to: new)
        for (old, new) in difference.paired { compare(old, new) }
        var oldByID: [Identifier: Int] = [:]
        for (index, piece) in difference.old.enumerated() {
            if case .element(let section) = piece.kind { oldByID[section.id] = index }
        }
        var matches = PieceMatches(difference)
        for (index, piece) in difference.new.enumerated() {
            guard case .element(let section) = piece.kind else { continue }
            if let match = oldByID.removeValue(forKey: section.id) {
                matches.match(old: match, new: index)
                compare(difference.old[match], piece)
            } else {
                changes.sections.inserted.append(piece.start)
                addPair(nil, piece.start, from: PersistentTree(limits: new.limits), to: section.items)
            }
        }
        for index in oldByID.values.sorted() {
            guard case .element(let section) = difference.old[index].kind else { continue }
            changes.sections.deleted.append(difference.old[index].start)
            addPair(difference.old[index].start, nil, from: section.items, to: PersistentTree(limits: old.limits))
        }
        matches.forEachMoved { oldIndex, newIndex in
            changes.sections.moved.append(Changeset.Move(from: oldIndex, to: newIndex))
        }
        changes.sections.updated.sort()
    }

    private mutating func compare(_ old: TreePiece<SectionEntry>, _ new: TreePiece<SectionEntry>) {
        guard case .element(let oldSection) = old.kind, case .element(let newSection) = new.kind else { return }
        if !oldSection.title.utf8.elementsEqual(newSection.title.utf8) { changes.sections.updated.append(new.start) }
        addPair(old.start, new.start, from: oldSection.items, to: newSection.items)
    }

    private mutating func addPair(
        _ oldIndex: Int?, _ newIndex: Int?, from old: PersistentTree<ListItem>, to new: PersistentTree<ListItem>
    ) {
        if old.root === new.root { return }
        pairs.append(SectionPair(oldIndex: oldIndex, newIndex: newIndex, pieces: TreeDifference(from: old, to: new)))
    }

    // MARK: Rows

    /// Notes what happened to the rows of the sections that differ.
    mutating func matchItems() {
        var oldByID: [Identifier: OldItem] = [:]
        var matches = pairs.map { PieceMatches($0.pieces) }
        for (index, pair) in pairs.enumerated() {
            for (old, new) in pair.pieces.paired {
                guard case .element(let oldItem) = old.kind, case .element(let newItem) = new.kind else { continue }
                noteUpdate(oldItem, newItem, at: ListIndexPath(section: pair.newIndex!, item: new.start))
            }
            for (piece, part) in pair.pieces.old.enumerated() {
                guard case .element(let item) = part.kind else { continue }
                oldByID[item.id] = OldItem(pair: index, piece: piece, item: item)
            }
        }
        for (index, pair) in pairs.enumerated() {
            for (piece, part) in pair.pieces.new.enumerated() {
                guard case .element(let item) = part.kind else { continue }
                let path = ListIndexPath(section: pair.newIndex!, item: part.start)
                guard let old = oldByID.removeValue(forKey: item.id) else {
                    changes.items.inserted.append(path)
                    continue
                }
                noteUpdate(old.item, item, at: path)
                if old.pair == index {
                    matches[index].match(old: old.piece, new: piece)
                } else {
                    let oldPair = pairs[old.pair]
                    let source = ListIndexPath(
                        section: oldPair.oldIndex!, item: oldPair.pieces.old[old.piece].start)
                    changes.items.moved.append(Changeset.Move(from: source, to: path))
                }
            }
        }
        for old in oldByID.values {
            let pair = pairs[old.pair]
            changes.items.deleted.append(
                ListIndexPath(section: pair.oldIndex!, item: pair.pieces.old[old.piece].start))
        }
        for (pair, matches) in zip(pairs, matches) {
            matches.forEachMoved { old, new in
                changes.items.moved.append(Changeset.Move(
                    from: ListIndexPath(section: pair.oldIndex!, item: old),
                    to: ListIndexPath(section: pair.newIndex!, item: new)))
            }
        }
        changes.items.deleted.sort()
        changes.items.inserted.sort()
        changes.items.moved.sort { $0.to < $1.to }
        changes.items.updated.sort()
    }

    private mutating func noteUpdate(_ old: ListItem, _ new: ListItem, at path: ListIndexPath) {
        if !old.hasSameState(as: new) { changes.items.updated.append(path) }
    }
}

/// Which pieces of two versions of a tree belong together, and which of those can stay.
private struct PieceMatches<Element: TreeElement> {
    private let difference: TreeDifference<Element>
    /// For each piece of the new version, the piece of the old one that it was.
    private var oldPiece: [Int?]

    init(_ difference: TreeDifference<Element>) {
        self.difference = difference
        oldPiece = Array(repeating: nil, count: difference.new.count)
        var shared: [ObjectIdentifier: Int] = [:]
        for (index, piece) in difference.old.enumerated() {
            if case .shared(let node) = piece.kind { shared[ObjectIdentifier(node)] = index }
        }
        if shared.isEmpty { return }
        for (index, piece) in difference.new.enumerated() {
            if case .shared(let node) = piece.kind { oldPiece[index] = shared[ObjectIdentifier(node)] }
        }
    }

    mutating func match(old: Int, new: Int) { oldPiece[new] = old }

    /// Calls `body` with the offsets, old and new, of every matched element that cannot stay; ascending by the new one.
    func forEachMoved(_ body: (Int, Int) -> Void) {
        let matched = oldPiece.indices.filter { oldPiece[$0] != nil }
        let byOld = matched.indices.sorted { oldPiece[matched[$0]]! < oldPiece[matched[$1]]! }
        var ranks = [Int](repeating: 0, count: matched.count)
        for (rank, index) in byOld.enumerated() { ranks[index] = rank }
        let weights = matched.map { difference.new[$0].count }
        var stays = [Bool](repeating: false, count: matched.count)
        for index in IncreasingSubsequence.heaviest(ranks: ranks, weights: weights) { stays[index] = true }
        for (index, new) in matched.enumerated() where !stays[index] {
            let old = difference.old[oldPiece[new]!]
            for offset in 0..<old.count { body(old.start + offset, difference.new[new].start + offset) }
        }
    }
}
