// The hash of the sequence: brought up to date along the paths that changed.
//
// Always holds: unsealed hashes exist only in nodes that nobody else refers to, because a snapshot is sealed before it
// is handed out. Sealing therefore writes nodes without copying them.

extension PersistentTree {
    /// Computes the hashes of all nodes that changed since the last time.
    ///
    /// - Complexity: O(w · log n) after one edit, for nodes of width w.
    @inline(__always)
    mutating func seal() {
        guard hash == SequenceHash.unsealed, let root else { return }
        hash = Self.seal(root)
    }

    private static func seal(_ node: TreeNode<Element>) -> UInt64 {
        var sum = SequenceHash.Sum()
        // From the back, because the exponent is the number of elements that follow.
        var slot = node.count
        if node.isLeaf {
            let elements = node.elements
            let last = slot &- 1
            while slot > 0 {
                slot &-= 1
                elements[slot].seal()
                sum.add(elements[slot].hash, exponent: last &- slot)
            }
            return sum.value
        }
        let children = node.children
        var following = 0
        while slot > 0 {
            slot &-= 1
            if children[slot].hash == SequenceHash.unsealed { children[slot].hash = seal(children[slot].node) }
            sum.add(children[slot].hash, exponent: following)
            following &+= Int(children[slot].count)
        }
        return sum.value
    }
}
