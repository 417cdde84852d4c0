// The sections that a stage shows, where their rows are those of the source and need no positions of their own.
//
// Always holds: the rows are counted, and every node is sealed.

/// Sections of a stage, whose rows are read through the nodes of its source.
struct ShownSections: Sendable {
    private var top: TreeChild<SectionEntry> = .empty
    private var itemCount = 0

    /// - Complexity: O(s) for s sections.
    init(_ sections: [SectionEntry], of source: UntypedSnapshot) {
        var tree = PersistentTree(unlocated: sections, ShownSections.pool(of: source))
        tree.seal()
        top = tree.top
        for section in sections { itemCount += section.itemCount }
    }

    /// A pool of its own, because a checkpoint must not count these nodes as changes of the source.
    private static func pool(of source: UntypedSnapshot) -> NodePool { NodePool(after: source.tree.pool) }

    /// Changes the sections.
    ///
    /// - Parameters:
    ///   - source: the source from now on.
    ///   - body: changes the sections and the number of their rows.
    mutating func edit(
        for source: UntypedSnapshot, _ body: (inout PersistentTree<SectionEntry>, _ itemCount: inout Int) -> Void
    ) {
        var tree = PersistentTree(exchange(&top, with: .empty), ShownSections.pool(of: source))
        body(&tree, &itemCount)
        tree.seal()
        top = exchange(&tree.top, with: .empty)
    }

    /// The rows, as those of the source's version.
    ///
    /// - Parameter source: the source that the stage followed last.
    func snapshot(of source: UntypedSnapshot) -> UntypedSnapshot {
        // Stored rows are read through the source's pool, and its lease keeps them.
        UntypedSnapshot(version: source.version, itemCount: itemCount, tree: PersistentTree(top, source.tree.pool))
    }
}
