// Insertion: one element, or a run that is inserted a leaf at a time. Also builds a whole tree from the leaves up.
//
// A full leaf is split in the middle, with two exceptions. At the right edge, an element that is appended to a full
// leaf begins a new leaf, so a list that grows at its end has full leaves. And a leaf that is edited repeatedly at one
// place, for example by typing, is split at that place: the leaves before it are then nearly full, and fewer elements
// change their leaf.

extension PersistentTree where Element: TreeElement {
    /// Inserts one element.
    ///
    /// - Parameters:
    ///   - element: an element whose id is not in any tree of the locator.
    ///   - offset: its offset after the insertion, in `0 ... count`.
    ///   - owner: the owner that the locator returns for elements of this tree.
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
        top.insert(run, at: offset, owner: owner, pool, &locator)
    }

    /// A new node with a new number. The caller sets its parent.
    static func makeNode(height: Int, _ limits: TreeLimits, _ locator: inout Locator<Element>) -> TreeNode<Element> {
        TreeNode<Element>.make(
            height: height, width: limits.capacity(height: height), number: locator.makeNumber())
    }

    /// A new right sibling of a node. It has room for at least half of the node's contents, which may be wider than the
    /// limits if it was stored with other limits.
    static func makeSibling(
        of node: TreeNode<Element>, _ limits: TreeLimits, _ locator: inout Locator<Element>
    ) -> TreeNode<Element> {
        let width = max(limits.capacity(height: node.height), node.width / 2 + 2)
        return TreeNode<Element>.make(height: node.height, width: width, number: locator.makeNumber())
    }

    /// A tree of these elements, built from the leaves up.
    ///
    /// - Complexity: O(n).
    init(_ elements: some Collection<Element>, _ pool: NodePool, owner: UInt32, _ locator: inout Locator<Element>) {
        self.init(pool)
        guard !elements.isEmpty else { return }
        let limits = pool.limits
        var entries: [UInt64] = []
        // An empty index is built from all ids at once. An index with entries gets each id separately.
        let isFirst = locator.index.count == 0 && locator.isTracking
        if isFirst { entries.reserveCapacity(elements.count) }
        var level: [TreeChild<Element>] = []
        level.reserveCapacity(elements.count / limits.leafCapacity + 1)
        var last: TreeNode<Element>?
        // Not by index, because a tree would search for each element.
        for element in elements {
            let leaf: TreeNode<Element>
            if let last, last.count < limits.leafCapacity {
                leaf = last
            } else {
                if let last { level.append(TreeChild(summarizing: last)) }
                leaf = Self.makeNode(height: 0, limits, &locator)
                last = leaf
            }
            let place = leaf.elements.advanced(by: leaf.count)
            place.initialize(to: element)
            leaf.count += 1
            if !element.isPlain { leaf.isPlain = false }
            if isFirst {
                element.forEachKey(locator.hashing) { entries.append(locator.index.entry($0, leaf.number)) }
            } else {
                locator.insert(UnsafeBufferPointer(start: place, count: 1), leaf: leaf.number)
            }
        }
        if let last { level.append(TreeChild(summarizing: last)) }
        if isFirst { locator.build(entries) }
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: limits.innerCapacity).map { start in
                let parent = Self.makeNode(height: level[0].node!.height + 1, limits, &locator)
                for child in level[start..<min(start + limits.innerCapacity, level.count)] {
                    parent.children.advanced(by: parent.count).initialize(to: child)
                    parent.count += 1
                    locator.setParent(parent.number, of: child.number)
                }
                return TreeChild(summarizing: parent)
            }
        }
        top = level[0]
        locator.setParent(Locator<Element>.ownerFlag | owner, of: top.number)
    }
}

extension TreeNode where Element: TreeElement {
    /// Inserts a child into an inner node that has room for it.
    func insertChild(_ child: TreeChild<Element>, at slot: Int, _ locator: inout Locator<Element>) {
        assert(!isLeaf && slot >= 0 && slot <= count && count < width, "there is no room for a child, or no such slot")
        assert(Int(child.height) == height - 1, "a child is one lower than its parent")
        let children = self.children
        // SAFETY: `count < width`, so one more child fits behind the moved ones.
        children.advanced(by: slot + 1).moveInitialize(from: children.advanced(by: slot), count: count - slot)
        children.advanced(by: slot).initialize(to: child)
        count += 1
        locator.setParent(number, of: child.number)
    }

    /// Moves the contents at and after `slot` to the end of another node of the same height, and updates the locator.
    func moveTail(from slot: Int, to other: TreeNode, _ locator: inout Locator<Element>) {
        let moved = count - slot
        // A precondition and not an assertion: a wrong slot would write outside the node, and few edits get here.
        precondition(
            slot >= 0 && moved >= 0 && other.count + moved <= other.width && height == other.height,
            "no such tail, or no room for it")
        if !isPlain { other.isPlain = false }
        // SAFETY: the slot and the room were just checked.
        if isLeaf {
            let target = other.elements.advanced(by: other.count)
            target.moveInitialize(from: elements.advanced(by: slot), count: moved)
            for index in 0..<moved { locator.relocate(target.advanced(by: index), from: number, to: other.number) }
        } else {
            let target = other.children.advanced(by: other.count)
            target.moveInitialize(from: children.advanced(by: slot), count: moved)
            for index in 0..<moved { locator.setParent(other.number, of: target[index].number) }
        }
        count = slot
        other.count += moved
    }
}

extension TreeChild where Element: TreeElement {
    /// Inserts a run of elements into the tree below this top.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func insert(
        _ run: UnsafeBufferPointer<Element>, at offset: Int, owner: UInt32, _ pool: NodePool,
        _ locator: inout Locator<Element>
    ) {
        precondition(offset >= 0 && offset <= Int(count), "offset outside the tree")
        var rest = run
        var target = offset
        while !rest.isEmpty {
            let inserted = insertChunk(rest, at: target, owner: owner, pool, &locator)
            target += inserted
            rest = UnsafeBufferPointer(rebasing: rest.dropFirst(inserted))
        }
    }

    /// Inserts the part of the run that fits into one leaf, and returns its length.
    private mutating func insertChunk(
        _ run: UnsafeBufferPointer<Element>, at offset: Int, owner: UInt32, _ pool: NodePool,
        _ locator: inout Locator<Element>
    ) -> Int {
        if count == 0 {
            let leaf = PersistentTree<Element>.makeNode(height: 0, pool.limits, &locator)
            locator.setParent(Locator<Element>.ownerFlag | owner, of: leaf.number)
            self = TreeChild(summarizing: leaf)
            hash = 0
        }
        var insertion = TreeInsertion(run: run, isAtEnd: offset == Int(count))
        let sibling = insertion.insert(into: &self, at: offset, onRightEdge: true, pool, &locator)
        if let sibling { addRoot(above: sibling, owner: owner, pool, &locator) }
        return insertion.inserted
    }

    /// Adds a new root above the old one and its new right sibling.
    private mutating func addRoot(
        above right: TreeChild<Element>, owner: UInt32, _ pool: NodePool, _ locator: inout Locator<Element>
    ) {
        let root = PersistentTree<Element>.makeNode(height: right.node!.height + 1, pool.limits, &locator)
        locator.setParent(Locator<Element>.ownerFlag | owner, of: root.number)
        locator.setParent(root.number, of: number)
        locator.setParent(root.number, of: right.number)
        root.children.initialize(to: self)
        root.children.advanced(by: 1).initialize(to: right)
        root.count = 2
        assert(node?.height == right.node?.height, "the halves of a root are as high as each other")
        self = TreeChild(summarizing: root)
    }
}

/// One insertion, down the tree and back up.
private struct TreeInsertion<Element: TreeElement>: ~Copyable {
    /// The run to insert. One insertion takes the part of it that fits into one leaf.
    let run: UnsafeBufferPointer<Element>
    /// Whether the insertion is at the end of the tree, so that the path follows the last children.
    let isAtEnd: Bool
    /// The number of elements that were inserted.
    var inserted = 0

    init(run: UnsafeBufferPointer<Element>, isAtEnd: Bool) {
        self.run = run
        self.isAtEnd = isAtEnd
    }

    /// Inserts below a child. Returns the new right sibling if the node was split.
    // The pool is a parameter and not a property, because reading a property would count a reference on every level.
    mutating func insert(
        into child: inout TreeChild<Element>, at offset: Int, onRightEdge: Bool, _ pool: NodePool,
        _ locator: inout Locator<Element>
    ) -> TreeChild<Element>? {
        // SAFETY: `child` keeps the node alive, and nothing replaces its node meanwhile.
        let sibling = pool.makeUnique(&child)._withUnsafeGuaranteedRef { node in
            insert(into: node, hash: &child.hash, at: offset, onRightEdge: onRightEdge, pool, &locator)
        }
        child.count = child.count + UInt32(inserted) - (sibling?.count ?? 0)
        // The lowest depth of a list without outlines is always 0. A split may have moved the element of the lowest
        // depth.
        if child.lowestDepth > 0 || sibling != nil { child.findLowestDepth() }
        assert(sibling == nil || child.isSummary, "a split lost elements")
        return sibling
    }

    private mutating func insert(
        into node: TreeNode<Element>, hash: inout UInt64, at offset: Int, onRightEdge: Bool, _ pool: NodePool,
        _ locator: inout Locator<Element>
    ) -> TreeChild<Element>? {
        if node.isLeaf {
            return insert(intoLeaf: node, hash: &hash, at: offset, onRightEdge: onRightEdge, pool.limits, &locator)
        }
        var below = offset
        let slot = isAtEnd ? node.count - 1 : node.child(at: &below, insertion: true)
        let isLast = slot == node.count - 1
        let lower = node.children.advanced(by: slot)
        if isAtEnd { below = Int(lower.pointee.count) }
        lower.pointee.unseal(below: hash)
        let before = lower.pointee.hash
        let sibling = insert(
            into: &lower.pointee, at: below, onRightEdge: onRightEdge && isLast, pool, &locator)
        guard let sibling else {
            hash = node.hash(hash, ofChild: slot, before: before, grown: inserted)
            return nil
        }
        hash = SequenceHash.unsealed
        return add(sibling, to: node, at: slot + 1, onRightEdge: onRightEdge && isLast, pool.limits, &locator)
    }

    /// Inserts a child into an inner node. Returns the new right sibling if the node was split.
    private func add(
        _ child: TreeChild<Element>, to node: TreeNode<Element>, at slot: Int, onRightEdge: Bool, _ limits: TreeLimits,
        _ locator: inout Locator<Element>
    ) -> TreeChild<Element>? {
        if node.count < node.width {
            node.insertChild(child, at: slot, &locator)
            return nil
        }
        let other = PersistentTree<Element>.makeSibling(of: node, limits, &locator)
        if onRightEdge {
            other.insertChild(child, at: 0, &locator)
            return TreeChild(summarizing: other)
        }
        let middle = node.count / 2
        node.moveTail(from: middle, to: other, &locator)
        if slot <= middle {
            node.insertChild(child, at: slot, &locator)
        } else {
            other.insertChild(child, at: slot - middle, &locator)
        }
        return TreeChild(summarizing: other)
    }

    private mutating func insert(
        intoLeaf leaf: TreeNode<Element>, hash: inout UInt64, at slot: Int, onRightEdge: Bool, _ limits: TreeLimits,
        _ locator: inout Locator<Element>
    ) -> TreeChild<Element>? {
        if leaf.count < leaf.width {
            let fitting = UnsafeBufferPointer(rebasing: run.prefix(leaf.width - leaf.count))
            hash = leaf.hash(hash, inserting: fitting, at: slot)
            fill(leaf, at: slot, &locator)
            return nil
        }
        hash = SequenceHash.unsealed
        let other = PersistentTree<Element>.makeSibling(of: leaf, limits, &locator)
        if onRightEdge && slot == leaf.count {
            fill(other, at: 0, &locator)
        } else {
            let end = splitSlot(leaf, at: slot, limits)
            leaf.moveTail(from: end, to: other, &locator)
            if slot <= end {
                fill(leaf, at: slot, &locator)
            } else {
                fill(other, at: slot - end, &locator)
            }
        }
        return TreeChild(summarizing: other)
    }

    /// The slot at which a full leaf is split for an insertion at `slot`.
    private func splitSlot(_ leaf: TreeNode<Element>, at slot: Int, _ limits: TreeLimits) -> Int {
        let isContinued = slot == leaf.lastEdit || slot + 1 == leaf.lastEdit
        let minimum = limits.minimum(height: 0)
        // A leaf that was stored with other limits may have more elements than the capacity, or too few for two minimal
        // leaves.
        guard isContinued, leaf.count <= limits.leafCapacity, leaf.count >= 2 * minimum else { return leaf.count / 2 }
        return min(max(slot, minimum), leaf.count - minimum)
    }

    /// Inserts the part of the run that fits into a leaf that is not full.
    private mutating func fill(_ leaf: TreeNode<Element>, at slot: Int, _ locator: inout Locator<Element>) {
        assert(leaf.isLeaf && slot >= 0 && slot <= leaf.count && leaf.count < leaf.width, "no such slot, or no room")
        let taken = min(leaf.width - leaf.count, run.count)
        let gap = leaf.elements.advanced(by: slot)
        // SAFETY: the leaf has room for `taken` more elements, and the run has as many.
        gap.advanced(by: taken).moveInitialize(from: gap, count: leaf.count - slot)
        for index in 0..<taken {
            let element = gap.advanced(by: index)
            element.initialize(to: run[index])
            if !element.pointee.isPlain { leaf.isPlain = false }
        }
        locator.insert(UnsafeBufferPointer(start: gap, count: taken), leaf: leaf.number)
        leaf.count += taken
        leaf.lastEdit = slot + taken
        inserted = taken
    }
}
