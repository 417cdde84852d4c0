// Follows sections of the source that are inserted, deleted, moved or renamed.
//
// If the view has the sections of its source, a section moves with all its rows at once. Otherwise the rows of a moved
// section change places one by one, among rows of equal keys.

extension ArrangedRows {
    /// A section that was removed to be inserted elsewhere.
    private struct Taken {
        var source: SourceSection
        /// The section of the view that it is, if there is one.
        var section: (ranked: RankedSection, entry: SectionEntry)?
        /// Its rows in the view, if the view has sections of its own.
        var rows: [(rank: RowRank, item: UntypedRow)] = []
    }

    /// Applies the changes of sections. Rows that leave a section must have been removed before.
    mutating func changeSections(_ changes: Changeset.Changes<Int>, _ new: UntypedSnapshot) {
        if changes.isEmpty { return }
        var taken: [Int: Taken] = [:]
        let movedFrom = Set(changes.moved.map(\.from))
        for index in (changes.deleted + changes.moved.map(\.from)).sorted().reversed() {
            if movedFrom.contains(index) { taken[index] = take(index) } else { deleteSource(index) }
        }
        let movedTo = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0.from) })
        for index in (changes.inserted + changes.moved.map(\.to)).sorted() {
            if let from = movedTo[index], let section = taken[from] {
                put(section, at: index)
            } else {
                insertSource(new.sections[index], at: index)
            }
        }
        for index in changes.updated { rename(index, to: new.sections[index].title) }
    }

    private var hasSectionsOfSource: Bool {
        if case .source = arrangement.sections { return true }
        return false
    }

    private mutating func deleteSource(_ index: Int) {
        let number = sources[index].number
        if hasSectionsOfSource {
            let (place, exists) = section(ofNumber: number)
            if exists { removeSection(at: place) }
        }
        sources.remove(at: index)
        freeNumbers.append(number)
    }

    private mutating func insertSource(_ section: UntypedSection, at index: Int) {
        let number = makeNumber()
        labelSection(number, at: index)
        let group = QueryGroup(id: section.id, title: section.title, order: .absent)
        sources.insert(SourceSection(number: number, group: group), at: index)
        if hasSectionsOfSource && !arrangement.hidesEmptySections {
            insertSection(group, number: number, at: self.section(ofNumber: number).index)
        }
    }

    private mutating func take(_ index: Int) -> Taken {
        var taken = Taken(source: sources[index])
        let number = taken.source.number
        if hasSectionsOfSource {
            let (place, exists) = section(ofNumber: number)
            if exists { taken.section = (ranked.remove(at: place), rows.remove(at: place)) }
        } else {
            var ranks: [RowRank] = []
            taken.source.slots(pool).forEach(in: 0..<Int(taken.source.slots.count)) { slot in
                if let rank = slot.rank(number) { ranks.append(rank) }
            }
            taken.rows = ranks.map { ($0, hide($0)) }
        }
        sources.remove(at: index)
        return taken
    }

    private mutating func put(_ taken: Taken, at index: Int) {
        let number = taken.source.number
        labelSection(number, at: index)
        sources.insert(taken.source, at: index)
        if let section = taken.section {
            let place = self.section(ofNumber: number).index
            ranked.insert(section.ranked, at: place)
            rows.insert(section.entry, at: place)
        }
        for (rank, item) in taken.rows { show(item, rank, in: taken.source.group) }
    }

    private mutating func rename(_ index: Int, to title: String) {
        var source: SourceSection?
        sources.update(index) { section in
            section.group = QueryGroup(id: section.group.id, title: title, order: .absent)
            source = section
        }
        guard hasSectionsOfSource, let source else { return }
        let (place, exists) = section(ofNumber: source.number)
        guard exists else { return }
        ranked.update(place) { $0.group = source.group }
        rows.update(place) { $0.rename(to: title) }
    }
}
