// Checks the invariants of a tree and its locator, node by node. For tests and for `verify`.

/// An invariant of the model does not hold. The cause is a bug of the library or faulty memory, not the data.
package struct InvariantViolation: Error, CustomStringConvertible {
    /// The invariant, and where it is violated.
    package let description: String

    init(_ description: String) { self.description = description }

    static func check(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw InvariantViolation(description()) }
    }
}

extension PersistentTree where Element: TreeElement {
    /// Checks the shape and the summaries of the tree. With a locator, also checks that it tracks every node and id.
    ///
    /// - Returns: the number of nodes of the tree.
    /// - Complexity: O(n).
    @discardableResult
    func checkInvariants(
        owner: UInt32, isFilled: Bool = true, _ locator: borrowing Locator<Element>
    ) throws -> Int {
        guard count > 0 else {
            try InvariantViolation.check(
                top.node == nil && top.stored == 0 && hash == 0 && top.lowestDepth == TreeDepth.none,
                "a tree without elements has nodes, a hash or a depth")
            return 0
        }
        let root = pool.node(top)
        try InvariantViolation.check(root.count > (root.isLeaf ? 0 : 1), "the root has too few children")
        try InvariantViolation.check(
            !locator.isTracking || locator.parent(of: top.number) == Locator<Element>.ownerFlag | owner,
            "the root has another owner")
        var nodes = 0
        let limits = isFilled ? pool.limits : nil
        try check(top, height: root.height, onRightEdge: true, isRoot: true, limits, &nodes, locator)
        return nodes
    }

    private func check(
        _ child: TreeChild<Element>, height: Int, onRightEdge: Bool, isRoot: Bool, _ limits: TreeLimits?,
        _ nodes: inout Int, _ locator: borrowing Locator<Element>
    ) throws {
        nodes += 1
        let node = pool.node(child)
        let name = "node \(child.number)"
        try InvariantViolation.check(node.number == child.number, "\(name) has another number")
        try InvariantViolation.check(node.height == height, "\(name) has another height")
        try InvariantViolation.check(node.count > 0 && node.count <= node.width, "\(name) holds \(node.count)")
        try InvariantViolation.check(
            isRoot || onRightEdge || node.count >= limits?.minimum(height: height) ?? 1, "\(name) is too empty")
        var count = 0
        var hash: UInt64 = 0
        var lowestDepth = TreeDepth.none
        for slot in 0..<node.count {
            if node.isLeaf {
                var element = node.elements[slot]
                if locator.isTracking {
                    try element.forEachKey(locator.hashing) { key in
                        let leaf = locator.index.firstLeaf(hash: key) { $0 == child.number }
                        try InvariantViolation.check(leaf == child.number, "\(element.id) is not in the index")
                    }
                }
                element.seal()
                count += 1
                lowestDepth = min(lowestDepth, element.outlineDepth)
                hash = SequenceHash.add(SequenceHash.multiply(hash, SequenceHash.base), element.hash)
                continue
            }
            let lower = node.children[slot]
            try InvariantViolation.check(
                !locator.isTracking || locator.parent(of: lower.number) == child.number,
                "node \(lower.number) has another parent than \(name)")
            let isLast = onRightEdge && slot == node.count - 1
            try check(lower, height: height - 1, onRightEdge: isLast, isRoot: false, limits, &nodes, locator)
            count += Int(lower.count)
            lowestDepth = min(lowestDepth, lower.lowestDepth)
            if lower.hash == SequenceHash.unsealed {
                try InvariantViolation.check(child.hash == SequenceHash.unsealed, "\(name) is sealed above another")
            } else {
                let moved = SequenceHash.multiply(hash, SequenceHash.slowPower(Int(lower.count)))
                hash = SequenceHash.add(moved, lower.hash)
            }
        }
        try InvariantViolation.check(count == Int(child.count), "\(name) has \(count) elements")
        try InvariantViolation.check(
            lowestDepth == child.lowestDepth,
            "the lowest depth below \(name) is \(lowestDepth), not \(child.lowestDepth)")
        try InvariantViolation.check(
            child.hash == SequenceHash.unsealed || child.hash == hash,
            "the hash of \(name) is not that of its elements")
    }
}
