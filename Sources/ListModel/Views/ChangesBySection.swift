// The rows of the new source that a changeset may have hidden or shown, by section.
//
// Rows that are not deleted, inserted or moved keep their order: the n-th of them in the old section is the n-th in the
// new one. So positions in one are mapped to positions in the other by counting; the same holds for sections.

/// A changeset by sections, with maps from positions before it to positions after it.
struct ChangesBySection {
    private struct Section {
        var oldIndex: Int?
        /// Rows of the old section that are not in the new one, ascending.
        var removed: [Int] = []
        /// Rows of the new section that were not in the old one, ascending.
        var added: [Int] = []
        /// Rows of the new section that were updated.
        var updated: [Int] = []
    }

    private let old: UntypedSnapshot
    private let new: UntypedSnapshot
    private var changes: [Int: Section] = [:]

    /// The sections of the new source with changed rows.
    var sections: some Sequence<Int> { changes.keys }

    /// - Complexity: O(k log k) for k changes.
    init(_ changeset: Changeset, from old: UntypedSnapshot, to new: UntypedSnapshot) {
        self.old = old
        self.new = new
        let items = changeset.items
        let places = SectionPlaces(changeset.sections)
        for path in items.inserted + items.moved.map(\.to) {
            changes[path.section, default: Section()].added.append(path.item)
        }
        for path in items.updated { changes[path.section, default: Section()].updated.append(path.item) }
        for path in items.deleted + items.moved.map(\.from) {
            guard let index = places.newIndex(ofOld: path.section) else { continue }
            changes[index, default: Section()].removed.append(path.item)
        }
        for index in changes.keys {
            changes[index]!.oldIndex = places.oldIndex(ofNew: index)
            changes[index]!.added = changes[index]!.added.sorted()
            changes[index]!.removed = changes[index]!.removed.sorted()
        }
    }

    /// The runs of rows that may have been hidden or shown; ascending and disjoint.
    func regions(inSection index: Int) -> [Range<Int>] {
        guard let change = changes[index] else { return [] }
        let outline = new.sections[index].outline
        // A section that cannot be read has no rows. Then the owner of the view rebuilds it.
        guard max(change.added.last ?? -1, change.updated.last ?? -1) < outline.tree.count else { return [] }
        var regions: [Range<Int>] = []
        for row in change.added where row >= regions.last?.upperBound ?? 0 { regions.append(outline.subtree(of: row)) }
        guard let before = change.oldIndex.map({ old.sections[$0].outline }) else { return regions }
        let stayed = outline.tree.count - change.added.count
        guard before.tree.count - change.removed.count == stayed else { return [] }
        for row in change.updated {
            let rank = row - change.added.countLess(than: row)
            // A row that also moved is among the added rows.
            if change.added.containsSorted(row) { continue }
            let was = before.items[change.removed.complement(rank)]
            let item = outline.items[row]
            if was.outline == item.outline { continue }
            // With another depth the row may have another parent.
            let first = was.depth == item.depth ? row + 1 : row
            regions.append(first..<end(of: outline, from: row + 1, min(was.depth, item.depth)))
        }
        for (number, row) in change.removed.enumerated() {
            let place = change.added.complement(row - number)
            regions.append(place..<end(of: outline, from: place, before.items[row].depth))
        }
        return ChangesBySection.merged(regions)
    }

    private func end(of outline: SectionOutline, from row: Int, _ depth: Int) -> Int {
        outline.tree.firstOffset(from: row, notDeeperThan: depth) ?? max(row, outline.tree.count)
    }

    private static func merged(_ regions: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for region in regions.ordered(by: { $0.lowerBound < $1.lowerBound }) where !region.isEmpty {
            if let last = result.last, region.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, region.upperBound)
            } else {
                result.append(region)
            }
        }
        return result
    }
}
