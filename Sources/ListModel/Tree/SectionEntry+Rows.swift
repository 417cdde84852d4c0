// The tree of the rows of a section.

extension SectionEntry {
    /// The tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    func items(_ store: NodeStore) -> PersistentTree<ListItem> { PersistentTree(rows, store) }

    /// Changes the tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    mutating func editItems<Result>(
        _ store: NodeStore, _ body: (inout PersistentTree<ListItem>) throws -> Result
    ) rethrows -> Result {
        try editRows { try $0.edit(store, body) }
    }

    /// The section with its rows, as an event carries it.
    func contents(_ store: NodeStore) -> ListSection {
        ListSection(id: id, title: title, items: items(store).elements(in: 0..<itemCount))
    }
}
