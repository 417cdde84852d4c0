// The reducer: applies one event to the state.
//
// Always holds: an event is checked completely before anything is changed, so an event that throws has changed nothing.
// Reducers are pure: no clock, no randomness, no I/O.

extension ListState {
    /// Applies one event to the state.
    ///
    /// - Throws: ``ListError`` if the event does not fit: an index is out of range, another id is at the index path, or
    ///   an id exists already. The state is then unchanged.
    /// - Complexity: O(k log n) for an event of k rows; O(n) for a reload.
    mutating func apply(_ event: ListEvent) throws {
        switch event {
        case .itemsInserted(let path, let items): try itemsInserted(at: path, items)
        case .itemsDeleted(let path, let items): try itemsDeleted(at: path, items)
        case .itemsMoved(let source, let target, let ids): try itemsMoved(from: source, to: target, ids)
        case .itemToggled(let path, let id, let isChecked): try itemToggled(at: path, id, isChecked: isChecked)
        case .itemUpdated(let path, let id, let old, let new): try itemUpdated(at: path, id, old: old, new: new)
        case .itemsIndented(let path, let ids, let change): try indent(ids, at: path, by: change)
        case .itemCollapsed(let path, let id, let isCollapsed):
            try update(id, at: path) { $0.setCollapsed(isCollapsed) }
        case .sectionInserted(let index, let section): try insert(section, at: index)
        case .sectionDeleted(let index, let section): try delete(section, at: index)
        case .sectionMoved(let source, let target, let id): try moveSection(id, from: source, to: target)
        case .sectionRenamed(let index, let id, _, let new): try rename(id, at: index, to: new)
        case .listReloaded(_, let new): try reload(new)
        case .annotated, .unrecognised: break
        }
    }
}

// MARK: - Rows

extension ListState {
    /// Calls `body` with the top of the tree of a section's rows, to change the tree, and with the number of the
    /// section.
    @inline(__always)
    private mutating func editRows(
        inSection index: Int, _ body: (inout TreeChild<UntypedRow>, UInt32, NodePool, inout Locator<UntypedRow>) -> Void
    ) {
        ListState.editRows(&tree, &itemLocator, index, pool, followsHashes, body)
    }

    // The parts of the state are separate arguments, so that the closure can change one while another is being
    // accessed.
    @inline(__always)
    private static func editRows(
        _ tree: inout PersistentTree<SectionEntry>, _ locator: inout Locator<UntypedRow>, _ index: Int,
        _ pool: NodePool, _ followsHashes: Bool,
        _ body: (inout TreeChild<UntypedRow>, UInt32, NodePool, inout Locator<UntypedRow>) -> Void
    ) {
        tree.top.update(index, pool) { section in
            if !followsHashes { section.unsealRows() }
            let number = section.number
            section.editRows { body(&$0, number, pool, &locator) }
        }
    }

    mutating func itemsInserted(at path: ListIndexPath, _ items: ListRun<UntypedRow>) throws {
        try checkInsertion(at: path)
        try checkRoom(for: items.count)
        try checkNew(items)
        editRows(inSection: path.section) { rows, owner, pool, locator in
            items.withElements { rows.insert($0, at: path.item, owner: owner, pool, &locator) }
        }
        itemCount += items.count
    }

    mutating func itemsDeleted(at path: ListIndexPath, _ items: ListRun<UntypedRow>) throws {
        if case .one(let item) = items { return try delete(item.id, at: path) }
        try checkCount(items.count)
        try checkItems(items, at: path)
        editRows(inSection: path.section) { rows, _, pool, locator in
            rows.remove(path.item..<path.item + items.count, pool, &locator)
        }
        itemCount -= items.count
    }

    private mutating func delete(_ id: UntypedID, at path: ListIndexPath) throws {
        try checkRange(path, count: 1)
        try checkCount(1)
        _ = try take(id, at: path)
        itemCount -= 1
    }

    /// Removes the row at a path, which must exist, and returns it. Throws if it has another id.
    @inline(__always)
    private mutating func take(_ id: UntypedID, at path: ListIndexPath) throws -> UntypedRow {
        // The removal checks the id itself, so that the row is searched once. A row of another id is not removed.
        var found: UntypedRow?
        var isRight = false
        editRows(inSection: path.section) { rows, _, pool, locator in
            isRight = rows.remove(path.item, pool, &locator) { item in
                found = item.pointee
                return item.pointee.hasID(id)
            }
        }
        // SAFETY: there is a row at the path, so the closure was called with it.
        let item = found.unsafelyUnwrapped
        if !isRight { throw ListState.mismatch(path, expected: id, found: item.id) }
        return item
    }

    mutating func itemsMoved(
        from source: ListIndexPath, to target: ListIndexPath, _ ids: ListRun<UntypedID>
    ) throws {
        try checkRange(source, count: ids.count)
        do {
            try checkTarget(target, of: ids.count, from: source.section)
        } catch {
            // If other rows are at the source, that is the error to report.
            _ = try items(ids, at: source)
            throw error
        }
        let moved: ListRun<UntypedRow>
        if case .one(let id) = ids {
            moved = .one(try take(id, at: source))
        } else {
            moved = try items(ids, at: source)
            let range = source.item..<source.item + ids.count
            editRows(inSection: source.section) { rows, _, pool, locator in rows.remove(range, pool, &locator) }
        }
        editRows(inSection: target.section) { rows, owner, pool, locator in
            moved.withElements { rows.insert($0, at: target.item, owner: owner, pool, &locator) }
        }
    }

    mutating func itemToggled(at path: ListIndexPath, _ id: UntypedID, isChecked: Bool) throws {
        try update(id, at: path) { $0.setChecked(isChecked) }
    }

    mutating func itemUpdated(
        at path: ListIndexPath, _ id: UntypedID, old: ContentReference, new: ContentReference
    ) throws {
        try update(id, at: path) { $0.setContent(new) }
    }

    @inline(__always)
    private mutating func update(
        _ id: UntypedID, at path: ListIndexPath, _ change: (inout UntypedRow) -> Void
    ) throws {
        try checkRange(path, count: 1)
        // The update checks the id itself, as above.
        var other: UntypedID?
        editRows(inSection: path.section) { rows, _, pool, _ in
            rows.update(path.item, pool) { item in
                if item.hasID(id) { change(&item) } else { other = item.id }
            }
        }
        if let other { throw ListState.mismatch(path, expected: id, found: other) }
    }
}

// MARK: - Outlines

extension ListState {
    private mutating func indent(_ ids: ListRun<UntypedID>, at path: ListIndexPath, by change: Int) throws {
        for item in try items(ids, at: path) {
            // An event that was not read from a log may have any number. No depth is negative, so the sum overflows only upwards.
            let (depth, isTooLarge) = item.depth.addingReportingOverflow(change)
            guard !isTooLarge, UntypedRow.depths.contains(depth) else {
                throw ListError.depthOutOfRange(item.id, depth: isTooLarge ? change : depth)
            }
        }
        editRows(inSection: path.section) { rows, _, pool, _ in
            rows.updateAll(in: path.item..<path.item + ids.count, pool) { $0.changeDepth(by: change) }
        }
    }
}

// MARK: - Sections

extension ListState {
    private mutating func insert(_ section: ListSection, at index: Int) throws {
        guard index >= 0 && index <= tree.count else {
            throw ListError.sectionIndexOutOfRange(index, valid: 0..<tree.count + 1)
        }
        if indexOfSection(section.id) != nil {
            throw ListError.duplicateSection(section.id)
        }
        try checkRoom(for: section.items.count)
        guard tree.count < pool.limits.sections else {
            throw ListError.limitReached(what: "sections", limit: UInt64(pool.limits.sections))
        }
        if let items = ListRun(section.items) { try checkNew(items) }
        // A section number is used only once.
        if sectionNumberCount >= Limits.sectionNumbers { rebuild() }
        tree.insert(
            makeEntry(section.id, section.title, section.items), at: index, owner: ListState.listOwner, &sectionLocator)
        itemCount += section.items.count
    }

    private mutating func delete(_ section: ListSection, at index: Int) throws {
        try checkSection(index, is: section.id)
        let entry = tree[index]
        guard entry.itemCount == section.items.count else {
            throw ListError.eventMismatch(
                what: "rows of section \(section.id)", expected: String(section.items.count),
                found: String(entry.itemCount))
        }
        if let items = ListRun(section.items) {
            try checkItems(items, at: ListIndexPath(section: index, item: 0))
        }
        try checkCount(section.items.count)
        entry.items(pool).detach(&itemLocator)
        tree.remove(index..<index + 1, &sectionLocator)
        itemCount -= section.items.count
    }

    private mutating func moveSection(_ id: UntypedID, from source: Int, to target: Int) throws {
        try checkSection(source, is: id)
        try checkSection(target)
        let entry = tree[source]
        tree.remove(source..<source + 1, &sectionLocator)
        tree.insert(entry, at: target, owner: ListState.listOwner, &sectionLocator)
    }

    private mutating func rename(_ id: UntypedID, at index: Int, to title: String) throws {
        try checkSection(index, is: id)
        tree.update(index) { $0.rename(to: title) }
    }

    private mutating func reload(_ sections: [ListSection]) throws {
        var ids = Set<UntypedID>()
        for section in sections where !ids.insert(section.id).inserted { throw ListError.duplicateSection(section.id) }
        let count = sections.reduce(0) { $0 + $1.items.count }
        try ListState.checkDifferent(sections.lazy.flatMap(\.items), count)
        try checkRoom(for: count - itemCount)
        guard sections.count <= pool.limits.sections else {
            throw ListError.limitReached(what: "sections", limit: UInt64(pool.limits.sections))
        }
        replaceAll(sections.map { ($0.id, $0.title, $0.items) })
    }

    /// Replaces all sections and rows, and rebuilds the locators. All ids are different.
    mutating func replaceAll(_ sections: [(id: UntypedID, title: String, rows: some Collection<UntypedRow>)]) {
        sectionLocator.retireAll(&retiredChunks)
        itemLocator.retireAll(&retiredChunks)
        sectionLocator = Locator(pool, isTracking: sectionLocator.isTracking)
        itemLocator = Locator(pool, isTracking: itemLocator.isTracking)
        sectionNumberCount = 0
        itemCount = sections.reduce(0) { $0 + $1.rows.count }
        let entries = sections.map { makeEntry($0.id, $0.title, $0.rows) }
        tree = PersistentTree(entries, pool, owner: ListState.listOwner, &sectionLocator)
    }

    /// An entry for the tree of sections. Inserts its rows into the locator.
    private mutating func makeEntry(
        _ id: UntypedID, _ title: String, _ rows: some Collection<UntypedRow>
    ) -> SectionEntry {
        let number = sectionNumberCount
        sectionNumberCount += 1
        let items = PersistentTree(rows, pool, owner: number, &itemLocator)
        return SectionEntry(id: id, title: title, number: number, rows: items.top)
    }
}

// MARK: - Checks

// Inlined into the reducer, because a call that is not inlined would get a copy of the state, of 400 bytes.
extension ListState {
    @inline(__always)
    func checkSection(_ index: Int) throws {
        guard index >= 0 && index < tree.count else {
            throw ListError.sectionIndexOutOfRange(index, valid: tree.indices)
        }
    }

    /// Checks that the list has room for so many more rows.
    @inline(__always)
    private func checkRoom(for count: Int) throws {
        if itemCount + count > pool.limits.rows {
            throw ListError.limitReached(what: "rows", limit: UInt64(pool.limits.rows))
        }
    }

    /// Checks that the list counts the rows that are deleted. If it does not, the checkpoint that it began with has a
    /// wrong count: the log is right, so that is damage.
    @inline(__always)
    private func checkCount(_ count: Int) throws {
        if count > itemCount { throw miscounted(count) }
    }

    @inline(never)
    private func miscounted(_ count: Int) -> NodeError {
        let error = NodeError(0, "there are \(count) rows to delete, and the checkpoint counts only \(itemCount)")
        pool.report(error)
        return error
    }

    private func checkSection(_ index: Int, is id: UntypedID) throws {
        try checkSection(index)
        let found = tree.withLeaf(at: index) { leaf, slot in leaf.elements[slot].id }
        guard found == id else {
            throw ListError.eventMismatch(
                what: "section at index \(index)", expected: id.description, found: found.description)
        }
    }

    /// Checks that a row can be inserted at a path.
    @inline(__always)
    func checkInsertion(at path: ListIndexPath) throws {
        try checkSection(path.section)
        let count = itemCount(inSectionAt: path.section)
        guard path.item >= 0 && path.item <= count else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<count + 1)
        }
    }

    /// Checks that rows of a section can move to a path. The path does not count the moved rows.
    private func checkTarget(_ path: ListIndexPath, of count: Int, from section: Int) throws {
        try checkSection(path.section)
        let room = itemCount(inSectionAt: path.section) - (path.section == section ? count : 0)
        guard path.item >= 0 && path.item <= room else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<room + 1)
        }
    }

    /// Checks that rows can be inserted: no id is in the list already, and none occurs twice.
    @inline(__always)
    private func checkNew(_ items: ListRun<UntypedRow>) throws {
        guard itemLocator.isTracking else { return }
        try items.withElements { items in
            try itemLocator.forEachKnown(items) { index in try checkNew(items[index].id) }
        }
        if items.count > 1, !areCountingUp(items) { try ListState.checkDifferent(items, items.count) }
    }

    @inline(never)
    private func checkNew(_ id: UntypedID) throws {
        if indexPath(of: id) != nil { throw ListError.duplicateItem(id) }
    }

    /// Checks that no id occurs twice among so many rows.
    @inline(never)
    private static func checkDifferent(_ items: some Sequence<UntypedRow>, _ count: Int) throws {
        // A set of the ids takes eight times as much memory as their hashes, so it decides only if two hashes are equal.
        var hashes: [UInt64] = []
        hashes.reserveCapacity(count)
        for item in items { hashes.append(item.id.hash64) }
        hashes.sort()
        if !zip(hashes, hashes.dropFirst()).contains(where: ==) { return }
        var ids = Set<UntypedID>(minimumCapacity: count)
        for item in items where !ids.insert(item.id).inserted { throw ListError.duplicateItem(item.id) }
    }

    /// Whether the ids are increasing integers, for example from a counter. Then none occurs twice.
    private func areCountingUp(_ items: ListRun<UntypedRow>) -> Bool {
        items.withElements { items in
            var last = Int64.min
            for item in items {
                guard case .integer(let id) = item.id, id > last else { return false }
                last = id
            }
            return true
        }
    }

    private func checkItems(_ run: ListRun<UntypedRow>, at path: ListIndexPath) throws {
        try checkRange(path, count: run.count)
        var index = 0
        try tree[path.section].items(pool).forEach(in: path.item..<path.item + run.count) { found in
            if found.id != run[index].id {
                let place = ListIndexPath(section: path.section, item: path.item + index)
                throw ListState.mismatch(place, expected: run[index].id, found: found.id)
            }
            index += 1
        }
    }

    /// The rows at a path, which must have these ids.
    private func items(_ ids: ListRun<UntypedID>, at path: ListIndexPath) throws -> ListRun<UntypedRow> {
        try checkRange(path, count: ids.count)
        let found = items(inSectionAt: path.section, path.item..<path.item + ids.count)
        for index in ids.indices where found[index].id != ids[index] {
            let place = ListIndexPath(section: path.section, item: path.item + index)
            throw ListState.mismatch(place, expected: ids[index], found: found[index].id)
        }
        return found
    }

    /// Checks that there are `count` rows at a path.
    @inline(__always)
    func checkRange(_ path: ListIndexPath, count: Int) throws {
        try checkSection(path.section)
        let items = itemCount(inSectionAt: path.section)
        guard path.item >= 0 && path.item < items else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<items)
        }
        guard count <= items - path.item else {
            // Reports the first missing row, because the index of the last one might overflow.
            let missing = ListIndexPath(section: path.section, item: items)
            throw ListError.itemIndexOutOfRange(missing, valid: 0..<items)
        }
    }

    private static func mismatch(_ path: ListIndexPath, expected: UntypedID, found: UntypedID) -> ListError {
        .eventMismatch(what: "row at \(path)", expected: expected.description, found: found.description)
    }
}
