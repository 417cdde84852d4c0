// The reducer: one event folded into the state.
//
// Always holds: an event is checked whole before anything is changed, so an event that throws has changed nothing.
// Reducers are pure: no clock, no randomness, no I/O.

extension ListState {
    /// Folds one event into the state.
    ///
    /// - Throws: ``ListError`` if the event does not fit: an index out of range, an id that is not where the event
    ///   says, an id that exists already. The state is then unchanged.
    /// - Complexity: O(k log n) for an event of k rows; O(n) for a reload.
    mutating func apply(_ event: Event) throws {
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

extension ListState: EventReceiver {
    mutating func other(_ event: Event) throws { try apply(event) }

    /// Calls `body` with the top of the tree of a section's rows, to change it, and the number of the section.
    @inline(__always)
    private mutating func editRows(
        inSection index: Int, _ body: (inout TreeChild<ListItem>, UInt32, NodeStore, inout Locator<ListItem>) -> Void
    ) {
        ListState.editRows(&tree, &itemLocator, index, store, followsHashes, body)
    }

    // The parts of the state are passed apart, so that the closure may change one while another is open.
    @inline(__always)
    private static func editRows(
        _ tree: inout PersistentTree<SectionEntry>, _ locator: inout Locator<ListItem>, _ index: Int,
        _ store: NodeStore, _ followsHashes: Bool,
        _ body: (inout TreeChild<ListItem>, UInt32, NodeStore, inout Locator<ListItem>) -> Void
    ) {
        tree.top.update(index, store) { section in
            if !followsHashes { section.unsealRows() }
            let number = section.number
            section.editRows { body(&$0, number, store, &locator) }
        }
    }

    mutating func itemsInserted(at path: ListIndexPath, _ items: Run<ListItem>) throws {
        try checkInsertion(at: path)
        try checkRoom(for: items.count)
        try checkNew(items)
        editRows(inSection: path.section) { rows, owner, store, locator in
            items.withElements { rows.insert($0, at: path.item, owner: owner, store, &locator) }
        }
        itemCount += items.count
    }

    mutating func itemsDeleted(at path: ListIndexPath, _ items: Run<ListItem>) throws {
        if case .one(let item) = items { return try delete(item.id, at: path) }
        try checkItems(items, at: path)
        editRows(inSection: path.section) { rows, _, store, locator in
            rows.remove(path.item..<path.item + items.count, store, &locator)
        }
        itemCount -= items.count
    }

    private mutating func delete(_ id: Identifier, at path: ListIndexPath) throws {
        try checkRange(path, count: 1)
        _ = try take(id, at: path)
        itemCount -= 1
    }

    /// Takes the row at a path, where there is one, out of the tree.
    @inline(__always)
    private mutating func take(_ id: Identifier, at path: ListIndexPath) throws -> ListItem {
        // Checked on the way, so that the row is looked for once; a row that is another stays.
        var found: ListItem?
        var isRight = false
        editRows(inSection: path.section) { rows, _, store, locator in
            isRight = rows.remove(path.item, store, &locator) { item in
                found = item.pointee
                return item.pointee.hasID(id)
            }
        }
        // SAFETY: there is a row at the path, so it was looked at.
        let item = found.unsafelyUnwrapped
        if !isRight { throw ListState.mismatch(path, expected: id, found: item.id) }
        return item
    }

    mutating func itemsMoved(
        from source: ListIndexPath, to target: ListIndexPath, _ ids: Run<Identifier>
    ) throws {
        try checkRange(source, count: ids.count)
        do {
            try checkTarget(target, of: ids.count, from: source.section)
        } catch {
            // If other rows are there, that is what is wrong.
            _ = try items(ids, at: source)
            throw error
        }
        let moved: Run<ListItem>
        if case .one(let id) = ids {
            moved = .one(try take(id, at: source))
        } else {
            moved = try items(ids, at: source)
            let range = source.item..<source.item + ids.count
            editRows(inSection: source.section) { rows, _, store, locator in rows.remove(range, store, &locator) }
        }
        editRows(inSection: target.section) { rows, owner, store, locator in
            moved.withElements { rows.insert($0, at: target.item, owner: owner, store, &locator) }
        }
    }

    mutating func itemToggled(at path: ListIndexPath, _ id: Identifier, isChecked: Bool) throws {
        try update(id, at: path) { $0.setChecked(isChecked) }
    }

    mutating func itemUpdated(
        at path: ListIndexPath, _ id: Identifier, old: ContentReference, new: ContentReference
    ) throws {
        try update(id, at: path) { $0.setContent(new) }
    }

    @inline(__always)
    private mutating func update(
        _ id: Identifier, at path: ListIndexPath, _ change: (inout ListItem) -> Void
    ) throws {
        try checkRange(path, count: 1)
        // Checked on the way, as above.
        var other: Identifier?
        editRows(inSection: path.section) { rows, _, store, _ in
            rows.update(path.item, store) { item in
                if item.hasID(id) { change(&item) } else { other = item.id }
            }
        }
        if let other { throw ListState.mismatch(path, expected: id, found: other) }
    }
}

// MARK: - Outlines

extension ListState {
    private mutating func indent(_ ids: Run<Identifier>, at path: ListIndexPath, by change: Int) throws {
        for item in try items(ids, at: path) {
            // Far from where arithmetic overflows: a change is at most a depth.
            let depth = item.depth + change
            guard ListItem.depths.contains(depth) else { throw ListError.depthOutOfRange(item.id, depth: depth) }
        }
        editRows(inSection: path.section) { rows, _, store, _ in
            rows.updateAll(in: path.item..<path.item + ids.count, store) { $0.changeDepth(by: change) }
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
        guard tree.count < store.limits.sections else {
            throw ListError.limitReached(what: "sections", limit: UInt64(store.limits.sections))
        }
        if let items = Run(section.items) { try checkNew(items) }
        // Each number is given once.
        if sectionNumberCount >= Limits.sectionNumbers { try rebuild() }
        tree.insert(makeEntry(section), at: index, owner: ListState.listOwner, &sectionLocator)
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
        if let items = Run(section.items) {
            try checkItems(items, at: ListIndexPath(section: index, item: 0))
        }
        entry.items(store).detach(&itemLocator)
        tree.remove(index..<index + 1, &sectionLocator)
        itemCount -= section.items.count
    }

    private mutating func moveSection(_ id: Identifier, from source: Int, to target: Int) throws {
        try checkSection(source, is: id)
        try checkSection(target)
        let entry = tree[source]
        tree.remove(source..<source + 1, &sectionLocator)
        tree.insert(entry, at: target, owner: ListState.listOwner, &sectionLocator)
    }

    private mutating func rename(_ id: Identifier, at index: Int, to title: String) throws {
        try checkSection(index, is: id)
        tree.update(index) { $0.rename(to: title) }
    }

    private mutating func reload(_ sections: [ListSection]) throws {
        var sectionIDs = Set<Identifier>()
        var itemIDs = Set<Identifier>()
        for section in sections {
            if !sectionIDs.insert(section.id).inserted { throw ListError.duplicateSection(section.id) }
            for item in section.items where !itemIDs.insert(item.id).inserted {
                throw ListError.duplicateItem(item.id)
            }
        }
        try checkRoom(for: itemIDs.count - itemCount)
        guard sections.count <= store.limits.sections else {
            throw ListError.limitReached(what: "sections", limit: UInt64(store.limits.sections))
        }
        sectionLocator.retireAll(&retiredPages)
        itemLocator.retireAll(&retiredPages)
        sectionLocator = Locator(store, isTracking: sectionLocator.isTracking)
        itemLocator = Locator(store, isTracking: itemLocator.isTracking)
        sectionNumberCount = 0
        itemCount = itemIDs.count
        let entries = sections.map { makeEntry($0) }
        tree = PersistentTree(entries, store, owner: ListState.listOwner, &sectionLocator)
    }

    /// A section for the tree, whose rows the locator knows from now on.
    private mutating func makeEntry(_ section: ListSection) -> SectionEntry {
        let number = sectionNumberCount
        sectionNumberCount += 1
        let items = PersistentTree(section.items, store, owner: number, &itemLocator)
        return SectionEntry(id: section.id, title: section.title, number: number, rows: items.top)
    }
}

// MARK: - Checks

// Inlined where the state is changed: what is called with the state gets a copy of it, of 400 bytes.
extension ListState {
    @inline(__always)
    func checkSection(_ index: Int) throws {
        guard index >= 0 && index < tree.count else {
            throw ListError.sectionIndexOutOfRange(index, valid: tree.indices)
        }
    }

    /// Checks that a list can have so many rows more.
    @inline(__always)
    private func checkRoom(for count: Int) throws {
        if itemCount + count > store.limits.rows {
            throw ListError.limitReached(what: "rows", limit: UInt64(store.limits.rows))
        }
    }

    private func checkSection(_ index: Int, is id: Identifier) throws {
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

    /// Checks that rows of a section can move to a path, which counts without them.
    private func checkTarget(_ path: ListIndexPath, of count: Int, from section: Int) throws {
        try checkSection(path.section)
        let room = itemCount(inSectionAt: path.section) - (path.section == section ? count : 0)
        guard path.item >= 0 && path.item <= room else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<room + 1)
        }
    }

    /// Checks that rows can be inserted: no id is there already, none comes twice.
    @inline(__always)
    private func checkNew(_ items: Run<ListItem>) throws {
        guard itemLocator.isTracking else { return }
        try items.withElements { items in
            for index in items.indices where itemLocator.mayKnow(items[index].id) {
                try checkNew(items[index].id)
            }
        }
        if items.count > 1 { try ListState.checkDifferent(items) }
    }

    @inline(never)
    private func checkNew(_ id: Identifier) throws {
        if indexPath(of: id) != nil { throw ListError.duplicateItem(id) }
    }

    /// Checks that no id comes twice in a run.
    @inline(never)
    private static func checkDifferent(_ items: Run<ListItem>) throws {
        if areCountingUp(items) { return }
        var ids = Set<Identifier>(minimumCapacity: items.count)
        for item in items where !ids.insert(item.id).inserted { throw ListError.duplicateItem(item.id) }
    }

    /// Whether the ids are integers that increase, as a counter gives them: then none comes twice.
    private static func areCountingUp(_ items: Run<ListItem>) -> Bool {
        items.withElements { items in
            var last = Int64.min
            for item in items {
                guard case .integer(let id) = item.id, id > last else { return false }
                last = id
            }
            return true
        }
    }

    private func checkItems(_ run: Run<ListItem>, at path: ListIndexPath) throws {
        try checkRange(path, count: run.count)
        var index = 0
        try tree[path.section].items(store).forEach(in: path.item..<path.item + run.count) { found in
            if found.id != run[index].id {
                let place = ListIndexPath(section: path.section, item: path.item + index)
                throw ListState.mismatch(place, expected: run[index].id, found: found.id)
            }
            index += 1
        }
    }

    /// The rows of these ids, which must stand at a path.
    private func items(_ ids: Run<Identifier>, at path: ListIndexPath) throws -> Run<ListItem> {
        try checkRange(path, count: ids.count)
        let found = items(inSectionAt: path.section, path.item..<path.item + ids.count)
        for index in ids.indices where found[index].id != ids[index] {
            let place = ListIndexPath(section: path.section, item: path.item + index)
            throw ListState.mismatch(place, expected: ids[index], found: found[index].id)
        }
        return found
    }

    /// Checks that a run of `count` rows begins at a path.
    @inline(__always)
    func checkRange(_ path: ListIndexPath, count: Int) throws {
        try checkSection(path.section)
        let items = itemCount(inSectionAt: path.section)
        guard path.item >= 0 && path.item < items else {
            throw ListError.itemIndexOutOfRange(path, valid: 0..<items)
        }
        guard count <= items - path.item else {
            // The first row that is not there; the last one asked for may be beyond what a number can say.
            let missing = ListIndexPath(section: path.section, item: items)
            throw ListError.itemIndexOutOfRange(missing, valid: 0..<items)
        }
    }

    private static func mismatch(_ path: ListIndexPath, expected: Identifier, found: Identifier) -> ListError {
        .eventMismatch(what: "row at \(path)", expected: expected.description, found: found.description)
    }
}
