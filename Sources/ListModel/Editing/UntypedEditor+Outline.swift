// Edits of outlines: inserting, moving, deleting, indenting and collapsing subtrees.
//
// An edit of a subtree is one or two events for a run of consecutive rows: the rows move, and then they change their
// depth. Between the two events they may have other parents, but nobody sees that state.
//
// Always holds: rows outside of the edited subtree keep their parents.

extension UntypedEditor {
    /// Inserts rows at a place in an outline, as one event.
    ///
    /// ```swift
    /// try editor.insert([NewRow(id: 8, content: oats)], in: .lastChild(of: 7))
    /// ```
    ///
    /// - Parameters:
    ///   - items: rows whose ids are not in the list. Their depths are relative to the place: a row at the place itself
    ///     has depth 0, and its children follow it with depth 1. If empty, nothing happens.
    ///   - destination: the place of the first row.
    /// - Throws: ``ListError`` for a duplicate id, an unknown row or section, or a depth out of range.
    /// - Complexity: O(k + log n) for k rows.
    public mutating func insert(_ items: [NewRow], in destination: OutlineDestination) throws {
        let place = try self.place(destination)
        let placed = try items.map { item in
            // A negative depth would be outside of the place. The sum of two depths cannot overflow.
            try item.checkDepth()
            var placed = item
            placed.depth += place.depth
            return placed
        }
        if let run = ListRun(placed) { try insert(run, at: place.path) }
    }

    /// Moves a row, with all rows below it, to another place in an outline.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - destination: its place after the move, which may be in another section.
    /// - Throws: ``ListError`` for an unknown row or section, for a destination that is the row itself or below it
    ///   (``ListError/movedOntoItself(_:)``), or if a row would be too deep.
    /// - Complexity: O(k log n) for k rows.
    public mutating func moveSubtree(_ id: UntypedID, to destination: OutlineDestination) throws {
        let run = try subtree(id)
        if let anchor = destination.anchor, let path = state.indexPath(of: anchor), run.contains(path) {
            throw ListError.movedOntoItself(id)
        }
        let place = try self.place(destination, without: run)
        let change = place.depth - state.item(at: run.path)!.depth
        let target = Gap(place: place.path, anchor: nil).path(without: .one(run))
        try atomically { editor in
            try editor.moveRun(run, to: target)
            try editor.indentRun(ItemRun(path: target, count: run.count), by: change)
        }
    }

    /// Deletes rows with all rows below them, with one event for each run of consecutive rows.
    ///
    /// - Parameter ids: the rows. A row that is below another one of them is deleted with it.
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k log n) for k rows.
    public mutating func deleteSubtrees(_ ids: [UntypedID]) throws {
        var runs: [ItemRun] = []
        for run in try ids.map({ try subtree($0) }).ordered(by: { $0.path < $1.path }) {
            guard let last = runs.last, last.path.section == run.path.section else {
                runs.append(run)
                continue
            }
            // Two subtrees are nested or disjoint.
            if last.contains(run.path) { continue }
            if last.path(last.count) == run.path {
                runs[runs.count - 1].count += run.count
            } else {
                runs.append(run)
            }
        }
        try atomically { editor in
            for run in runs.reversed() { try editor.append(.itemsDeleted(at: run.path, editor.items(in: run))) }
        }
    }

    /// Makes a row, with its subtree, the last child of the sibling before it.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``; ``ListError/cannotIndent(_:)`` if it is the first of its siblings;
    ///   ``ListError/depthOutOfRange(_:depth:)``.
    /// - Complexity: O(k log n) for k rows.
    public mutating func indent(_ id: UntypedID) throws {
        let run = try subtree(id)
        let outline = state.outline(inSectionAt: run.path.section)
        guard let sibling = outline.previousSibling(of: run.path.item) else { throw ListError.cannotIndent(id) }
        let items = outline.items
        try indentRun(run, by: items[sibling].depth + 1 - items[run.path.item].depth)
    }

    /// Makes a row, with its subtree, the next sibling of its parent. Its former siblings stay children of that parent,
    /// so those that came after the row now come before it.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``; ``ListError/cannotOutdent(_:)`` if it has no parent.
    /// - Complexity: O(k log n) for k rows.
    public mutating func outdent(_ id: UntypedID) throws {
        guard let path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
        let outline = state.outline(inSectionAt: path.section)
        guard let parent = outline.parent(of: path.item) else { throw ListError.cannotOutdent(id) }
        try moveSubtree(id, to: .after(outline.items[parent].id))
    }

    /// Changes the depth of the selected rows only. Rows after them may get another parent.
    ///
    /// - Parameters:
    ///   - selection: the rows.
    ///   - change: the number to add to their depths; it may be negative.
    /// - Throws: ``ListError`` for an unknown id, an index out of range, or a depth out of range.
    /// - Complexity: O(k log n) for k rows, with one event for each run of consecutive rows.
    public mutating func changeDepth(of selection: ItemSelection, by change: Int) throws {
        let runs = try resolve(selection)
        try atomically { editor in
            for run in runs { try editor.indentRun(run, by: change) }
        }
    }

    /// Hides or shows the children of a row.
    ///
    /// - Parameters:
    ///   - isCollapsed: whether they are hidden.
    ///   - id: the row, which may have no children yet.
    ///   - recursively: whether to do the same to all rows below it that have children.
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(log n); recursively O(k log n) for k rows below it. One event for each row that changes.
    public mutating func setCollapsed(_ isCollapsed: Bool, for id: UntypedID, recursively: Bool = false) throws {
        var run = try subtree(id)
        if !recursively { run.count = 1 }
        let items = items(in: run)
        try atomically { editor in
            for (index, item) in items.enumerated() where item.isCollapsed != isCollapsed {
                let hasChildren = index + 1 < items.count && items[index + 1].depth > item.depth
                // A row below that has no children is never collapsed, but it is expanded if it was collapsed.
                guard index == 0 || hasChildren || !isCollapsed else { continue }
                try editor.append(.itemCollapsed(at: run.path(index), item.id, isCollapsed: isCollapsed))
            }
        }
    }

    /// Hides the children of a row. See ``setCollapsed(_:for:recursively:)``.
    public mutating func collapse(_ id: UntypedID, recursively: Bool = false) throws {
        try setCollapsed(true, for: id, recursively: recursively)
    }

    /// Shows the children of a row. See ``setCollapsed(_:for:recursively:)``.
    public mutating func expand(_ id: UntypedID, recursively: Bool = false) throws {
        try setCollapsed(false, for: id, recursively: recursively)
    }
}

// MARK: - Places

extension OutlineDestination {
    /// The row that the place is relative to.
    fileprivate var anchor: UntypedID? {
        switch self {
        case .root: nil
        case .lastChild(let id), .firstChild(let id), .before(let id), .after(let id): id
        }
    }
}

extension UntypedEditor {
    /// A row and all rows below it.
    private func subtree(_ id: UntypedID) throws -> ItemRun {
        guard let path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
        let rows = state.outline(inSectionAt: path.section).subtree(of: path.item)
        return ItemRun(path: path, count: rows.count)
    }

    /// The path of a destination, counting all rows, and its depth.
    ///
    /// - Parameter moved: the rows to move there. The anchor is not among them.
    private func place(
        _ destination: OutlineDestination, without moved: ItemRun? = nil
    ) throws -> (path: ListIndexPath, depth: Int) {
        if case .root(let id) = destination {
            let section = try indexOfSection(id)
            return (ListIndexPath(section: section, item: state.itemCount(inSectionAt: section)), 0)
        }
        let anchor = try subtree(destination.anchor!)
        let outline = state.outline(inSectionAt: anchor.path.section)
        let depth = outline.items[anchor.path.item].depth
        switch destination {
        case .before: return (anchor.path, depth)
        case .after, .root: return (anchor.path(anchor.count), depth)
        case .lastChild: return (anchor.path(anchor.count), depth + 1)
        case .firstChild:
            var first = 1
            if let moved, moved.path == anchor.path(1) { first += moved.count }
            // The depth of the present first child, which would otherwise become a child of the new row.
            let isOnly = first >= anchor.count
            return (anchor.path(1), isOnly ? depth + 1 : outline.items[anchor.path.item + first].depth)
        }
    }

    /// Changes the depth of consecutive rows as one event. Makes no event if the depth stays.
    private mutating func indentRun(_ run: ItemRun, by change: Int) throws {
        if change == 0 || run.count == 0 { return }
        try append(.itemsIndented(at: run.path, items(in: run).mapped(\.id), by: change))
    }
}
