// The tree of the rows of a section.

extension SectionEntry {
    /// The tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    func items(_ pool: NodePool) -> PersistentTree<ListItem> { PersistentTree(rows, pool) }

    /// Changes the tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    mutating func editItems<Result>(
        _ pool: NodePool, _ body: (inout PersistentTree<ListItem>) throws -> Result
    ) rethrows -> Result {
        try editRows { try $0.edit(pool, body) }
    }

    /// The section with its rows, as an event carries it.
    func contents(_ pool: NodePool) -> ListSection {
        ListSection(id: id, title: title, items: items(pool).elements(in: 0..<itemCount))
    }
}
