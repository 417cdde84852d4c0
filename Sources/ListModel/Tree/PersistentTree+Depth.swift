// Finds elements by their depth, and changes many elements at once.
//
// The summary of each node has the lowest depth below it, so a search skips nodes whose elements are all too deep. The
// end of a subtree and the parent of a row are found in logarithmic time, however far away they are.

extension PersistentTree where Element: TreeElement {
    /// The offset of the first element at or after `start` that is not deeper than `depth`; nil if there is none.
    ///
    /// - Complexity: O(w · log n), for nodes of width w.
    func firstOffset(from start: Int, notDeeperThan depth: Int) -> Int? {
        guard depth >= 0, start < count else { return nil }
        return top.firstOffset(from: max(0, start), UInt8(clamping: depth), pool)
    }

    /// The offset of the last element before `end` that is not deeper than `depth`; nil if there is none.
    ///
    /// - Complexity: O(w · log n), for nodes of width w.
    func lastOffset(before end: Int, notDeeperThan depth: Int) -> Int? {
        guard depth >= 0, end > 0 else { return nil }
        return top.lastOffset(before: min(end, count), UInt8(clamping: depth), pool)
    }

    /// Calls `body` with each element of `range`, to change it in place. Ids must not change.
    ///
    /// - Complexity: O(k + log n) for k elements. Sealing the tree later computes the hashes of their nodes.
    mutating func updateAll(in range: Range<Int>, _ body: (inout Element) -> Void) {
        top.updateAll(in: range, pool, body)
    }
}

extension TreeChild where Element: TreeElement {
    fileprivate func firstOffset(from start: Int, _ depth: UInt8, _ pool: NodePool) -> Int? {
        if lowestDepth > depth { return nil }
        let node = pool.node(self)
        if node.isLeaf {
            for slot in max(0, start)..<max(node.count, start) where node.elements[slot].outlineDepth <= depth {
                return slot
            }
            return nil
        }
        var before = 0
        for slot in 0..<node.count {
            let child = node.children.advanced(by: slot)
            let end = before + Int(child.pointee.count)
            if end > start, child.pointee.lowestDepth <= depth,
                let found = child.pointee.firstOffset(from: max(0, start - before), depth, pool)
            {
                return before + found
            }
            before = end
        }
        return nil
    }

    fileprivate func lastOffset(before end: Int, _ depth: UInt8, _ pool: NodePool) -> Int? {
        if lowestDepth > depth { return nil }
        let node = pool.node(self)
        if node.isLeaf {
            return (0..<min(end, node.count)).last { node.elements[$0].outlineDepth <= depth }
        }
        var start = Int(count)
        for slot in stride(from: node.count - 1, through: 0, by: -1) {
            let child = node.children.advanced(by: slot)
            start -= Int(child.pointee.count)
            if start < end, child.pointee.lowestDepth <= depth,
                let found = child.pointee.lastOffset(before: end - start, depth, pool)
            {
                return start + found
            }
        }
        return nil
    }

    /// Calls `body` with each element of `range` in the tree below this top, to change it in place. Ids must not
    /// change.
    ///
    /// - Complexity: O(k + log n) for k elements.
    mutating func updateAll(in range: Range<Int>, _ pool: NodePool, _ body: (inout Element) -> Void) {
        precondition(range.lowerBound >= 0 && range.upperBound <= Int(count), "range outside the tree")
        if range.isEmpty { return }
        // The child keeps the node alive, and nothing replaces its node meanwhile.
        let node = pool.makeUnique(&self).takeUnretainedValue()
        hash = SequenceHash.unsealed
        if node.isLeaf {
            for slot in range.clamped(to: 0..<node.count) { body(&node.elements[slot]) }
        } else {
            var start = 0
            for slot in 0..<node.count where start < range.upperBound {
                let end = start + Int(node.children[slot].count)
                if end > range.lowerBound {
                    let part = range.clamped(to: start..<end)
                    node.children[slot].updateAll(
                        in: part.lowerBound - start..<part.upperBound - start, pool, body)
                }
                start = end
            }
        }
        lowestDepth = node.lowestDepth
    }
}
