// Nodes that are no longer needed, to be reused for the next ones.
//
// A comparison of two lists reads thousands of nodes, a few at a time. Reuse saves allocations: the memory of a spare
// node is still in the processor's cache, and a leaf is too large for the fast path of an allocator.
//
// Always holds: a spare node has no other reference. A node that `take` returns is as empty as a new one.

/// Nodes to reuse.
struct SpareNodes<Element: TreeElement> {
    private var leaves: [TreeNode<Element>] = []
    private var inner: [TreeNode<Element>] = []

    /// Enough for a comparison, which mostly reads paths of nodes and a few of their neighbours.
    private static var limit: Int { 64 }

    /// An empty node: a spare one, or a new one.
    mutating func take(height: Int, width: Int, number: UInt32) -> TreeNode<Element> {
        guard let node = height == 0 ? leaves.popLast() : inner.popLast(), node.width >= width else {
            return TreeNode.make(height: height, width: width, number: number)
        }
        node.becomeEmpty(height: height, number: number)
        return node
    }

    /// Keeps a node that is no longer needed, if there is no other reference to it.
    mutating func put(_ node: consuming TreeNode<Element>) {
        guard isKnownUniquelyReferenced(&node) else { return }
        if node.isLeaf {
            if leaves.count < Self.limit { leaves.append(node) }
        } else if inner.count < Self.limit {
            inner.append(node)
        }
    }
}
