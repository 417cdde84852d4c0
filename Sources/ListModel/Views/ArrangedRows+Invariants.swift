// Checks the invariants of an arranged stage. For tests.

extension ArrangedRows {
    /// A row that should be in the view.
    private struct ShownRow {
        var item: UntypedRow
        var label: UInt64
        var section: UInt32
    }

    /// Checks slots, ranks and rows against each other and against the source.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n log n).
    func checkInvariants(_ source: UntypedSnapshot) throws {
        try InvariantViolation.check(sources.count == source.sectionCount, "slots of other sections than there are")
        var shown: [UntypedID: ShownRow] = [:]
        var lastSection: UInt64 = 0
        for (index, section) in source.sections.enumerated() {
            let slots = sources[index]
            try InvariantViolation.check(slots.group.id == section.id, "slots of another section than \(section.id)")
            let label = order.sectionLabels[Int(slots.number)]
            try InvariantViolation.check(label > lastSection && label < space.maximum, "a section label is wrong")
            lastSection = label
            try InvariantViolation.check(Int(slots.slots.count) == section.items.count, "slots of other rows")
            var last: UInt64 = 0
            for (item, slot) in zip(section.items, slots.slots(pool).elements(in: 0..<section.items.count)) {
                try InvariantViolation.check(slot.label > last && slot.label < space.maximum, "a label is wrong")
                last = slot.label
                if slot.isShown { shown[item.id] = ShownRow(item: item, label: slot.label, section: slots.number) }
            }
        }
        try InvariantViolation.check(ranked.count == rows.count, "ranks of other sections than there are")
        for index in rows.indices { try checkSection(index, &shown) }
        try InvariantViolation.check(shown.isEmpty, "\(shown.count) rows are not in the view")
        if case .groups = arrangement.sections {
            let ids = rows.elements(in: rows.indices).map(\.id)
            try InvariantViolation.check(Set(ids) == Set(groups.keys), "other groups than sections")
        }
    }

    private func checkSection(_ index: Int, _ shown: inout [UntypedID: ShownRow]) throws {
        let section = ranked[index]
        let entry = rows[index]
        try InvariantViolation.check(section.group.id == entry.id, "ranks of another section than \(entry.id)")
        try InvariantViolation.check(Int(section.ranks.count) == entry.itemCount, "ranks of other rows")
        try InvariantViolation.check(entry.itemCount > 0 || !vanishesWhenEmpty, "an empty section is left")
        let items = entry.items(pool)
        let depths = items.elements(in: 0..<entry.itemCount).map(\.depth)
        for depth in Set(depths) {
            try InvariantViolation.check(
                items.firstOffset(from: 0, notDeeperThan: depth) == depths.firstIndex { $0 <= depth }
                    && items.lastOffset(before: depths.count, notDeeperThan: depth) == depths.lastIndex { $0 <= depth },
                "a node of \(entry.id) has another lowest depth than its rows")
        }
        let ranks = section.ranks(pool).elements(in: 0..<entry.itemCount)
        for (left, right) in zip(ranks, ranks.dropFirst()) {
            try InvariantViolation.check(order.isBefore(left, right), "the ranks of \(entry.id) do not ascend")
        }
        for (rank, item) in zip(ranks, entry.items(pool).elements(in: 0..<entry.itemCount)) {
            guard let row = shown.removeValue(forKey: item.id), row.item == item else {
                throw InvariantViolation("\(item.id) should not be in the view, or not as it is")
            }
            try InvariantViolation.check(
                row.label == rank.label && row.section == rank.section, "the rank of \(item.id) is that of another row")
        }
    }
}
