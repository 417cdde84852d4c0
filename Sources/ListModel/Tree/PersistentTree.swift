// A persistent order-statistics tree: a sequence with O(log n) access by position and O(1) copies.
//
// It is a B+ tree. Elements are in the leaves, all of which have the same depth; an inner node knows for each child how
// many elements are below it and the hash of their sequence. A copy of the struct shares all nodes; an edit copies only
// the nodes on its path that somebody else still refers to, and writes the others in place. Two versions of a tree
// therefore share every subtree that did not change, and `===` on nodes is how the diff finds out.
//
// Words: an *offset* is the position of an element in the tree or below a node; a *slot* is a position in one node.
//
// Always holds (`checkInvariants`):
// - every node but the root and those on the right edge is filled to at least `TreeLimits.minimum`;
// - the summary of a child is that of the elements below it; a hash may be unsealed, and then so is every hash above;
// - the locator passed to an edit knows exactly the nodes and ids of the trees that were edited with it.

struct PersistentTree<Element: TreeElement>: @unchecked Sendable {
    // @unchecked Sendable: nodes that two trees share are immutable, and an edit writes only nodes it alone refers to.

    /// The topmost node; nil when there are no elements.
    var root: TreeNode<Element>?
    /// How many elements there are.
    var count = 0
    /// The sequence hash of all elements, or `SequenceHash.unsealed` since the last edit.
    var hash: UInt64 = 0
    /// How wide the nodes are.
    let limits: TreeLimits

    init(limits: TreeLimits) {
        self.limits = limits
    }

    /// The element at `offset`, which must be in `0 ..< count`.
    ///
    /// - Complexity: O(log n).
    subscript(offset: Int) -> Element {
        withLeaf(at: offset) { leaf, slot in leaf.elements[slot] }
    }

    /// Calls `body` with the leaf that holds the element at `offset`, and its slot there.
    @inline(__always)
    func withLeaf<Result>(at offset: Int, _ body: (TreeNode<Element>, Int) -> Result) -> Result {
        precondition(offset >= 0 && offset < count, "offset outside the tree")
        var slot = offset
        // SAFETY: the tree keeps its nodes alive while it is walked, so no references are counted on the way.
        var node = Unmanaged.passUnretained(root!)
        while !node._withUnsafeGuaranteedRef({ $0.isLeaf }) {
            node = node._withUnsafeGuaranteedRef { parent in
                Unmanaged.passUnretained(parent.children[parent.child(at: &slot)].node)
            }
        }
        return node._withUnsafeGuaranteedRef { body($0, slot) }
    }

    /// Calls `body` with every element of `range`, in order.
    ///
    /// - Complexity: O(log n + `range.count`).
    func forEach(in range: Range<Int>, _ body: (Element) throws -> Void) rethrows {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range outside the tree")
        guard let root, !range.isEmpty else { return }
        try Self.forEach(root, range, body)
    }

    private static func forEach(
        _ node: TreeNode<Element>, _ range: Range<Int>, _ body: (Element) throws -> Void
    ) rethrows {
        if node.isLeaf {
            for slot in range { try body(node.elements[slot]) }
            return
        }
        var start = 0
        for slot in 0..<node.count where start < range.upperBound {
            let end = start + Int(node.children[slot].count)
            if end > range.lowerBound {
                let clamped = range.clamped(to: start..<end)
                try forEach(node.children[slot].node, clamped.lowerBound - start..<clamped.upperBound - start, body)
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

    /// The elements of a range, without an allocation if it is one.
    func run(in range: Range<Int>) -> Run<Element> {
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

/// Walks the elements of a tree in order, a leaf at a time.
struct TreeCursor<Element: TreeElement>: IteratorProtocol {
    /// The inner nodes above the present leaf, each with the slot to visit next.
    private var path: [(node: TreeNode<Element>, slot: Int)] = []
    private var leaf: TreeNode<Element>?
    private var slot = 0

    init(_ tree: PersistentTree<Element>) {
        if let root = tree.root { descend(root) }
    }

    mutating func next() -> Element? {
        while let leaf {
            if slot < leaf.count {
                slot += 1
                return leaf.elements[slot - 1]
            }
            nextLeaf()
        }
        return nil
    }

    private mutating func descend(_ top: TreeNode<Element>) {
        var node = top
        while !node.isLeaf {
            path.append((node, 1))
            node = node.children[0].node
        }
        leaf = node
        slot = 0
    }

    private mutating func nextLeaf() {
        leaf = nil
        while let top = path.last {
            if top.slot < top.node.count {
                path[path.count - 1].slot += 1
                descend(top.node.children[top.slot].node)
                return
            }
            path.removeLast()
        }
    }
}
