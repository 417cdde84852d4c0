// The rows of a section, as the tree that they are.

extension SectionEntry {
    /// The tree of the rows, with the store of the tree that holds the section.
    @inline(__always)
    func items(_ store: NodeStore) -> PersistentTree<ListItem> { PersistentTree(rows, store) }

    /// Changes the tree of the rows, with the store of the tree that holds the section.
    @inline(__always)
    mutating func editItems<Result>(
        _ store: NodeStore, _ body: (inout PersistentTree<ListItem>) throws -> Result
    ) rethrows -> Result {
        try editRows { try $0.edit(store, body) }
    }

    /// The section's contents as an event carries them.
    func contents(_ store: NodeStore) -> ListSection {
        ListSection(id: id, title: title, items: items(store).elements(in: 0..<itemCount))
    }
}
