// Carries out a batch that the rules allow, cell by cell, as a view does.

import ListModel

struct TablePlayer {
    private let batch: TableBatch

    init(_ batch: TableBatch) {
        self.batch = batch
    }

    /// The headers that are shown then.
    func headers<Header>(_ old: [Header], _ new: [Header]) -> [Header] {
        // For new positions, the view asks the data source.
        var result = new
        for (oldIndex, newIndex) in keptSections(batch.sections, old.count, new.count) {
            result[newIndex] = old[oldIndex]
        }
        for index in batch.sections.reconfigures { result[index] = new[index] }
        return result
    }

    /// The rows that are shown then.
    func rows<Row>(_ old: [[Row]], _ new: [[Row]]) -> [[Row]] {
        var result = new
        let items = batch.items
        var leaving = [Int: Set<Int>]()
        var coming = [Int: Set<Int>]()
        var cells = [ListIndexPath: Row]()
        for path in items.allDeletes { leaving[path.section, default: []].insert(path.item) }
        for path in items.allInserts { coming[path.section, default: []].insert(path.item) }
        for move in items.moves {
            leaving[move.from.section, default: []].insert(move.from.item)
            coming[move.to.section, default: []].insert(move.to.item)
            cells[move.to] = old[move.from.section][move.from.item]
        }
        for (oldIndex, newIndex) in keptSections(batch.sections, old.count, new.count) {
            let (gone, come) = (leaving[oldIndex] ?? [], coming[newIndex] ?? [])
            if gone.isEmpty && come.isEmpty {
                result[newIndex] = old[oldIndex]
                continue
            }
            var staying = old[oldIndex].enumerated().filter { !gone.contains($0.offset) }.map(\.element).makeIterator()
            for row in new[newIndex].indices {
                let path = ListIndexPath(section: newIndex, item: row)
                if let cell = cells[path] {
                    result[newIndex][row] = cell
                } else if !come.contains(row), let cell = staying.next() {
                    result[newIndex][row] = cell
                }
            }
        }
        for path in items.reconfigures { result[path.section][path.item] = new[path.section][path.item] }
        return result
    }
}
