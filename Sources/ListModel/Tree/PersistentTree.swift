// A persistent order-statistics tree: a sequence with O(log n) access by position and O(1) copies.
//
// It is a B+ tree. Elements are in the leaves, which are all at the same depth. An inner node has a summary of each
// child: the number of elements below it and the hash of their sequence. A copy of the struct shares all nodes (copy on
// write): an edit copies only the nodes on its path that have other references, and changes the rest in place. Two
// versions of a tree therefore share every unchanged subtree, and the diff skips shared subtrees.
//
// A node need not be in memory: a child may be the number of a stored node instead. A read gets such a node from the
// cache of the `NodePool`; an edit replaces it by a copy in memory.
//
// The generic types have no constraints on their elements; their extensions have. The runtime would have to look up the
// conformance for a constraint of a type before the type is used for the first time (`Docs/Design/Architecture.md`,
// *The first milliseconds*).
//
// Offsets and slots cannot overflow (`Limits.rows`), and are not checked in the hot loops of edits.
//
// Words: an *offset* is the position of an element in the tree or below a node; a *slot* is a position in one node.
//
// Always holds (`checkInvariants`):
// - every node except the root and those on the right edge has at least `TreeLimits.minimum` elements or children;
// - the summary of a child is correct for the elements below it; a hash may be unsealed, and then every hash above is
//   unsealed;
// - the locator that is passed to an edit tracks exactly the nodes and ids of the trees that were edited with it.

struct PersistentTree<Element>: @unchecked Sendable {
    // @unchecked Sendable: nodes that two trees share are immutable, except for an atomic word. An edit writes only
    // uniquely referenced nodes.

    /// The topmost node with the summary of all elements; `TreeChild.empty` when there are none.
    var top: TreeChild<Element>
    /// The pool: the widths of the nodes, and the source of nodes that are not in memory.
    var pool: NodePool

    @inline(__always)
    init(_ pool: NodePool) { self.init(.empty, pool) }

    /// A tree with this top.
    @inline(__always)
    init(_ top: consuming TreeChild<Element>, _ pool: NodePool) {
        self.top = top
        self.pool = pool
    }

    /// The number of elements.
    @inline(__always)
    var count: Int { Int(top.count) }

    /// The sequence hash of all elements, or `SequenceHash.unsealed` after an edit that did not update it.
    @inline(__always)
    var hash: UInt64 { top.hash }
}

// MARK: - Looking

extension PersistentTree where Element: TreeElement {
    /// Computes the unsealed hashes of all nodes.
    ///
    /// - Complexity: O(w · log n) after one edit, for nodes of width w.
    @inline(__always)
    mutating func seal() { top.seal() }

    /// The element at `offset`, which must be in `0 ..< count`.
    ///
    /// - Complexity: O(log n).
    subscript(offset: Int) -> Element {
        withLeaf(at: offset) { leaf, slot in leaf.elements[slot] }
    }

    /// Calls `body` with the leaf that holds the element at `offset`, and its slot there.
    @inline(__always)
    func withLeaf<Result>(at offset: Int, _ body: (TreeNode<Element>, Int) throws -> Result) rethrows -> Result {
        try top.withLeaf(at: offset, pool, body)
    }

    /// Calls `body` with every element of `range`, in order.
    ///
    /// - Complexity: O(log n + `range.count`).
    func forEach(in range: Range<Int>, _ body: (Element) throws -> Void) rethrows {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range outside the tree")
        guard !range.isEmpty else { return }
        try forEach(top, range, body)
    }

    private func forEach(
        _ child: TreeChild<Element>, _ range: Range<Int>, _ body: (Element) throws -> Void
    ) rethrows {
        let node = pool.node(child)
        if node.isLeaf {
            for slot in range { try body(node.elements[slot]) }
            return
        }
        var start = 0
        for slot in 0..<node.count where start < range.upperBound {
            let end = start + Int(node.children[slot].count)
            if end > range.lowerBound {
                let clamped = range.clamped(to: start..<end)
                try forEach(node.children[slot], clamped.lowerBound - start..<clamped.upperBound - start, body)
            }
            start = end
        }
    }

    /// The elements of `range`.
    func elements(in range: Range<Int>) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(range.count)
        forEach(in: range) { result.append($0) }
        return result
    }

    /// The elements of a range. One element needs no allocation.
    func run(in range: Range<Int>) -> ListRun<Element> {
        range.count == 1 ? .one(self[range.lowerBound]) : .many(elements(in: range))
    }

    /// The offset of the first element for which `matches` is true.
    ///
    /// - Complexity: O(n).
    func firstOffset(where matches: (Element) -> Bool) -> Int? {
        var cursor = TreeCursor(self)
        var offset = 0
        while let element = cursor.next() {
            if matches(element) { return offset }
            offset += 1
        }
        return nil
    }
}

// MARK: - Walking down

extension TreeChild where Element: TreeElement {
    /// Calls `body` with the leaf that holds the element at `offset` below the node, and its slot there.
    @inline(__always)
    func withLeaf<Result>(
        at offset: Int, _ pool: NodePool, _ body: (TreeNode<Element>, Int) throws -> Result
    ) rethrows -> Result {
        precondition(offset >= 0 && offset < Int(count), "offset outside the tree")
        var slot = offset
        // Keeps a node alive that is in the cache and not in the tree.
        var loaded: TreeNode<Element>?
        // SAFETY: the tree or `loaded` keeps each node alive while it is used, so references need not be counted.
        var node = unretained(pool, keeping: &loaded)
        while !node._withUnsafeGuaranteedRef({ $0.isLeaf }) {
            let child = node._withUnsafeGuaranteedRef { $0.children.advanced(by: $0.child(at: &slot)) }
            node = child.pointee.unretained(pool, keeping: &loaded)
        }
        return try withExtendedLifetime(loaded) { try node._withUnsafeGuaranteedRef { try body($0, slot) } }
    }

    /// The node, unretained. The tree keeps it alive or, if it is not in memory, `loaded` does.
    @inline(__always)
    private func unretained(
        _ pool: NodePool, keeping loaded: inout TreeNode<Element>?
    ) -> Unmanaged<TreeNode<Element>> {
        if let node { return Unmanaged.passUnretained(node) }
        let node = pool.node(self)
        // This releases the parent, which is no longer used.
        loaded = node
        return Unmanaged.passUnretained(node)
    }

    /// The offset of an element below the node, found by the node numbers on the path to it.
    ///
    /// - Parameters:
    ///   - path: the node numbers from the leaf up to this node.
    ///   - matches: returns true for the element.
    /// - Returns: the offset; nil if no element of that leaf matches, or if there is no such leaf.
    /// - Complexity: O(w · log n) for nodes of width w.
    @inline(__always)
    func offset(
        on path: UnsafeBufferPointer<UInt32>, _ pool: NodePool, where matches: (Element) -> Bool
    ) -> Int? {
        var level = path.count &- 1
        guard level >= 0, path[level] == number, count > 0 else { return nil }
        var before = 0
        var loaded: TreeNode<Element>?
        // SAFETY: as in `withLeaf`.
        var node = unretained(pool, keeping: &loaded)
        while level > 0 {
            level &-= 1
            let number = path[level]
            let child = node._withUnsafeGuaranteedRef { node -> UnsafeMutablePointer<TreeChild>? in
                guard !node.isLeaf else { return nil }
                let children = node.children
                var slot = 0
                while slot < node.count && children[slot].number != number {
                    before &+= Int(children[slot].count)
                    slot &+= 1
                }
                return slot < node.count ? children.advanced(by: slot) : nil
            }
            guard let child else { return nil }
            node = child.pointee.unretained(pool, keeping: &loaded)
        }
        return withExtendedLifetime(loaded) {
            node._withUnsafeGuaranteedRef { leaf in
                guard leaf.isLeaf else { return nil }
                let elements = leaf.elements
                for slot in 0..<leaf.count where matches(elements[slot]) { return before &+ slot }
                return nil
            }
        }
    }
}

/// A cursor that walks the elements of a tree in order, a leaf at a time.
struct TreeCursor<Element> {
    private let pool: NodePool
    /// The inner nodes above the present leaf, each with the next slot to visit.
    private var path: [(node: TreeNode<Element>, slot: Int)] = []
    private var leaf: TreeNode<Element>?
    // SAFETY: these are the elements of `leaf`, which keeps them alive.
    private var elements: UnsafeMutablePointer<Element>?
    private var count = 0
    private var slot = 0
}

extension TreeCursor: IteratorProtocol where Element: TreeElement {
    init(_ tree: PersistentTree<Element>) {
        pool = tree.pool
        if tree.count > 0 { descend(tree.top) }
    }

    mutating func next() -> Element? {
        while leaf != nil {
            if slot < count {
                slot += 1
                return elements.unsafelyUnwrapped[slot - 1]
            }
            nextLeaf()
        }
        return nil
    }

    private mutating func descend(_ top: TreeChild<Element>) {
        var node = pool.node(top)
        while !node.isLeaf {
            path.append((node, 1))
            node = pool.node(node.children[0])
        }
        leaf = node
        (elements, count, slot) = (node.elements, node.count, 0)
    }

    private mutating func nextLeaf() {
        leaf = nil
        while let top = path.last {
            if top.slot < top.node.count {
                path[path.count - 1].slot += 1
                descend(top.node.children[top.slot])
                return
            }
            path.removeLast()
        }
    }
}

// MARK: - Trees inside of elements

extension TreeChild where Element: TreeElement {
    /// Changes the tree below this top.
    @inline(__always)
    mutating func edit<Result>(
        _ pool: NodePool, _ body: (inout PersistentTree<Element>) throws -> Result
    ) rethrows -> Result {
        // The top is moved out for the edit, so that its nodes are uniquely referenced.
        var tree = PersistentTree(exchange(&self, with: .empty), pool)
        defer { self = exchange(&tree.top, with: .empty) }
        return try body(&tree)
    }
}

extension SectionEntry {
    /// The tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    func items(_ pool: NodePool) -> PersistentTree<UntypedRow> { PersistentTree(rows, pool) }

    /// Changes the tree of the rows, with the pool of the tree of sections.
    @inline(__always)
    mutating func editItems<Result>(
        _ pool: NodePool, _ body: (inout PersistentTree<UntypedRow>) throws -> Result
    ) rethrows -> Result {
        try editRows { try $0.edit(pool, body) }
    }

    /// The section with its rows, as an event carries it.
    func contents(_ pool: NodePool) -> ListSection {
        ListSection(id: id, title: title, items: items(pool).elements(in: 0..<itemCount))
    }
}
