// Binary search in a tree that is sorted in an order of the caller.
//
// Summaries contain nothing about that order, so the search compares the first element of a child.

extension PersistentTree where Element: TreeElement {
    /// The number of elements before a place: the length of the prefix for which `isBefore` returns true.
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
