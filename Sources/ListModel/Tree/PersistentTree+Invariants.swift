// What always holds of a tree and its locator, checked node by node. For tests and for `verify`.

/// A rule of the model that does not hold: a fault of the library or of the memory, not of anybody's data.
public struct InvariantViolation: Error, CustomStringConvertible {
    /// Which rule, and where.
    public let description: String

    init(_ description: String) { self.description = description }

    static func check(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw InvariantViolation(description()) }
    }
}

extension PersistentTree {
    /// Checks the shape and the summaries of the tree; with a locator, also that it knows every node and id.
    ///
    /// - Returns: how many nodes the tree has.
    /// - Complexity: O(n).
    @discardableResult
    func checkInvariants(owner: UInt32, _ locator: borrowing Locator<Element>) throws -> Int {
        guard let root else {
            try InvariantViolation.check(count == 0 && hash == 0, "a tree without nodes has elements or a hash")
            return 0
        }
        try InvariantViolation.check(root.count > (root.isLeaf ? 0 : 1), "the root has too few children")
        try InvariantViolation.check(
            locator.parent(of: root.number) == Locator<Element>.ownerFlag | owner, "the root has another owner")
        var nodes = 0
        let sum = try check(root, onRightEdge: true, isRoot: true, &nodes, locator)
        try InvariantViolation.check(sum.count == count, "the tree counts \(count) elements, its nodes \(sum.count)")
        try InvariantViolation.check(
            hash == SequenceHash.unsealed || hash == sum.hash, "the hash of the tree is not that of its elements")
        return nodes
    }

    private func check(
        _ node: TreeNode<Element>, onRightEdge: Bool, isRoot: Bool, _ nodes: inout Int,
        _ locator: borrowing Locator<Element>
    ) throws -> (count: Int, hash: UInt64) {
        nodes += 1
        let name = "node \(node.number)"
        try InvariantViolation.check(node.count > 0 && node.count <= node.width, "\(name) holds \(node.count)")
        try InvariantViolation.check(
            isRoot || onRightEdge || node.count >= limits.minimum(height: node.height), "\(name) is too empty")
        try InvariantViolation.check(locator.node(node.number) === node, "the locator has another \(name)")
        var count = 0
        var hash: UInt64 = 0
        for slot in 0..<node.count {
            if node.isLeaf {
                var element = node.elements[slot]
                let leaf = locator.index.firstLeaf(hash: element.id.hash64) { $0 == node.number }
                try InvariantViolation.check(leaf == node.number, "\(element.id) is not in the index")
                element.seal()
                count += 1
                hash = SequenceHash.add(SequenceHash.multiply(hash, SequenceHash.base), element.hash)
                continue
            }
            let child = node.children[slot]
            let childName = "child \(slot) of \(name)"
            try InvariantViolation.check(child.number == child.node.number, "\(childName) has another number")
            try InvariantViolation.check(child.node.height == node.height - 1, "\(childName) has another height")
            try InvariantViolation.check(
                locator.parent(of: child.number) == node.number, "\(childName) has another parent")
            let below = try check(
                child.node, onRightEdge: onRightEdge && slot == node.count - 1, isRoot: false, &nodes, locator)
            try InvariantViolation.check(below.count == Int(child.count), "\(childName) is miscounted")
            try InvariantViolation.check(
                child.hash == SequenceHash.unsealed || child.hash == below.hash,
                "the hash of \(childName) is not that of its elements")
            count += below.count
            hash = SequenceHash.add(SequenceHash.multiply(hash, SequenceHash.slowPower(below.count)), below.hash)
        }
        return (count, hash)
    }
}
