// Inserting into the tree: one element, or a run that is placed a leaf at a time, or a whole tree at once.
//
// A full leaf is split in the middle, except at the right edge, where an element appended to a full leaf begins a new
// one: a list that grows at its end has full leaves.

extension PersistentTree {
    /// Inserts one element.
    ///
    /// - Parameters:
    ///   - element: an element whose id is in no tree of the locator.
    ///   - offset: its offset afterwards, in `0 ... count`.
    ///   - owner: the number that the locator gives for elements of this tree.
    /// - Complexity: O(log n).
    mutating func insert(_ element: Element, at offset: Int, owner: UInt32, _ locator: inout Locator<Element>) {
        withUnsafePointer(to: element) { pointer in
            insert(UnsafeBufferPointer(start: pointer, count: 1), at: offset, owner: owner, &locator)
        }
    }

    /// Inserts a run of elements.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func insert(
        _ run: UnsafeBufferPointer<Element>, at offset: Int, owner: UInt32, _ locator: inout Locator<Element>
    ) {
        precondition(offset >= 0 && offset <= count, "offset outside the tree")
        var rest = run
        var target = offset
        while !rest.isEmpty {
            let inserted = insertChunk(rest, at: target, owner: owner, &locator)
            target += inserted
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(inserted))
        }
    }

    /// Inserts as much of the run as fits into one leaf, and returns how much that was.
    private mutating func insertChunk(
        _ run: UnsafeBufferPointer<Element>, at offset: Int, owner: UInt32, _ locator: inout Locator<Element>
    ) -> Int {
        if root == nil {
            let leaf = Self.makeNode(height: 0, limits, &locator)
            locator.setParent(Locator<Element>.ownerFlag | owner, of: leaf.number)
            root = leaf
        }
        var insertion = TreeInsertion(run: run, isAtEnd: offset == count, limits: limits)
        let sibling = insertion.insert(into: &root!, hash: &hash, at: offset, onRightEdge: true, &locator)
        count &+= insertion.inserted
        if let sibling { addRoot(above: sibling, owner: owner, &locator) }
        return insertion.inserted
    }

    /// Puts a new root above the old one and the sibling that a split of it made.
    private mutating func addRoot(
        above sibling: TreeNode<Element>, owner: UInt32, _ locator: inout Locator<Element>
    ) {
        let left = root!
        let top = Self.makeNode(height: left.height + 1, limits, &locator)
        let right = TreeChild(summarizing: sibling)
        top.children.initialize(to: TreeChild(left, count: UInt32(count) - right.count))
        top.children.advanced(by: 1).initialize(to: right)
        top.count = 2
        locator.setParent(Locator<Element>.ownerFlag | owner, of: top.number)
        locator.setParent(top.number, of: left.number)
        locator.setParent(top.number, of: sibling.number)
        root = top
    }

    /// A new node that the locator knows; its parent is yet to be set.
    static func makeNode(height: Int, _ limits: TreeLimits, _ locator: inout Locator<Element>) -> TreeNode<Element> {
        let node = TreeNode<Element>.make(
            height: height, width: limits.capacity(height: height), number: locator.makeNumber())
        locator.place(node)
        return node
    }

    /// A tree of these elements, built from the leaves up.
    ///
    /// - Complexity: O(n).
    init(_ elements: [Element], limits: TreeLimits, owner: UInt32, _ locator: inout Locator<Element>) {
        self.init(limits: limits)
        guard !elements.isEmpty else { return }
        locator.index.reserve(locator.index.count + elements.count)
        var level: [TreeNode<Element>] = []
        for start in stride(from: 0, to: elements.count, by: limits.leafCapacity) {
            let leaf = Self.makeNode(height: 0, limits, &locator)
            for element in elements[start..<min(start + limits.leafCapacity, elements.count)] {
                leaf.elements.advanced(by: leaf.count).initialize(to: element)
                leaf.count += 1
                locator.index.insert(hash: element.id.hash64, leaf: leaf.number)
            }
            level.append(leaf)
        }
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: limits.innerCapacity).map { start in
                let parent = Self.makeNode(height: level[0].height + 1, limits, &locator)
                for node in level[start..<min(start + limits.innerCapacity, level.count)] {
                    parent.children.advanced(by: parent.count).initialize(to: TreeChild(summarizing: node))
                    parent.count += 1
                    locator.setParent(parent.number, of: node.number)
                }
                return parent
            }
        }
        root = level[0]
        locator.setParent(Locator<Element>.ownerFlag | owner, of: level[0].number)
        count = elements.count
        hash = SequenceHash.unsealed
    }
}

extension TreeChild {
    /// A child whose hash is yet to be computed.
    @inline(__always)
    init(_ node: TreeNode<Element>, count: UInt32) {
        self.init(node: node, count: count, number: node.number, hash: SequenceHash.unsealed)
    }

    /// A child whose elements are yet to be counted and whose hash is yet to be computed.
    init(summarizing node: TreeNode<Element>) {
        self.init(node, count: UInt32(node.elementCount))
    }
}

extension TreeNode {
    /// Copies the node if anybody else refers to it, so that it may be written.
    @inline(__always)
    static func makeUnique(_ node: inout TreeNode, _ locator: inout Locator<Element>) {
        if !isKnownUniquelyReferenced(&node) {
            node = node.copy()
            locator.place(node)
        }
    }

    /// Inserts a child into an inner node that has room for it.
    func insertChild(_ child: TreeChild<Element>, at slot: Int, _ locator: inout Locator<Element>) {
        let children = self.children
        // SAFETY: `count < width`, so one more child fits behind the moved ones.
        children.advanced(by: slot + 1).moveInitialize(from: children.advanced(by: slot), count: count - slot)
        children.advanced(by: slot).initialize(to: child)
        count += 1
        locator.setParent(number, of: child.number)
    }

    /// Moves what lies at and after `slot` to the end of another node of the same height, and tells the locator.
    func moveTail(from slot: Int, to other: TreeNode, _ locator: inout Locator<Element>) {
        let moved = count - slot
        // SAFETY: callers see to it that the other node has room for `moved` more.
        if isLeaf {
            let target = other.elements.advanced(by: other.count)
            target.moveInitialize(from: elements.advanced(by: slot), count: moved)
            for index in 0..<moved {
                locator.index.relocate(hash: target[index].id.hash64, from: number, to: other.number)
            }
        } else {
            let target = other.children.advanced(by: other.count)
            target.moveInitialize(from: children.advanced(by: slot), count: moved)
            for index in 0..<moved { locator.setParent(other.number, of: target[index].number) }
        }
        count = slot
        other.count += moved
    }
}

/// One insertion on its way down the tree and back up.
private struct TreeInsertion<Element: TreeElement>: ~Copyable {
    /// What is to be inserted; as much of it as fits into one leaf will be.
    let run: UnsafeBufferPointer<Element>
    /// Whether it goes to the end of the tree, so that the last child is always the one.
    let isAtEnd: Bool
    let limits: TreeLimits
    /// How much was inserted.
    var inserted = 0

    init(run: UnsafeBufferPointer<Element>, isAtEnd: Bool, limits: TreeLimits) {
        self.run = run
        self.isAtEnd = isAtEnd
        self.limits = limits
    }

    /// Inserts below `node`, whose hash is `hash`, and returns the right sibling if the node had to be split.
    mutating func insert(
        into node: inout TreeNode<Element>, hash: inout UInt64, at offset: Int, onRightEdge: Bool,
        _ locator: inout Locator<Element>
    ) -> TreeNode<Element>? {
        TreeNode.makeUnique(&node, &locator)
        if node.isLeaf { return insert(intoLeaf: node, hash: &hash, at: offset, onRightEdge: onRightEdge, &locator) }
        var below = offset
        let slot = isAtEnd ? node.count &- 1 : node.child(at: &below, insertion: true)
        let isLast = slot == node.count &- 1
        let child = node.children.advanced(by: slot)
        if isAtEnd { below = Int(child.pointee.count) }
        let before = child.pointee.hash
        let sibling = insert(
            into: &child.pointee.node, hash: &child.pointee.hash, at: below, onRightEdge: onRightEdge && isLast,
            &locator)
        child.pointee.count &+= UInt32(inserted)
        guard let sibling else {
            hash = node.hash(hash, ofChild: slot, before: before, grown: inserted)
            return nil
        }
        hash = SequenceHash.unsealed
        let right = TreeChild(summarizing: sibling)
        child.pointee.count &-= right.count
        if node.count < node.width {
            node.insertChild(right, at: slot + 1, &locator)
            return nil
        }
        let other = PersistentTree<Element>.makeNode(height: node.height, limits, &locator)
        if onRightEdge && isLast {
            other.insertChild(right, at: 0, &locator)
            return other
        }
        let middle = node.count / 2
        node.moveTail(from: middle, to: other, &locator)
        if slot < middle {
            node.insertChild(right, at: slot + 1, &locator)
        } else {
            other.insertChild(right, at: slot + 1 - middle, &locator)
        }
        return other
    }

    private mutating func insert(
        intoLeaf leaf: TreeNode<Element>, hash: inout UInt64, at slot: Int, onRightEdge: Bool,
        _ locator: inout Locator<Element>
    ) -> TreeNode<Element>? {
        if leaf.count < leaf.width {
            let fitting = UnsafeBufferPointer(rebasing: run.prefix(leaf.width - leaf.count))
            hash = leaf.hash(hash, inserting: fitting, at: slot)
            fill(leaf, at: slot, &locator)
            return nil
        }
        hash = SequenceHash.unsealed
        let other = PersistentTree<Element>.makeNode(height: 0, limits, &locator)
        if onRightEdge && slot == leaf.count {
            fill(other, at: 0, &locator)
            return other
        }
        let middle = leaf.count / 2
        leaf.moveTail(from: middle, to: other, &locator)
        if slot <= middle {
            fill(leaf, at: slot, &locator)
        } else {
            fill(other, at: slot - middle, &locator)
        }
        return other
    }

    /// Inserts as much of the run as fits into a leaf that has some room.
    private mutating func fill(_ leaf: TreeNode<Element>, at slot: Int, _ locator: inout Locator<Element>) {
        let taken = min(leaf.width - leaf.count, run.count)
        let gap = leaf.elements.advanced(by: slot)
        // SAFETY: `taken` more elements fit into the leaf, and as many are in the run.
        gap.advanced(by: taken).moveInitialize(from: gap, count: leaf.count - slot)
        gap.initialize(from: run.baseAddress!, count: taken)
        leaf.count += taken
        for index in 0..<taken { locator.index.insert(hash: gap[index].id.hash64, leaf: leaf.number) }
        inserted = taken
    }
}
