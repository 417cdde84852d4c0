// A cache of stored nodes that were read recently.
//
// Always holds: a node in a cache is never written.

import Synchronization

/// The nodes that were read most recently, in two generations. When the younger one is full, the older one is evicted
/// and the younger one becomes the older one. A node of the older generation that is looked up again moves to the
/// younger one.
final class NodeCache<Element>: Sendable {
    // @unchecked Sendable: the nodes in a cache are never written.
    private struct Generations: @unchecked Sendable {
        var young = NodeTable<Element>()
        var old = NodeTable<Element>()
        /// The size of the nodes of the younger generation in bytes.
        var youngSize = 0

        mutating func insert(_ node: TreeNode<Element>, _ key: NodeKey, limit: Int) {
            let stride = node.isLeaf ? MemoryLayout<Element>.stride : MemoryLayout<TreeChild<Element>>.stride
            // The entry in the table and the header of the node take about a hundred bytes.
            youngSize += 100 + node.width * stride
            young.insert(node, key)
            guard youngSize > limit / 2 else { return }
            // The next generation will have about as many nodes, so its table gets the same size at once.
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
    subscript(key: NodeKey) -> TreeNode<Element>? {
        state.withLock { state in
            if let node = state.young[key] { return node }
            guard let node = state.old.remove(key) else { return nil }
            state.insert(node, key, limit: limit)
            return node
        }
    }

    /// Removes the node of a stored child from the cache and returns it.
    func take(_ key: NodeKey) -> TreeNode<Element>? {
        state.withLock { $0.young.remove(key) ?? $0.old.remove(key) }
    }

    func insert(_ node: TreeNode<Element>, _ key: NodeKey) {
        state.withLock { $0.insert(node, key, limit: limit) }
    }
}
