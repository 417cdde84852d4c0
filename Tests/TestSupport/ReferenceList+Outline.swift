// The specification of outlines: a parent is found by searching backward, a subtree by searching forward.

import ListModel

extension ReferenceList {
    /// The row that a row is below, in the same section.
    public func parent(of path: ListIndexPath) -> ListIndexPath? {
        let items = sections[path.section].items
        return (0..<path.item).last { items[$0].depth < items[path.item].depth }
            .map { ListIndexPath(section: path.section, item: $0) }
    }

    /// The parent, its parent and so on.
    public func ancestors(of path: ListIndexPath) -> [ListIndexPath] {
        guard let parent = parent(of: path) else { return [] }
        return [parent] + ancestors(of: parent)
    }

    /// A row and all rows below it.
    public func subtree(of path: ListIndexPath) -> [ListIndexPath] {
        let rows = rows(inSection: path.section)[path.item...]
        return [path] + rows.dropFirst().prefix { item(at: $0).depth > item(at: path).depth }
    }

    /// The rows directly below a row; without one, those without a parent.
    public func children(of path: ListIndexPath?, inSection section: Int) -> [ListIndexPath] {
        rows(inSection: section).filter { parent(of: $0) == path }
    }

    /// Whether no ancestor is collapsed.
    public func isVisible(_ path: ListIndexPath) -> Bool {
        ancestors(of: path).allSatisfy { !item(at: $0).isCollapsed }
    }

    /// The rows that no ancestor hides.
    public func visibleRows() -> ReferenceList {
        var result = self
        for section in sections.indices {
            result.sections[section].items = rows(inSection: section).filter(isVisible).map { item(at: $0) }
        }
        return result
    }

    private func rows(inSection section: Int) -> [ListIndexPath] {
        sections[section].items.indices.map { ListIndexPath(section: section, item: $0) }
    }

    private func known(_ id: UntypedID) throws -> ListIndexPath {
        guard let path = path(of: id) else { throw ListError.unknownItem(id) }
        return path
    }
}

// MARK: - Edits

extension ReferenceList {
    mutating func insert(_ items: [NewRow], _ destination: OutlineDestination) throws {
        let (path, depth) = try resolve(destination)
        try checkDepths(items)
        var placed = items
        for index in placed.indices { placed[index].depth += depth }
        try checkDepths(placed)
        try checkNew(placed)
        sections[path.section].items.insert(contentsOf: placed.map { ReferenceItem($0) }, at: path.item)
    }

    mutating func moveSubtree(_ id: UntypedID, _ destination: OutlineDestination) throws {
        let source = try known(id)
        let paths = subtree(of: source)
        switch destination {
        case .root: break
        case .lastChild(let anchor), .firstChild(let anchor), .before(let anchor), .after(let anchor):
            if paths.contains(try known(anchor)) { throw ListError.movedOntoItself(id) }
        }
        var rest = self
        var moved = paths.map { item(at: $0) }
        for path in paths.reversed() { rest.sections[path.section].items.remove(at: path.item) }
        let (path, depth) = try rest.resolve(destination)
        let change = depth - moved[0].depth
        for index in moved.indices { moved[index].depth += change }
        if let deep = moved.first(where: { $0.depth > 63 }) {
            throw ListError.depthOutOfRange(deep.id, depth: deep.depth)
        }
        rest.sections[path.section].items.insert(contentsOf: moved, at: path.item)
        self = rest
    }

    mutating func deleteSubtrees(_ ids: [UntypedID]) throws {
        let paths = Set(try ids.flatMap { subtree(of: try known($0)) })
        for path in paths.sorted().reversed() { sections[path.section].items.remove(at: path.item) }
    }

    mutating func indent(_ id: UntypedID) throws {
        let path = try known(id)
        let siblings = children(of: parent(of: path), inSection: path.section)
        guard let index = siblings.firstIndex(of: path), index > 0 else { throw ListError.cannotIndent(id) }
        try changeDepth(subtree(of: path), item(at: siblings[index - 1]).depth + 1 - item(at: path).depth)
    }

    mutating func outdent(_ id: UntypedID) throws {
        guard let parent = parent(of: try known(id)) else { throw ListError.cannotOutdent(id) }
        try moveSubtree(id, .after(item(at: parent).id))
    }

    mutating func changeDepth(_ paths: [ListIndexPath], _ change: Int) throws {
        for path in paths {
            let depth = item(at: path).depth + change
            if depth < 0 || depth > 63 { throw ListError.depthOutOfRange(item(at: path).id, depth: depth) }
        }
        for path in paths { sections[path.section].items[path.item].depth += change }
    }

    mutating func setCollapsed(_ isCollapsed: Bool, for id: UntypedID, recursively: Bool) throws {
        let path = try known(id)
        sections[path.section].items[path.item].isCollapsed = isCollapsed
        guard recursively else { return }
        for below in subtree(of: path).dropFirst() where !isCollapsed || subtree(of: below).count > 1 {
            sections[below.section].items[below.item].isCollapsed = isCollapsed
        }
    }

    private func resolve(_ destination: OutlineDestination) throws -> (ListIndexPath, depth: Int) {
        switch destination {
        case .root(let id):
            guard let section = indexOfSection(id) else { throw ListError.unknownSection(id) }
            return (ListIndexPath(section: section, item: sections[section].items.count), 0)
        case .before(let id):
            let path = try known(id)
            return (path, item(at: path).depth)
        case .after(let id):
            let path = try known(id)
            return (path.advanced(by: subtree(of: path).count), item(at: path).depth)
        case .lastChild(let id):
            let path = try known(id)
            return (path.advanced(by: subtree(of: path).count), item(at: path).depth + 1)
        case .firstChild(let id):
            let path = try known(id)
            let first = children(of: path, inSection: path.section).first
            return (path.advanced(by: 1), first.map { item(at: $0).depth } ?? item(at: path).depth + 1)
        }
    }
}

extension ListIndexPath {
    fileprivate func advanced(by distance: Int) -> ListIndexPath {
        ListIndexPath(section: section, item: item + distance)
    }
}
