// The beginning of a tree, as a tree: it shares everything with the whole but the nodes at which it was cut.

extension PersistentTree where Element: TreeElement {
    /// The first elements, sealed if the tree is.
    ///
    /// - Parameters:
    ///   - length: how many; all if there are not as many.
    ///   - last: what is to stand in the place of the last of them, if it is not the one that does; it must be sealed.
    /// - Complexity: O(w · log n) for nodes of width w.
    func prefix(_ length: Int, replacingLast last: Element? = nil) -> PersistentTree {
        if length >= count && last == nil { return self }
        if length <= 0 { return PersistentTree(store) }
        var first = cut(top, min(length, count), last)
        // A root has more than one child.
        while let root = first.node, !root.isLeaf, root.count == 1 {
            first = withExtendedLifetime(root) { root.children[0] }
        }
        first.seal()
        return PersistentTree(first, store)
    }

    /// The first elements below a node: at least one.
    private func cut(_ child: TreeChild<Element>, _ length: Int, _ last: Element?) -> TreeChild<Element> {
        let node = store.node(child)
        // A node that is only in the cache may leave it meanwhile.
        return withExtendedLifetime(node) { cut(node, length, last) }
    }

    private func cut(_ node: TreeNode<Element>, _ length: Int, _ last: Element?) -> TreeChild<Element> {
        let result = TreeNode<Element>.make(height: node.height, width: node.width, number: node.number)
        result.isPlain = node.isPlain
        if node.isLeaf {
            // SAFETY: the new leaf is as wide as the other and empty, and that one has at least `length` elements.
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
            // SAFETY: as many children fit as the other node has, and slots are filled in order.
            result.children.advanced(by: slot).initialize(to: part)
            rest -= Int(part.count)
            slot += 1
        }
        result.count = slot
        return TreeChild(summarizing: result)
    }
}
