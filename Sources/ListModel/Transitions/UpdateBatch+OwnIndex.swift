// Batches in which something moves to its own index are taken apart.
//
// Always holds: no batch that comes out moves a row or a section from an index to the same index, except a row that moves
// between two sections, which is for those to prevent who choose the stages.

extension UpdateBatch {
    /// The batch, or several that lead to the same.
    ///
    /// - Parameter old: what is there before.
    /// - Complexity: O(k) if there is nothing to do; otherwise O(k log n).
    func withoutMovesToOwnIndex(from old: Snapshot) -> [UpdateBatch] {
        if changes.sections.moved.contains(where: { $0.from == $0.to }) { return separatingSections() }
        if changes.items.moved.contains(where: { $0.from == $0.to }) { return separatingItems() }
        return [self]
    }

    /// Whether something moves from an index to the same index.
    var hasMoveToOwnIndex: Bool {
        changes.items.moved.contains { $0.from == $0.to } || changes.sections.moved.contains { $0.from == $0.to }
    }

    /// This batch with the moves of the one before; nil unless that one only moves rows, within sections that stay, and
    /// this one only deletes and inserts others.
    func joining(movesOf other: UpdateBatch) -> UpdateBatch? {
        let (deleted, inserted) = (changes.sections.deleted, changes.sections.inserted)
        var result = Changeset()
        result.sections.deleted = deleted
        result.sections.inserted = inserted
        var moves = Changeset()
        moves.items.moved = other.changes.items.moved
        guard result == changes, moves == other.changes, !result.isEmpty,
            moves.items.moved.allSatisfy({
                $0.from.section == $0.to.section && !deleted.containsSorted($0.to.section)
            })
        else { return nil }
        result.items.moved = moves.items.moved.map { move in
            let section = inserted.complement(move.to.section - deleted.countLess(than: move.to.section))
            return Changeset.Move(from: move.from, to: ListIndexPath(section: section, item: move.to.item))
        }
        return UpdateBatch(changes: result, snapshot: snapshot)
    }

    // MARK: Sections

    private func separatingSections() -> [UpdateBatch] {
        let sections = changes.sections
        let gone = (sections.deleted + sections.moved.map(\.from)).sorted()
        let arrived = (sections.inserted + sections.moved.map(\.to)).sorted()
        let states = WaitingMoves.states(sections.moved, gone: gone, arrived: arrived)
        var first = changes
        let state = states[0]
        let waiting = Set(state.waiting.map(\.to))
        first.sections.inserted = sections.inserted.map { state.index(of: $0) }.sorted()
        first.sections.moved = sections.moved.filter { !waiting.contains($0.to) }
            .map { Changeset.Move(from: $0.from, to: state.index(of: $0.to)) }.sorted { $0.to < $1.to }
        // Rows are inserted only in sections that do not move, or none of which waits.
        first.items.inserted = changes.items.inserted.map {
            ListIndexPath(section: state.index(of: $0.section), item: $0.item)
        }.sorted()
        var result: [UpdateBatch] = []
        append(first, snapshot.movingSections(state.placesBack), to: &result)
        for (index, state) in states.enumerated() {
            let next = index + 1 < states.count ? states[index + 1] : nil
            var changes = Changeset()
            changes.sections.moved = state.moves(to: next)
            append(changes, next.map { snapshot.movingSections($0.placesBack) } ?? snapshot, to: &result)
        }
        return result
    }

    private func append(_ changes: Changeset, _ snapshot: Snapshot, to result: inout [UpdateBatch]) {
        if !changes.isEmpty { result.append(UpdateBatch(changes: changes, snapshot: snapshot)) }
    }

    // MARK: Rows

    /// No section moves in such a batch, so one that has an index before and after it, and no other one in its place, is
    /// the same section.
    private func separatingItems() -> [UpdateBatch] {
        var statesBySection: [Int: [WaitingMoves]] = [:]
        let sources = KeptSections(changes.sections, newCount: snapshot.sectionCount).reduce(into: [Int: Int]()) {
            $0[$1.new] = $1.old
        }
        for section in Set(changes.items.moved.lazy.filter { $0.from == $0.to }.map(\.to.section))
        where sources[section] == section {
            let moves = changes.items.moved.filter { $0.from.section == section && $0.to.section == section }
            statesBySection[section] = WaitingMoves.states(
                moves.map { Changeset.Move(from: $0.from.item, to: $0.to.item) },
                gone: (changes.items.deleted + changes.items.moved.map(\.from)).items(in: section),
                arrived: (changes.items.inserted + changes.items.moved.map(\.to)).items(in: section))
        }
        guard let count = statesBySection.values.map(\.count).max() else { return [self] }
        var result: [UpdateBatch] = []
        append(firstChanges(statesBySection), snapshot(statesBySection, 0), to: &result)
        for index in 0..<count {
            var changes = Changeset()
            for (section, states) in statesBySection where index < states.count {
                let next = index + 1 < states.count ? states[index + 1] : nil
                changes.items.moved += states[index].moves(to: next).map {
                    Changeset.Move(
                        from: ListIndexPath(section: section, item: $0.from),
                        to: ListIndexPath(section: section, item: $0.to))
                }
            }
            changes.items.moved.sort { $0.to < $1.to }
            append(changes, snapshot(statesBySection, index + 1), to: &result)
        }
        return result
    }

    private func firstChanges(_ states: [Int: [WaitingMoves]]) -> Changeset {
        var result = changes
        let waiting = Set(
            states.flatMap { section, states in
                states[0].waiting.map { ListIndexPath(section: section, item: $0.to) }
            })
        func place(_ path: ListIndexPath) -> ListIndexPath {
            states[path.section].map { ListIndexPath(section: path.section, item: $0[0].index(of: path.item)) } ?? path
        }
        result.items.inserted = changes.items.inserted.map(place).sorted()
        result.items.moved = changes.items.moved.filter { !waiting.contains($0.to) }
            .map { Changeset.Move(from: $0.from, to: place($0.to)) }.sorted { $0.to < $1.to }
        return result
    }

    private func snapshot(_ states: [Int: [WaitingMoves]], _ index: Int) -> Snapshot {
        let places = states.compactMapValues { index < $0.count ? $0[index].placesBack : nil }
        return places.isEmpty ? snapshot : snapshot.movingItems(places)
    }
}

extension WaitingMoves {
    /// The moves from this state to the next; nil for the last sequence, in which nothing waits.
    fileprivate func moves(to next: WaitingMoves?) -> [Changeset.Move<Int>] {
        let later = Set(next?.waiting.map(\.to) ?? [])
        return waiting.indices.filter { !later.contains(waiting[$0].to) }.map {
            Changeset.Move(
                from: index(ofWaiting: $0), to: next?.index(of: waiting[$0].to) ?? waiting[$0].to)
        }.sorted { $0.to < $1.to }
    }
}

extension [ListIndexPath] {
    /// The indices of the rows of a section, ascending.
    fileprivate func items(in section: Int) -> [Int] { lazy.filter { $0.section == section }.map(\.item).sorted() }
}
