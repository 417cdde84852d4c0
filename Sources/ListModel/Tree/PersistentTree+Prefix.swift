// A prefix of a tree, as a tree. It shares all nodes with the original, except those on the path of the cut.

extension PersistentTree where Element: TreeElement {
    /// The first elements. The result is sealed if the tree is.
    ///
    /// - Parameters:
    ///   - length: the number of elements; all if there are fewer.
    ///   - last: a replacement for the last of them, which must be sealed; nil to keep the last one.
    /// - Complexity: O(w · log n) for nodes of width w.
    func prefix(_ length: Int, replacingLast last: Element? = nil) -> PersistentTree {
        if length >= count && last == nil { return self }
        if length <= 0 { return PersistentTree(pool) }
        var first = cut(top, min(length, count), last)
        // Replaces an inner root that has only one child.
        while let root = first.node, !root.isLeaf, root.count == 1 {
            first = withExtendedLifetime(root) { root.children[0] }
        }
        first.seal()
        return PersistentTree(first, pool)
    }

    /// The first `length` elements below a node; at least one.
    private func cut(_ child: TreeChild<Element>, _ length: Int, _ last: Element?) -> TreeChild<Element> {
        let node = pool.node(child)
        // A node that is only in the cache may be evicted meanwhile.
        return withExtendedLifetime(node) { cut(node, length, last) }
    }

    private func cut(_ node: TreeNode<Element>, _ length: Int, _ last: Element?) -> TreeChild<Element> {
        let result = TreeNode<Element>.make(height: node.height, width: node.width, number: node.number)
        result.isPlain = node.isPlain
        if node.isLeaf {
            // SAFETY: the new leaf is empty and as wide as the old one, which has at least `length` elements.
            result.elements.initialize(from: node.elements, count: length)
            result.count = length
            if let last {
                if !last.isPlain { result.isPlain = false }
                result.elements[length - 1] = last
            }
            return TreeChild(summarizing: result)
        }
        var rest = length
        var slot = 0
        while rest > 0 {
            let whole = node.children[slot]
            let isWhole = rest > Int(whole.count) || (rest == Int(whole.count) && last == nil)
            let part = isWhole ? whole : cut(whole, rest, last)
            // SAFETY: there is room for all children of the old node, and slots are filled in order.
            result.children.advanced(by: slot).initialize(to: part)
            rest -= Int(part.count)
            slot += 1
        }
        result.count = slot
        return TreeChild(summarizing: result)
    }
}
