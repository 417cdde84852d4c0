// Inserts, removes and updates one row of the view, in O(log n).

extension ArrangedRows {
    /// The section of the view that a rank belongs to.
    ///
    /// - Returns: the index of the section, and whether there is one.
    func section(of rank: RowRank) -> (index: Int, exists: Bool) {
        switch arrangement.sections {
        case .source: return section(ofNumber: rank.section)
        case .one: return (0, ranked.count > 0)
        case .groups:
            // Nothing else is in a view of groups.
            guard let wanted = rank.key.group else { return (0, false) }
            guard let group = groups[wanted.id] else {
                return (ranked.partitionPoint { $0.group.compare(wanted) < 0 }, false)
            }
            let index = ranked.partitionPoint { $0.group.compare(group) < 0 }
            if index < ranked.count && ranked[index].group === group { return (index, true) }
            // The keys of the groups are not totally ordered, so they are searched one by one.
            return (ranked.firstOffset { $0.group === group } ?? index, true)
        }
    }

    /// The section of the view for a section of the source.
    func section(ofNumber number: UInt32) -> (index: Int, exists: Bool) {
        let labels = order.sectionLabels
        let label = labels[Int(number)]
        let index = ranked.partitionPoint { labels[Int($0.number)] < label }
        return (index, index < ranked.count && ranked[index].number == number)
    }

    /// The position of the row of a rank that is in the view.
    func position(of rank: RowRank) -> ListIndexPath {
        let index = section(of: rank).index
        let ranks = ranked[index].ranks(pool)
        let order = self.order
        let offset = ranks.partitionPoint { order.isBefore($0, rank) }
        if offset < ranks.count && ranks[offset].isSame(as: rank) { return ListIndexPath(section: index, item: offset) }
        // The keys are not totally ordered, because the `<` of their type is not: they are searched one by one.
        guard let found = ranks.firstOffset(where: { $0.isSame(as: rank) }) else {
            preconditionFailure("a row that is shown is in the view")
        }
        return ListIndexPath(section: index, item: found)
    }

    /// Puts a row into the view.
    ///
    /// - Parameter source: the section of the source that the row is in.
    mutating func show(_ item: UntypedRow, _ rank: RowRank, in source: QueryGroup) {
        let (index, exists) = section(of: rank)
        if !exists { insertSection(group(of: rank, in: source), number: rank.section, at: index) }
        let (pool, order) = (pool, order)
        var offset = 0
        ranked.update(index) { section in
            section.editRanks(pool) { ranks in
                offset = ranks.partitionPoint { order.isBefore($0, rank) }
                ranks.insert(rank, at: offset)
            }
        }
        rows.update(index) { section in section.editItems(pool) { $0.insert(item, at: offset) } }
        itemCount += 1
    }

    private func group(of rank: RowRank, in source: QueryGroup) -> QueryGroup {
        switch arrangement.sections {
        case .source: source
        case .one(let group): group
        case .groups: rank.key.group ?? source
        }
    }

    /// Removes a row from the view.
    @discardableResult
    mutating func hide(_ rank: RowRank) -> UntypedRow {
        let path = position(of: rank)
        let pool = pool
        var left = 0
        ranked.update(path.section) { section in
            section.editRanks(pool) { ranks in
                ranks.remove(at: path.item)
                left = ranks.count
            }
        }
        var item: UntypedRow?
        rows.update(path.section) { section in
            item = section.editItems(pool) { $0.remove(at: path.item) }
        }
        itemCount -= 1
        if left == 0 && vanishesWhenEmpty { removeSection(at: path.section) }
        return item!
    }

    /// Whether a section of the view disappears with its last row.
    var vanishesWhenEmpty: Bool {
        if case .groups = arrangement.sections { return true }
        return arrangement.hidesEmptySections
    }

    mutating func insertSection(_ group: QueryGroup, number: UInt32, at index: Int) {
        if case .groups = arrangement.sections { groups[group.id] = group }
        ranked.insert(RankedSection(group: group, number: number), at: index)
        rows.insert(SectionEntry(id: group.id, title: group.title, number: 0, rows: .empty), at: index)
    }

    mutating func removeSection(at index: Int) {
        let section = ranked.remove(at: index)
        if case .groups = arrangement.sections { groups[section.group.id] = nil }
        rows.remove(at: index)
    }

    /// Gives a row another key, and shows it as it is now.
    ///
    /// - Parameters:
    ///   - path: where it is in the source.
    ///   - item: the row as it is now.
    mutating func place(_ item: UntypedRow, at path: ListIndexPath, _ key: RowKey?) {
        let pool = pool
        var change: (old: SourceRow, new: SourceRow)?
        var number: UInt32 = 0
        var group: QueryGroup?
        let (isOutline, isFound) = (isOutline, isFound(key))
        sources.update(path.section) { section in
            (number, group) = (section.number, section.group)
            section.editSlots(pool) { slots in
                slots.update(path.item) { slot in
                    let old = slot
                    slot.key = key
                    if !isOutline { slot.isFound = isFound }
                    change = (old, slot)
                }
            }
        }
        guard let (old, new) = change, let group else { return }
        let oldRank = old.rank(number)
        let newRank = new.rank(number)
        switch (oldRank, newRank) {
        case (nil, nil): break
        case (.some(let old), nil): hide(old)
        case (nil, .some(let new)): show(item, new, in: group)
        case (.some(let old), .some(let new)):
            if hasSamePlace(old.key, new.key) {
                replace(old, with: new, item)
            } else {
                hide(old)
                show(item, new, in: group)
            }
        }
    }

    /// Whether rows of two keys stand in the same place.
    func hasSamePlace(_ left: RowKey, _ right: RowKey) -> Bool {
        if left === right { return true }
        if case .groups = arrangement.sections, left.group?.id != right.group?.id { return false }
        return left.key.compare(right.key, descending: order.descending) == 0
    }

    private mutating func replace(_ old: RowRank, with new: RowRank, _ item: UntypedRow) {
        let path = position(of: old)
        let pool = pool
        if old.key !== new.key {
            ranked.update(path.section) { section in
                section.editRanks(pool) { $0.update(path.item) { $0 = new } }
            }
        }
        rows.update(path.section) { section in
            section.editItems(pool) { items in
                if items[path.item].depth == item.depth { return items.update(path.item) { $0 = item } }
                // Nodes keep the lowest depth of their subtree.
                items.updateAll(in: path.item..<path.item + 1) { $0 = item }
            }
        }
    }
}

extension SourceRow {
    /// The rank of the row in the view; nil if the view does not show it.
    func rank(_ section: UInt32) -> RowRank? {
        guard isFound, let key else { return nil }
        return RowRank(label: label, section: section, key: key)
    }
}
