// Order labels for new rows and sections of the source.

extension ArrangedRows {
    /// Puts the slots of new rows into a section of the source.
    ///
    /// - Parameters:
    ///   - slots: the slots of the rows; this function sets their labels.
    ///   - path: where the first of them is.
    /// - Complexity: O(k log n) amortised for k rows.
    mutating func insertSlots(_ slots: inout [SourceRow], at path: ListIndexPath) {
        let tree = sources[path.section].slots(pool)
        let left = path.item > 0 ? tree[path.item - 1].label : nil
        let right = path.item < tree.count ? tree[path.item].label : nil
        if let run = space.between(left, right, count: slots.count) {
            for index in slots.indices { slots[index].label = run[index] }
        } else {
            let room = space.room(for: slots.count, at: path.item, count: tree.count) { tree[$0].label }
            let first = path.item - room.range.lowerBound
            for index in slots.indices { slots[index].label = room.run[first + index] }
            relabel(room, in: path, added: slots.count)
        }
        let pool = pool
        sources.update(path.section) { section in
            section.editSlots(pool) { tree in
                for (index, slot) in slots.enumerated() { tree.insert(slot, at: path.item + index) }
            }
        }
    }

    /// Gives rows of a section of the source new labels, in the same order.
    private mutating func relabel(_ room: LabelSpace.Relabelling, in path: ListIndexPath, added: Int) {
        let source = sources[path.section]
        let label = { (offset: Int) in
            room.run[offset - room.range.lowerBound + (offset < path.item ? 0 : added)]
        }
        // Ranks are found by their labels, so all are found before the first label changes.
        var shown: [(path: ListIndexPath, label: UInt64)] = []
        var offset = room.range.lowerBound
        source.slots(pool).forEach(in: room.range) { slot in
            if let rank = slot.rank(source.number) { shown.append((position(of: rank), label(offset))) }
            offset += 1
        }
        let pool = pool
        sources.update(path.section) { section in
            section.editSlots(pool) { tree in
                for offset in room.range { tree.update(offset) { $0.label = label(offset) } }
            }
        }
        for (path, label) in shown {
            ranked.update(path.section) { section in
                section.editRanks(pool) { $0.update(path.item) { $0.label = label } }
            }
        }
    }

    /// Gives a new section of the source a label for its position.
    ///
    /// - Complexity: O(log s) amortised for s sections.
    mutating func labelSection(_ number: UInt32, at index: Int) {
        let left = index > 0 ? order.sectionLabels[Int(sources[index - 1].number)] : nil
        let right = index < sources.count ? order.sectionLabels[Int(sources[index].number)] : nil
        if let run = space.between(left, right, count: 1) {
            order.sectionLabels[Int(number)] = run.first
            return
        }
        let room = space.room(for: 1, at: index, count: sources.count) { order.sectionLabels[Int(sources[$0].number)] }
        order.sectionLabels[Int(number)] = room.run[index - room.range.lowerBound]
        for other in room.range {
            let label = room.run[other - room.range.lowerBound + (other < index ? 0 : 1)]
            order.sectionLabels[Int(sources[other].number)] = label
        }
    }

    /// The number of a new section of the source.
    mutating func makeNumber() -> UInt32 {
        if let number = freeNumbers.popLast() { return number }
        order.sectionLabels.append(0)
        return UInt32(order.sectionLabels.count - 1)
    }
}
