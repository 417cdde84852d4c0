// Changes of an arranged stage whose source stays: other search words, or another arrangement.

extension ArrangedRows {
    /// Searches for other words. The rows keep their keys.
    ///
    /// - Parameter source: the snapshot that the view is of.
    /// - Complexity: O(m) for the m rows found so far if the new words can only match fewer rows, O(n) otherwise; O(log
    ///   n) for each row that appears or disappears.
    mutating func search(_ words: SearchWords, _ source: UntypedSnapshot) {
        if words == search || !arrangement.isSearchable { return }
        let isNarrower = words.isNarrower(than: search)
        search = words
        var changed: [(path: ListIndexPath, key: RowKey)] = []
        for index in sources.indices {
            var cursor = TreeCursor(sources[index].slots(pool))
            var path = ListIndexPath(section: index, item: 0)
            while let slot = cursor.next() {
                if let key = slot.key, slot.isFound || !isNarrower, isFound(key) != slot.isFound {
                    changed.append((path, key))
                }
                path.item += 1
            }
        }
        if isWorthRebuilding(changed.count, itemCount + changed.count) {
            let keys = sources.elements(in: sources.indices).map { section in
                section.slots(pool).elements(in: 0..<Int(section.slots.count)).map(\.key)
            }
            self = ArrangedRows(arrangement, search, limits)
            return fill(from: source, keys: keys)
        }
        for (path, key) in changed {
            if let item = source.item(at: path) { place(item, at: path, key) }
        }
    }

    /// Arranges the rows by another function.
    ///
    /// - Parameters:
    ///   - words: the words of the search.
    ///   - source: the snapshot that the view shows.
    /// - Throws: ``QueryError`` for the first row that cannot be placed; nothing has changed then.
    /// - Complexity: O(n) calls of the new function, O(log n) for each row whose place differs; O(n log n) if most do.
    mutating func rearrange(
        _ other: Arrangement, _ words: SearchWords, _ source: UntypedSnapshot, _ context: Context
    ) throws(QueryError) {
        var next = ArrangedRows(other, words, limits)
        let keys = try next.keys(of: source, context)
        guard let changed = changes(to: next, keys), !isWorthRebuilding(changed.count, source.itemCount) else {
            next.fill(from: source, keys: keys)
            self = next
            return
        }
        arrangement = other
        for path in changed {
            guard let item = source.item(at: path) else { continue }
            place(item, at: path, keys[path.section][path.item])
        }
    }

    /// The rows whose place differs under another arrangement; nil if its order or its sections differ.
    private func changes(to other: ArrangedRows, _ keys: [[RowKey?]]) -> [ListIndexPath]? {
        guard search == other.search, hasSameSections(as: other.arrangement), order.descending == other.order.descending
        else { return nil }
        var result: [ListIndexPath] = []
        for index in sources.indices {
            var cursor = TreeCursor(sources[index].slots(pool))
            var path = ListIndexPath(section: index, item: 0)
            for key in keys[index] {
                guard let slot = cursor.next() else { return nil }
                switch (slot.key, key) {
                case (nil, nil): break
                case (.some(let old), .some(let new)):
                    if let group = new.group, !hasSameHeader(group, old.group) { return nil }
                    if !hasSamePlace(old, new) || old.text != new.text { result.append(path) }
                case (nil, .some(let new)):
                    if let group = new.group, !hasSameHeader(group, nil) { return nil }
                    result.append(path)
                default: result.append(path)
                }
                path.item += 1
            }
        }
        return result
    }

    /// Whether a group has the same order and title as the present group of its id, and as the group that a row refers
    /// to.
    private func hasSameHeader(_ group: QueryGroup, _ known: QueryGroup?) -> Bool {
        for other in [groups[group.id], known] {
            guard let other, other !== group, other.id == group.id else { continue }
            guard other.title.hasSameBytes(as: group.title), other.compare(group) == 0 else { return false }
        }
        return true
    }

    private func hasSameSections(as other: Arrangement) -> Bool {
        guard arrangement.hidesEmptySections == other.hidesEmptySections,
            arrangement.isSearchable == other.isSearchable
        else { return false }
        switch (arrangement.sections, other.sections) {
        case (.source, .source), (.groups, .groups): return true
        case (.one(let left), .one(let right)): return left.id == right.id && left.title.hasSameBytes(as: right.title)
        default: return false
        }
    }
}
