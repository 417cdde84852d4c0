// Which rows of the new source a changeset may have hidden or shown, by section.
//
// Rows that neither go, come nor move keep their order: the n-th of them in the old section is the n-th in the new one. So
// a place in one leads to a place in the other by counting.

/// A changeset by sections, with what leads from places before it to places after it.
struct SourceSteps {
    private struct Section {
        var oldIndex: Int?
        /// Rows of the old section that are not in the new one, ascending.
        var removed: [Int] = []
        /// Rows of the new section that were not in the old one, ascending.
        var added: [Int] = []
        /// Rows of the new section that changed in themselves.
        var updated: [Int] = []
    }

    private let old: Snapshot
    private let new: Snapshot
    private var steps: [Int: Section] = [:]

    /// The sections of the new source in which something happened to rows.
    var sections: some Sequence<Int> { steps.keys }

    init(_ changes: Changeset, from old: Snapshot, to new: Snapshot) {
        self.old = old
        self.new = new
        let items = changes.items
        for path in items.inserted + items.moved.map(\.to) {
            steps[path.section, default: Section()].added.append(path.item)
        }
        for path in items.updated { steps[path.section, default: Section()].updated.append(path.item) }
        var newIndices: [Identifier: Int] = [:]
        for (index, section) in new.sections.enumerated() { newIndices[section.id] = index }
        var oldIndices: [Int: Int] = [:]
        for (index, section) in old.sections.enumerated() {
            if let newIndex = newIndices[section.id] { oldIndices[index] = newIndex }
        }
        for path in items.deleted + items.moved.map(\.from) {
            guard let index = oldIndices[path.section] else { continue }
            steps[index, default: Section()].removed.append(path.item)
        }
        for (oldIndex, newIndex) in oldIndices { steps[newIndex]?.oldIndex = oldIndex }
        for index in steps.keys {
            steps[index]!.added.sort()
            steps[index]!.removed.sort()
        }
    }

    /// The runs of rows that may have been hidden or shown, and the rows that changed; ascending and apart.
    func regions(inSection index: Int) -> [Range<Int>] {
        guard let step = steps[index] else { return [] }
        let outline = new.sections[index].outline
        var regions = step.added.map { outline.subtree(of: $0) }
        let before = step.oldIndex.map { old.sections[$0].outline }
        for row in step.updated {
            let rank = row - SourceSteps.count(of: step.added) { $0 < row }
            // A row that moved besides is among those that were added.
            guard let before, step.added.binarySearch(row) == nil else { continue }
            let was = before.items[SourceSteps.place(rank, among: step.removed)]
            let item = outline.items[row]
            if was.outline == item.outline {
                regions.append(row..<row + 1)
            } else {
                regions.append(row..<end(of: outline, from: row + 1, min(was.depth, item.depth)))
            }
        }
        if let before {
            for (number, row) in step.removed.enumerated() {
                let place = SourceSteps.place(row - number, among: step.added)
                regions.append(place..<end(of: outline, from: place, before.items[row].depth))
            }
        }
        return SourceSteps.merged(regions)
    }

    private func end(of outline: SectionOutline, from row: Int, _ depth: Int) -> Int {
        outline.tree.firstOffset(from: row, notDeeperThan: depth) ?? outline.tree.count
    }

    /// The place of the n-th row that is not among the given ones, which ascend.
    private static func place(_ rank: Int, among others: [Int]) -> Int {
        var low = 0
        var high = others.count
        while low < high {
            let middle = (low + high) / 2
            if others[middle] - middle <= rank { low = middle + 1 } else { high = middle }
        }
        return rank + low
    }

    /// How many of ascending numbers come first that fulfil a condition.
    private static func count(of numbers: [Int], _ condition: (Int) -> Bool) -> Int {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if condition(numbers[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func merged(_ regions: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for region in regions.sorted(by: { $0.lowerBound < $1.lowerBound }) where !region.isEmpty {
            if let last = result.last, region.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, region.upperBound)
            } else {
                result.append(region)
            }
        }
        return result
    }
}

extension [Int] {
    /// The index of a number among ascending ones.
    fileprivate func binarySearch(_ number: Int) -> Int? {
        var range = indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if self[middle] == number { return middle }
            range = self[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
