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
        hash = Self.seal(root).hash
    }

    private static func seal(_ node: TreeNode<Element>) -> (hash: UInt64, power: UInt64) {
        node.isLeaf ? sealLeaf(node) : sealInner(node)
    }

    private static func sealInner(_ node: TreeNode<Element>) -> (hash: UInt64, power: UInt64) {
        var hash: UInt64 = 0
        var power: UInt64 = 1
        let children = node.children
        for slot in 0..<node.count {
            if children[slot].hash == SequenceHash.unsealed {
                (children[slot].hash, children[slot].power) = seal(children[slot].node)
            }
            hash = SequenceHash.add(SequenceHash.multiply(hash, children[slot].power), children[slot].hash)
            power = SequenceHash.multiply(power, children[slot].power)
        }
        return (hash, power)
    }

    /// A sum of products, reduced only when 128 bits might not hold the next: no step waits for the one before.
    private static func sealLeaf(_ leaf: TreeNode<Element>) -> (hash: UInt64, power: UInt64) {
        let elements = leaf.elements
        let count = leaf.count
        let powers = SequenceHash.powers
        var hash: UInt64 = 0
        var start = 0
        while start < count {
            let chunk = min(count &- start, SequenceHash.stride / 2)
            var high: UInt64 = 0
            var low: UInt64 = 0
            for index in 0..<chunk {
                elements[start &+ index].seal()
                let product = elements[start &+ index].hash.multipliedFullWidth(by: powers[chunk &- 1 &- index])
                let sum = low.addingReportingOverflow(product.low)
                low = sum.partialValue
                high = high &+ product.high &+ (sum.overflow ? 1 : 0)
            }
            hash = SequenceHash.add(
                SequenceHash.multiply(hash, powers[chunk]), SequenceHash.reduce(sumHigh: high, low: low))
            start &+= chunk
        }
        return (hash, SequenceHash.power(count))
    }
}
