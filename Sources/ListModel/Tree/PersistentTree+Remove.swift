// Removal, and changing an element in place.
//
// A node that becomes too small takes elements from a sibling or is merged with it, so that the tree stays shallow.

extension PersistentTree where Element: TreeElement {
    /// Removes the elements of `range`.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func remove(_ range: Range<Int>, _ locator: inout Locator<Element>) {
        top.remove(range, pool, &locator)
    }

    /// Calls `body` with the element at `offset`, to change it in place. Its id and its depth must not change; use
    /// `updateAll` to change depths.
    ///
    /// - Complexity: O(log n).
    @inline(__always)
    mutating func update(_ offset: Int, _ body: (inout Element) -> Void) { top.update(offset, pool, body) }

    /// Removes all elements and nodes of the tree from the locator.
    ///
    /// - Complexity: O(n).
    func detach(_ locator: inout Locator<Element>) {
        if count > 0 && locator.isTracking { detach(top, &locator) }
    }

    private func detach(_ child: TreeChild<Element>, _ locator: inout Locator<Element>) {
        let node = pool.node(child)
        if node.isLeaf {
            for slot in 0..<node.count { locator.remove(node.elements.advanced(by: slot), leaf: node.number) }
        } else {
            for slot in 0..<node.count { detach(node.children[slot], &locator) }
        }
        locator.free(node.number)
    }
}

// MARK: - Changing

extension TreeChild where Element: TreeElement {
    /// Calls `body` with the element at `offset` in the tree below this top, to change it in place.
    ///
    /// - Complexity: O(log n).
    @inline(__always)
    mutating func update(_ offset: Int, _ pool: NodePool, _ body: (inout Element) throws -> Void) rethrows {
        precondition(offset >= 0 && offset < Int(count), "offset outside the tree")
        // SAFETY: this child keeps the node alive, and nothing replaces its node meanwhile; the same holds below.
        try pool.makeUnique(&self)._withUnsafeGuaranteedRef { node in
            // A fast path: the tree of a few sections is one leaf, and every edit of a row passes through it. A leaf at
            // the top needs no call; each level of inner nodes needs one.
            if node.isLeaf {
                try Self.updateLeaf(&hash, node, offset, body)
            } else {
                try Self.updateInner(&hash, node, offset, pool, body)
            }
        }
    }

    @inline(__always)
    private static func updateLeaf(
        _ hash: inout UInt64, _ leaf: TreeNode<Element>, _ slot: Int, _ body: (inout Element) throws -> Void
    ) rethrows {
        let hashBefore = hash
        // If `body` throws, the hash stays unsealed.
        hash = SequenceHash.unsealed
        let element = leaf.elements.advanced(by: slot)
        let before = element.pointee.hash
        try body(&element.pointee)
        let after = element.pointee.hash
        if hashBefore != SequenceHash.unsealed && before != SequenceHash.unsealed && after != SequenceHash.unsealed {
            let change = SequenceHash.subtract(after, before)
            let power = SequenceHash.power(leaf.count - 1 - slot)
            hash = SequenceHash.add(hashBefore, SequenceHash.multiply(change, power))
        }
    }

    private static func updateInner(
        _ hash: inout UInt64, _ node: TreeNode<Element>, _ offset: Int, _ pool: NodePool,
        _ body: (inout Element) throws -> Void
    ) rethrows {
        let hashBefore = hash
        hash = SequenceHash.unsealed
        var below = offset
        let slot = node.child(at: &below)
        let lower = node.children.advanced(by: slot)
        lower.pointee.unseal(below: hashBefore)
        let before = lower.pointee.hash
        try lower.pointee.update(below, pool, body)
        hash = node.hash(hashBefore, ofChild: slot, before: before, grown: 0)
    }
}

// MARK: - Removing

extension TreeChild where Element: TreeElement {
    /// Removes the elements of `range` from the tree below this top.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func remove(_ range: Range<Int>, _ pool: NodePool, _ locator: inout Locator<Element>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= Int(count), "range outside the tree")
        var rest = range.count
        while rest > 0 {
            rest -= removeChunk(at: range.lowerBound, atMost: rest, pool, &locator) { _ in true }
            shrinkRoot(&locator)
        }
    }

    /// Removes the element at `offset` from the tree below this top if it is the right one. The check is part of the
    /// removal, so that the tree is searched once.
    ///
    /// - Returns: whether it was the right one; if not, nothing is removed.
    /// - Complexity: O(log n).
    mutating func remove(
        _ offset: Int, _ pool: NodePool, _ locator: inout Locator<Element>,
        if isRight: (UnsafeMutablePointer<Element>) -> Bool
    ) -> Bool {
        precondition(offset >= 0 && offset < Int(count), "offset outside the tree")
        let removed = removeChunk(at: offset, atMost: 1, pool, &locator, if: isRight)
        shrinkRoot(&locator)
        return removed == 1
    }

    /// Removes elements of one leaf, beginning at `offset`, if the first one is right. Returns the number of removed
    /// elements.
    private mutating func removeChunk(
        at offset: Int, atMost limit: Int, _ pool: NodePool, _ locator: inout Locator<Element>,
        if isRight: (UnsafeMutablePointer<Element>) -> Bool
    ) -> Int {
        let removed = pool.makeUnique(&self)._withUnsafeGuaranteedRef { node in
            let removed = Self.remove(from: node, &hash, at: offset, atMost: limit, pool, &locator, if: isRight)
            lowestDepth = node.lowestDepth
            return removed
        }
        count -= UInt32(removed)
        return removed
    }

    private static func remove(
        from node: TreeNode<Element>, _ hash: inout UInt64, at offset: Int, atMost limit: Int, _ pool: NodePool,
        _ locator: inout Locator<Element>, if isRight: (UnsafeMutablePointer<Element>) -> Bool
    ) -> Int {
        if node.isLeaf {
            assert(offset >= 0 && offset < node.count && limit > 0, "no such element")
            let gap = node.elements.advanced(by: offset)
            guard isRight(gap) else { return 0 }
            let removed = min(limit, node.count - offset)
            hash = node.hash(hash, removing: removed, at: offset)
            for index in 0..<removed { locator.remove(gap.advanced(by: index), leaf: node.number) }
            // SAFETY: the range `offset ..< offset + removed` is initialised; the elements after it move into its
            // place.
            gap.deinitialize(count: removed)
            gap.moveInitialize(from: gap.advanced(by: removed), count: node.count - offset - removed)
            node.count -= removed
            node.lastEdit = offset
            return removed
        }
        var below = offset
        let slot = node.child(at: &below)
        let lower = node.children.advanced(by: slot)
        lower.pointee.unseal(below: hash)
        let before = lower.pointee.hash
        let removed = lower.pointee.removeChunk(at: below, atMost: limit, pool, &locator, if: isRight)
        if removed == 0 { return 0 }
        let left = lower.pointee.node.map { Unmanaged.passUnretained($0)._withUnsafeGuaranteedRef { $0.count } } ?? 0
        if left < pool.limits.minimum(height: node.height - 1) {
            hash = SequenceHash.unsealed
            refill(node, slot, pool, &locator)
        } else {
            hash = node.hash(hash, ofChild: slot, before: before, grown: -removed)
        }
        return removed
    }

    /// Refills a child that has too few elements or children, or merges it: with its left sibling, or with the right
    /// one if it has none.
    private static func refill(
        _ parent: TreeNode<Element>, _ slot: Int, _ pool: NodePool, _ locator: inout Locator<Element>
    ) {
        if parent.children[slot].count == 0 { return removeChild(parent, slot, &locator) }
        guard parent.count > 1 else { return }
        let leftSlot = max(0, slot - 1)
        let left = parent.children.advanced(by: leftSlot)
        let right = left.advanced(by: 1)
        let leftNode = pool.makeUnique(&left.pointee).takeUnretainedValue()
        let rightNode = pool.makeUnique(&right.pointee).takeUnretainedValue()
        let total = leftNode.count + rightNode.count
        let both = left.pointee.count + right.pointee.count
        left.pointee.hash = SequenceHash.unsealed
        right.pointee.hash = SequenceHash.unsealed
        if total <= min(leftNode.width, pool.limits.capacity(height: leftNode.height)) {
            rightNode.moveTail(from: 0, to: leftNode, &locator)
            left.pointee.count = both
            // Not from both summaries: if a sibling could not be read, its placeholder has rows at another depth.
            left.pointee.findLowestDepth()
            assert(left.pointee.isSummary, "merging two nodes lost elements")
            removeChild(parent, leftSlot + 1, &locator)
            return
        }
        // Siblings that were stored with other limits may be too narrow to share their contents evenly.
        guard total - total / 2 <= min(leftNode.width, rightNode.width) else { return }
        if leftNode.count < total / 2 {
            rightNode.moveHead(total / 2 - leftNode.count, to: leftNode, &locator)
        } else {
            leftNode.moveTailToFront(from: total / 2, of: rightNode, &locator)
        }
        left.pointee.count = UInt32(leftNode.elementCount)
        right.pointee.count = both - left.pointee.count
        left.pointee.findLowestDepth()
        right.pointee.findLowestDepth()
        assert(left.pointee.isSummary && right.pointee.isSummary, "moving elements to a sibling lost some")
    }

    private static func removeChild(_ parent: TreeNode<Element>, _ slot: Int, _ locator: inout Locator<Element>) {
        assert(!parent.isLeaf && slot >= 0 && slot < parent.count, "no such child")
        let gap = parent.children.advanced(by: slot)
        locator.free(gap.pointee.number)
        gap.deinitialize(count: 1)
        gap.moveInitialize(from: gap.advanced(by: 1), count: parent.count - slot - 1)
        parent.count -= 1
    }

    /// Removes a root without elements, and inner roots with only one child.
    private mutating func shrinkRoot(_ locator: inout Locator<Element>) {
        if count == 0 {
            locator.free(number)
            self = .empty
            return
        }
        while let node, node.count == 1 && !node.isLeaf {
            let owner = locator.parent(of: number)
            locator.free(number)
            self = withExtendedLifetime(node) { node.children[0] }
            locator.setParent(owner, of: number)
        }
    }
}

extension TreeNode where Element: TreeElement {
    /// Moves the first `moved` elements or children to the end of the left sibling.
    fileprivate func moveHead(_ moved: Int, to left: TreeNode, _ locator: inout Locator<Element>) {
        assert(moved >= 0 && moved <= count && left.count + moved <= left.width, "no such head, or no room for it")
        // The rest is moved to a temporary node, then the head to the left sibling, then the rest back.
        let rest = TreeNode.make(height: height, width: width, number: number)
        if isLeaf {
            rest.elements.moveInitialize(from: elements.advanced(by: moved), count: count - moved)
        } else {
            rest.children.moveInitialize(from: children.advanced(by: moved), count: count - moved)
        }
        rest.isPlain = isPlain
        rest.count = count - moved
        count = moved
        moveTail(from: 0, to: left, &locator)
        rest.moveContents(to: self)
    }

    /// Moves the contents at and after `slot` to the front of the right sibling.
    fileprivate func moveTailToFront(from slot: Int, of right: TreeNode, _ locator: inout Locator<Element>) {
        let rest = TreeNode.make(height: height, width: right.width, number: right.number)
        right.moveContents(to: rest)
        moveTail(from: slot, to: right, &locator)
        rest.moveContents(to: right)
    }

    /// Appends all contents to a node of the same number, so that the locator does not change.
    private func moveContents(to other: TreeNode) {
        assert(other.count + count <= other.width && other.height == height, "no room for the contents")
        if !isPlain { other.isPlain = false }
        // SAFETY: the other node has the same width, and held these elements before.
        if isLeaf {
            other.elements.advanced(by: other.count).moveInitialize(from: elements, count: count)
        } else {
            other.children.advanced(by: other.count).moveInitialize(from: children, count: count)
        }
        other.count += count
        count = 0
    }
}
