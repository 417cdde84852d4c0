// The stage that shows an outline: the rows that no collapsed row hides.
//
// It keeps the position of each row of its source, as an arranged stage without keys does, and whether the row is
// visible. A change of the source goes to the arranged rows first; inserted rows are hidden there. The change can hide
// or show other rows only in certain *regions* (`ChangesBySection`): below a row that was inserted, moved, indented,
// collapsed or expanded, and below the former place of a deleted row. In these regions the visible rows, found by
// skipping hidden ones, are compared with those that are shown. Everywhere else nothing changes.
//
// Nothing is looked up by id, so unreadable rows, which all share one id, need no special case.
//
// Always holds: the stage has the sections of the source, each with its visible rows, in their order.

/// The rows of outlines that no ancestor hides.
struct VisibleRows: Sendable {
    var rows: ArrangedRows

    /// The visible rows of a source.
    ///
    /// - Complexity: O(n).
    init(of source: UntypedSnapshot, _ limits: ArrangedRows.Limits) {
        rows = ArrangedRows(outlineWith: limits)
        rows.fill(from: source)
    }

    /// Follows the source from one snapshot to another.
    ///
    /// - Parameters:
    ///   - old: the snapshot whose visible rows the stage shows now.
    ///   - new: the snapshot whose visible rows it will show.
    ///   - changes: the changeset from `old` to `new`.
    /// - Complexity: O(log n) for each row that differs in the source, appears or disappears, and for each visible row
    ///   that has another parent. If those are more than a quarter of all, the stage is rebuilt.
    mutating func advance(from old: UntypedSnapshot, to new: UntypedSnapshot, _ changes: Changeset) throws(QueryError) {
        if changes.isEmpty { return }
        if rows.isWorthRebuilding(changes, max(old.itemCount, new.itemCount)) { return rebuild(new) }
        // An outline calls no function of the app, so this cannot throw.
        try rows.advance(from: old, to: new, changes, stage: 0)
        let changed = ChangesBySection(changes, from: old, to: new)
        var count = 0
        for index in Array(changed.sections).sorted() {
            let outline = new.sections[index].outline
            for region in changed.regions(inSection: index) {
                var wanted: [Int] = []
                var visible = outline.visibleRows(from: region.lowerBound)
                while let row = visible.next(), row < region.upperBound {
                    wanted.append(row)
                    count += 1
                    if rows.isWorthRebuilding(count, new.itemCount) { return rebuild(new) }
                }
                rows.show(wanted, of: region, of: outline, inSection: index)
            }
        }
    }

    private mutating func rebuild(_ source: UntypedSnapshot) { self = VisibleRows(of: source, rows.limits) }

    /// Checks the invariants. For tests.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n log n).
    func checkInvariants(_ source: UntypedSnapshot) throws {
        try rows.checkInvariants(source)
        for (index, section) in source.sections.enumerated() {
            let shown = rows.sources[index].slots(rows.pool).elements(in: 0..<section.items.count).map(\.isShown)
            let visible = Set(section.outline.visibleRows)
            try InvariantViolation.check(
                shown == section.items.indices.map(visible.contains), "other rows of \(section.id) than are visible")
        }
    }
}

extension ArrangedRows {
    /// Shows exactly these rows of a run of the source. Rows that are shown already do not change.
    ///
    /// - Parameters:
    ///   - wanted: the rows, ascending.
    ///   - region: the run.
    /// - Complexity: O(log n) for each row that is wanted or was shown.
    fileprivate mutating func show(
        _ wanted: [Int], of region: Range<Int>, of outline: SectionOutline, inSection index: Int
    ) {
        let (pool, source) = (pool, sources[index])
        let slots = source.slots(pool)
        let place = section(ofNumber: source.number).index
        let ranks = ranked[place].ranks(pool)
        let labels = (first: slots[region.lowerBound].label, last: slots[region.upperBound - 1].label)
        let start = ranks.partitionPoint { $0.label < labels.first }
        let end = ranks.partitionPoint { $0.label <= labels.last }
        let shown = ranks.elements(in: start..<end).map(\.label)
        let wantedLabels = wanted.map { slots[$0].label }
        // Backwards, so that the remaining positions stay valid.
        var (left, right) = (shown.count, wanted.count)
        while left > 0 || right > 0 {
            if left > 0 && right > 0 && shown[left - 1] == wantedLabels[right - 1] {
                (left, right) = (left - 1, right - 1)
                continue
            }
            let (leftEnd, rightEnd) = (left, right)
            while left > 0 && (right == 0 || shown[left - 1] > wantedLabels[right - 1]) { left -= 1 }
            hide(start + left..<start + leftEnd, inSection: place, source: index)
            while right > 0 && (left == 0 || shown[left - 1] < wantedLabels[right - 1]) { right -= 1 }
            let coming = wanted[right..<rightEnd]
            show(coming.map { (row: $0, item: outline.items[$0]) }, at: start + left, inSection: place, source: index)
        }
    }

    private mutating func hide(_ range: Range<Int>, inSection place: Int, source index: Int) {
        if range.isEmpty { return }
        let pool = pool
        var labels: [UInt64] = []
        ranked.update(place) { section in
            section.editRanks(pool) { ranks in
                labels = ranks.elements(in: range).map(\.label)
                ranks.remove(range)
            }
        }
        rows.update(place) { section in section.editItems(pool) { $0.remove(range) } }
        itemCount -= range.count
        sources.update(index) { section in
            section.editSlots(pool) { slots in
                for label in labels {
                    slots.update(slots.partitionPoint { $0.label < label }) { $0.isFound = false }
                }
            }
        }
    }

    private mutating func show(
        _ coming: [(row: Int, item: UntypedRow)], at offset: Int, inSection place: Int, source index: Int
    ) {
        if coming.isEmpty { return }
        let pool = pool
        var ranks: [RowRank] = []
        sources.update(index) { section in
            let number = section.number
            section.editSlots(pool) { slots in
                for (row, _) in coming {
                    slots.update(row) { slot in
                        slot.isFound = true
                        ranks.append(RowRank(label: slot.label, section: number, key: RowKey.plain))
                    }
                }
            }
        }
        ranked.update(place) { section in section.editRanks(pool) { $0.insert(ranks, at: offset) } }
        rows.update(place) { section in section.editItems(pool) { $0.insert(coming.map(\.item), at: offset) } }
        itemCount += coming.count
    }
}
