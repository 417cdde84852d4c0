// Search in a tree for something that its summaries do not contain: a place in an order of the caller, or an element that
// fulfils a condition of the caller.

extension PersistentTree where Element: TreeElement {
    /// Whether `matches` is true for an element.
    ///
    /// Equal parts of the tree, or of trees that were searched before, are searched once.
    ///
    /// - Parameters:
    ///   - unmatched: the hashes of nodes below which there is no match.
    ///   - matches: returns true for an element that is looked for.
    /// - Complexity: O(n − elements below nodes that are known). The hashes are sealed.
    func contains(
        passing unmatched: inout Set<UInt64>, where matches: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        count > 0 ? try contains(top, &unmatched, matches) : false
    }

    private func contains(
        _ child: TreeChild<Element>, _ unmatched: inout Set<UInt64>, _ matches: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        assert(child.hash != SequenceHash.unsealed)
        if unmatched.contains(child.hash) { return false }
        let node = pool.node(child)
        for slot in 0..<node.count {
            let found =
                node.isLeaf
                ? try matches(node.elements[slot]) : try contains(node.children[slot], &unmatched, matches)
            if found { return true }
        }
        unmatched.insert(child.hash)
        return false
    }

    /// The number of elements before a place: the length of the prefix for which `isBefore` returns true.
    ///
    /// Summaries contain nothing about the order, so the search compares the first element of a child.
    ///
    /// - Parameter isBefore: returns true for the elements before the place, and false for those after it. If the
    ///   elements are not sorted this way, the result is some number in `0 ... count`.
    /// - Complexity: O(log n) calls, and O(log² n) nodes.
    func partitionPoint(where isBefore: (borrowing Element) -> Bool) -> Int {
        guard count > 0 else { return 0 }
        let root = pool.node(top)
        return withExtendedLifetime(root) { partitionPoint(root, isBefore) }
    }

    private func partitionPoint(_ node: TreeNode<Element>, _ isBefore: (borrowing Element) -> Bool) -> Int {
        var low = 0
        var high = node.count
        if node.isLeaf {
            while low < high {
                let middle = (low + high) / 2
                if isBefore(node.elements[middle]) { low = middle + 1 } else { high = middle }
            }
            return low
        }
        // The place is in or at the end of the last child whose first element comes before it.
        while low < high {
            let middle = (low + high) / 2
            if isFirstBefore(node.children[middle], isBefore) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        var before = 0
        for slot in 0..<low - 1 { before += Int(node.children[slot].count) }
        let child = pool.node(node.children[low - 1])
        return withExtendedLifetime(child) { before + partitionPoint(child, isBefore) }
    }

    private func isFirstBefore(_ child: TreeChild<Element>, _ isBefore: (borrowing Element) -> Bool) -> Bool {
        var node = pool.node(child)
        while !node.isLeaf { node = pool.node(node.children[0]) }
        return withExtendedLifetime(node) { isBefore(node.elements[0]) }
    }
}
