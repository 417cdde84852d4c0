// An arranged stage follows its source from one snapshot to another.
//
// First the stage asks for the place of every new or changed row, because the app's function may throw. Then it makes
// the changes in the order of a list view: rows are removed, sections are removed and inserted, rows are inserted, and
// rows change in their place.

extension ArrangedRows {
    /// Advances the view to another snapshot of its source.
    ///
    /// - Parameters:
    ///   - old: the snapshot that the view shows now.
    ///   - new: the snapshot that it will show.
    ///   - changes: the changeset from `old` to `new`.
    ///   - stage: which stage this is, for the error.
    /// - Throws: ``QueryError`` for the first row that cannot be placed; nothing has changed then.
    /// - Complexity: O(k log n) for k rows that differ; and for the rows of moved sections, if the view has other sections.
    mutating func advance(
        from old: UntypedSnapshot, to new: UntypedSnapshot, _ changes: Changeset, stage: Int
    ) throws(QueryError) {
        if changes.isEmpty { return }
        let context = Context(version: new.version, stage: stage)
        var keys: [ListIndexPath: RowKey?] = [:]
        for path in changes.items.inserted + changes.items.updated {
            guard let item = new.item(at: path) else { continue }
            keys[path] = .some(try key(of: item, at: path, context))
        }
        if isWorthRebuilding(changes, max(old.itemCount, new.itemCount)) {
            return try rebuild(from: old, to: new, keys, context)
        }
        let moved = takeRows(changes)
        changeSections(changes.sections, new)
        insertRows(changes, moved, keys, new)
        let targets = Set(changes.items.moved.map(\.to))
        for path in changes.items.updated where !targets.contains(path) {
            guard let item = new.item(at: path), let key = keys[path] else { continue }
            place(item, at: path, key)
        }
    }

    /// Removes the slots of rows that are deleted from the source or moved in it, and removes the rows from the view.
    ///
    /// - Returns: the slots of those that move, by where they were.
    private mutating func takeRows(_ changes: Changeset) -> [ListIndexPath: SourceRow] {
        if changes.items.moved.isEmpty {
            for path in changes.items.deleted.reversed() { takeRow(at: path) }
            return [:]
        }
        let moving = Set(changes.items.moved.map(\.from))
        var result: [ListIndexPath: SourceRow] = [:]
        for path in (changes.items.deleted + moving).sorted().reversed() {
            let slot = takeRow(at: path)
            if moving.contains(path) { result[path] = slot }
        }
        return result
    }

    @discardableResult
    private mutating func takeRow(at path: ListIndexPath) -> SourceRow {
        let pool = pool
        var number: UInt32 = 0
        var taken: SourceRow?
        sources.update(path.section) { section in
            number = section.number
            taken = section.editSlots(pool) { $0.remove(at: path.item) }
        }
        let slot = taken!
        if let rank = slot.rank(number) { hide(rank) }
        return slot
    }

    /// A row that is inserted into the source, or moved within it.
    private struct Arrival {
        var path: ListIndexPath
        var slot: SourceRow
    }

    private mutating func insertRows(
        _ changes: Changeset, _ moved: [ListIndexPath: SourceRow], _ keys: [ListIndexPath: RowKey?],
        _ new: UntypedSnapshot
    ) {
        var arrivals: [Arrival] = []
        arrivals.reserveCapacity(changes.items.inserted.count + changes.items.moved.count)
        for path in changes.items.inserted {
            let key = keys[path] ?? nil
            arrivals.append(Arrival(path: path, slot: SourceRow(label: 0, key: key, isFound: isFound(key))))
        }
        for move in changes.items.moved {
            guard var slot = moved[move.from] else { continue }
            if isOutline { slot.isFound = false }
            // A row that moved and changed has a new key already.
            if let key = keys[move.to] { slot = SourceRow(label: 0, key: key, isFound: isFound(key)) }
            arrivals.append(Arrival(path: move.to, slot: slot))
        }
        if !changes.items.moved.isEmpty { arrivals = arrivals.ordered { $0.path < $1.path } }
        var start = 0
        while start < arrivals.count {
            var end = start + 1
            while end < arrivals.count && isNext(arrivals[end].path, after: arrivals[end - 1].path) { end += 1 }
            insertRun(arrivals[start..<end], new)
            start = end
        }
    }

    private func isNext(_ path: ListIndexPath, after other: ListIndexPath) -> Bool {
        path.section == other.section && path.item == other.item + 1
    }

    /// Inserts rows that stand one after another.
    private mutating func insertRun(_ arrivals: ArraySlice<Arrival>, _ new: UntypedSnapshot) {
        let path = arrivals.first!.path
        var slots = arrivals.map(\.slot)
        insertSlots(&slots, at: path)
        let source = sources[path.section]
        for (arrival, slot) in zip(arrivals, slots) {
            guard let rank = slot.rank(source.number), let item = new.item(at: arrival.path) else { continue }
            show(item, rank, in: source.group)
        }
    }
}

// MARK: - Rebuilding

extension ArrangedRows {
    /// Whether so much changes that rebuilding the view is faster.
    func isWorthRebuilding(_ changes: Changeset, _ itemCount: Int) -> Bool {
        var count =
            changes.items.deleted.count + changes.items.inserted.count + 2 * changes.items.moved.count
            + changes.items.updated.count
        if case .source = arrangement.sections {
        } else {
            for move in changes.sections.moved { count += 2 * Int(sources[move.from].slots.count) }
        }
        return isWorthRebuilding(count, itemCount)
    }

    /// Whether rebuilding the view is faster than changing so many of its rows.
    func isWorthRebuilding(_ changed: Int, _ itemCount: Int) -> Bool {
        changed > limits.rebuildMinimum && changed > itemCount / limits.rebuildShare
    }

    /// Rebuilds the view. Rows that did not change keep their keys.
    private mutating func rebuild(
        from old: UntypedSnapshot, to new: UntypedSnapshot, _ changed: [ListIndexPath: RowKey?], _ context: Context
    ) throws(QueryError) {
        var known: [UntypedID: RowKey?] = [:]
        known.reserveCapacity(old.itemCount)
        for (section, source) in zip(old.sections, sources.elements(in: sources.indices)) {
            var slots = TreeCursor(source.slots(pool))
            for item in section.items {
                if let slot = slots.next() { known[item.id] = .some(slot.key) }
            }
        }
        let keys = try keys(of: new, context) { item, path in changed[path] ?? known[item.id] }
        clear()
        fill(from: new, keys: keys)
    }
}
