// Checks the stored nodes of a snapshot, and finds the rows that are in none.

extension UntypedSnapshot {
    /// Calls `body` with the rows of the leaves that are not stored. A row that is newer than the last checkpoint is in one of these.
    ///
    /// - Complexity: O(such rows): nothing is read.
    package func forEachNewRow(_ body: (UntypedRow) -> Void) { forEachNewRow(below: tree.top, body) }

    private func forEachNewRow(below child: TreeChild<SectionEntry>, _ body: (UntypedRow) -> Void) {
        guard let node = child.newNode else { return }
        for slot in 0..<node.count {
            if node.isLeaf {
                forEachNewRow(below: node.elements[slot].rows, body)
            } else {
                forEachNewRow(below: node.children[slot], body)
            }
        }
    }

    private func forEachNewRow(below child: TreeChild<UntypedRow>, _ body: (UntypedRow) -> Void) {
        guard let node = child.newNode else { return }
        for slot in 0..<node.count {
            if node.isLeaf { body(node.elements[slot]) } else { forEachNewRow(below: node.children[slot], body) }
        }
    }

    /// Reads and checks every node that is not known to be intact: its checksum, and that it has the summary that its
    /// parent has of it.
    ///
    /// - Parameter known: the stored numbers of nodes that were checked already; the nodes of this snapshot are added, and
    ///   those that they are patches of. So of several checkpoints, the oldest is checked first.
    /// - Throws: ``NodeError`` for the first damaged node.
    /// - Complexity: O(nodes that are not known).
    package func checkNodes(_ known: inout NumberSet) throws {
        if tree.count > 0 { try check(tree.top, &known) }
    }

    private func check(_ child: TreeChild<SectionEntry>, _ known: inout NumberSet) throws {
        guard let node = try read(child, &known) else { return }
        for slot in 0..<node.count {
            if node.isLeaf {
                let rows = node.elements[slot].rows
                if rows.count > 0 { try check(rows, &known) }
            } else {
                try check(node.children[slot], &known)
            }
        }
    }

    private func check(_ child: TreeChild<UntypedRow>, _ known: inout NumberSet) throws {
        guard let node = try read(child, &known), !node.isLeaf else { return }
        for slot in 0..<node.count { try check(node.children[slot], &known) }
    }

    private func read<Element: TreeElement>(
        _ child: TreeChild<Element>, _ known: inout NumberSet
    ) throws -> TreeNode<Element>? {
        if let node = child.node { return node }
        if !known.insert(child.stored) { return nil }
        let pool = tree.pool
        guard let chain = try pool.checked({ pool.chain(of: child) }) else { return nil }
        for number in chain.numbers { _ = known.insert(number) }
        return try chain.node(child, pool.limits)
    }
}
