// The stored nodes that somebody looked at lately.
//
// Always holds: a node in a cache is never written.

import Synchronization

/// Nodes that somebody looked at, the newest of them: two generations, of which the older one is dropped when the
/// younger one is full. What is asked for again moves to the younger one.
final class NodeCache<Element>: Sendable {
    // @unchecked Sendable: the nodes in a cache are never written.
    private struct Generations: @unchecked Sendable {
        var young = NodeTable<Element>()
        var old = NodeTable<Element>()
        /// How many bytes the nodes of the younger generation take.
        var youngSize = 0

        mutating func insert(_ node: TreeNode<Element>, _ child: TreeChild<Element>, limit: Int) {
            let stride = node.isLeaf ? MemoryLayout<Element>.stride : MemoryLayout<TreeChild<Element>>.stride
            // An entry of the table and the beginning of the node take about a hundred bytes.
            youngSize += 100 + node.width * stride
            young.insert(node, child)
            guard youngSize > limit / 2 else { return }
            // As many will come as came, so the table is made as large as it will be.
            let slotCount = young.slotCount
            old = young
            young = NodeTable(slotCount: slotCount)
            youngSize = 0
        }
    }

    private let state = Mutex(Generations())
    private let limit: Int

    /// A cache of at most about `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The node of a stored child, if it is in the cache.
    subscript(child: TreeChild<Element>) -> TreeNode<Element>? {
        state.withLock { state in
            if let node = state.young[child] { return node }
            guard let node = state.old.remove(child) else { return nil }
            state.insert(node, child, limit: limit)
            return node
        }
    }

    /// Takes the node of a stored child out of the cache.
    func take(_ child: TreeChild<Element>) -> TreeNode<Element>? {
        state.withLock { $0.young.remove(child) ?? $0.old.remove(child) }
    }

    func insert(_ node: TreeNode<Element>, _ child: TreeChild<Element>) {
        state.withLock { $0.insert(node, child, limit: limit) }
    }

    func removeAll() {
        state.withLock { $0 = Generations() }
    }
}
