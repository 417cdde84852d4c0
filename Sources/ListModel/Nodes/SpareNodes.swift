// Nodes that were looked at and are not needed any more, to be used for the next ones.
//
// Who compares two lists reads thousands of nodes, a few at a time. Their memory is still in the processor's cache when the
// next one is read, and a leaf is larger than what an allocator has at hand.
//
// Always holds: nobody else refers to a spare node; one that is handed out is like one that was just made.

/// Nodes to be used again.
struct SpareNodes<Element: TreeElement> {
    private var leaves: [TreeNode<Element>] = []
    private var inner: [TreeNode<Element>] = []

    /// Most that is compared are paths of nodes and a few of their neighbours.
    private static var limit: Int { 64 }

    /// An empty node, which is used again or made.
    mutating func take(height: Int, width: Int, number: UInt32) -> TreeNode<Element> {
        guard let node = height == 0 ? leaves.popLast() : inner.popLast(), node.width >= width else {
            return TreeNode.make(height: height, width: width, number: number)
        }
        node.becomeEmpty(height: height, number: number)
        return node
    }

    /// Takes a node that is not needed any more, if nobody else has it.
    mutating func put(_ node: consuming TreeNode<Element>) {
        guard isKnownUniquelyReferenced(&node) else { return }
        if node.isLeaf {
            if leaves.count < Self.limit { leaves.append(node) }
        } else if inner.count < Self.limit {
            inner.append(node)
        }
    }
}
