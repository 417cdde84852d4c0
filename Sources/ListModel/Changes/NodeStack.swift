// The nodes of one version of a tree that a comparison has open.
//
// One array grows when nodes are opened and shrinks when their children have been compared. So the comparison allocates
// nothing for each difference, and keeps only the nodes on the path to one difference in memory, with at most 64 leaves.
//
// Always holds: entries refer to nodes unowned, and the stack retains the nodes that the tree does not; the entries of
// a level are neighbours in the tree.

/// A stack of nodes, each with the offset of its first element.
struct NodeStack<Element: TreeElement>: ~Copyable {
    /// A node of the tree.
    struct Entry {
        // SAFETY: points into a node that the tree or the stack retains, or is the stack's own.
        fileprivate var child: UnsafePointer<TreeChild<Element>>
        /// The offset of the first element below it.
        var start: Int
        /// How many elements are below it.
        var count: Int
    }

    private let pool: NodePool
    /// The root, at a stable address.
    private let top: UnsafeMutablePointer<TreeChild<Element>>
    /// The nodes of the levels on the stack that are not in memory otherwise, in the same order.
    private var kept: [TreeNode<Element>] = []
    private var spares = SpareNodes<Element>()
    /// Reads nodes that are not in memory.
    private let scan: (any NodeSource)?
    private var entries: [Entry] = []
    /// The elements of the leaves that are being compared.
    private var elements: [UnsafePointer<Element>] = []

    /// Capacity for the path to one difference in a million rows. It is reserved at once, because growing step by step
    /// took a quarter of the time of comparing two versions that are one edit apart.
    private static var usualRoom: (entries: Int, elements: Int) { (160, 64) }

    init(_ tree: PersistentTree<Element>, _ scan: (any NodeSource)?) {
        pool = tree.pool
        self.scan = scan
        top = UnsafeMutablePointer.allocate(capacity: 1)
        top.initialize(to: tree.top)
        entries.reserveCapacity(min(tree.count, Self.usualRoom.entries))
        elements.reserveCapacity(min(tree.count, Self.usualRoom.elements))
    }

    deinit {
        // SAFETY: allocated and initialised in `init`.
        top.deinitialize(count: 1)
        top.deallocate()
    }

    subscript(index: Int) -> Entry {
        @inline(__always) get { entries[index] }
    }

    /// Puts the root on the stack.
    ///
    /// - Returns: its position and height; an empty range of height −1 if the tree is empty.
    mutating func pushRoot() -> (range: Range<Int>, height: Int) {
        if top.pointee.count == 0 { return (0..<0, -1) }
        let node = node(top).takeUnretainedValue()
        // The level above refers to it here.
        top.pointee.node = node
        entries.append(Entry(child: UnsafePointer(top), start: 0, count: Int(top.pointee.count)))
        return (0..<1, node.height)
    }

    /// Nodes of one height that were pushed together.
    struct Level {
        /// Their entries.
        var range: Range<Int>
        /// How many nodes the stack retained before.
        fileprivate var keptBefore: Int
    }

    /// Pushes the children of nodes, in their order. `pop` removes them.
    mutating func pushChildren(of range: Range<Int>) -> Level {
        let first = entries.count
        let keptBefore = kept.count
        for index in range {
            let entry = entries[index]
            node(entry.child)._withUnsafeGuaranteedRef { node in
                if node.isLeaf { return entries.append(entry) }
                var start = entry.start
                var child = UnsafePointer(node.children)
                for _ in 0..<node.count {
                    let count = Int(child.pointee.count)
                    entries.append(Entry(child: child, start: start, count: count))
                    start += count
                    child += 1
                }
            }
        }
        return Level(range: first..<entries.count, keptBefore: keptBefore)
    }

    /// Removes a level and everything pushed after it.
    mutating func pop(_ level: Level) {
        entries.removeLast(entries.count - level.range.lowerBound)
        popKept(to: level.keptBefore)
    }

    private mutating func popKept(to count: Int) {
        while kept.count > count { spares.put(kept.removeLast()) }
    }

    /// The elements of neighbouring leaves.
    func elements(of leaves: Range<Int>) -> ElementRange {
        guard let first = leaves.first.map({ entries[$0] }), let last = leaves.last.map({ entries[$0] }) else {
            return ElementRange(leaves: leaves, count: 0)
        }
        return ElementRange(leaves: leaves, count: last.start + last.count - first.start)
    }

    /// Calls `body` with the first elements of a range, and with the offset of the first of them.
    mutating func withFirst<Result>(of range: ElementRange, _ body: (Elements) -> Result) -> Result {
        withElements(range.leaves.prefix(ElementRange.leafCount), from: range.skipped, atMost: range.count, body)
    }

    /// Calls `body` with the last elements of a range, and with the offset of the first of them.
    mutating func withLast<Result>(of range: ElementRange, _ body: (Elements) -> Result) -> Result {
        let leaves = range.leaves.suffix(ElementRange.leafCount)
        let isWhole = leaves.count == range.leaves.count
        let rest = isWhole ? range.count : elements(of: leaves).count - (elements(of: range.leaves).count - range.end)
        return withElements(leaves, from: isWhole ? range.skipped : 0, atMost: rest, body)
    }

    private mutating func withElements<Result>(
        _ leaves: Range<Int>, from skipped: Int, atMost most: Int, _ body: (Elements) -> Result
    ) -> Result {
        let keptBefore = kept.count
        elements.removeAll(keepingCapacity: true)
        for index in leaves {
            // SAFETY: the elements stay in place while the tree or the stack retains the leaf.
            node(entries[index].child)._withUnsafeGuaranteedRef { leaf in
                let first = index == leaves.lowerBound ? skipped : 0
                var element = UnsafePointer(leaf.elements) + first
                for _ in 0..<min(leaf.count - first, most - elements.count) {
                    elements.append(element)
                    element += 1
                }
            }
        }
        let start = leaves.first.map { entries[$0].start + skipped } ?? 0
        defer { popKept(to: keptBefore) }
        return elements.withUnsafeBufferPointer { body(Elements(pointers: $0, start: start)) }
    }

    /// Removes elements at the beginning of a range.
    func trimStart(_ count: Int, of range: inout ElementRange) {
        range.count -= count
        range.skipped += count
        while let leaf = range.leaves.first, range.skipped >= entries[leaf].count {
            range.skipped -= entries[leaf].count
            range.leaves.removeFirst()
        }
    }

    /// Removes elements at the end of a range.
    func trimEnd(_ count: Int, of range: inout ElementRange) {
        range.count -= count
        while let leaf = range.leaves.last, elements(of: range.leaves).count - entries[leaf].count >= range.end {
            range.leaves.removeLast()
        }
    }

    /// Elements that follow one another in the tree.
    struct Elements {
        let pointers: UnsafeBufferPointer<UnsafePointer<Element>>
        /// The offset of the first.
        let start: Int

        var count: Int { pointers.count }

        // SAFETY: valid while the body runs that received them.
        subscript(index: Int) -> UnsafePointer<Element> {
            @inline(__always) get { pointers[index] }
        }
    }

    /// The node of a child, valid until what is pushed now is popped.
    @inline(__always)
    private mutating func node(_ child: UnsafePointer<TreeChild<Element>>) -> Unmanaged<TreeNode<Element>> {
        if let node = child.pointee.node { return Unmanaged.passUnretained(node) }
        let node = pool.passingNode(child.pointee, scan, &spares)
        kept.append(node)
        return Unmanaged.passUnretained(node)
    }
}

/// Elements that follow one another in the tree, in leaves on a stack. Some of them are read at a time.
struct ElementRange {
    /// The leaves that they are in.
    fileprivate(set) var leaves: Range<Int>
    /// How many elements there are.
    fileprivate(set) var count: Int
    /// How many elements of the first leaf come before them.
    fileprivate(set) var skipped = 0

    /// So many leaves are in memory at a time.
    fileprivate static let leafCount = 64

    /// Where they end, counted from the start of the first leaf.
    fileprivate var end: Int { skipped + count }
    /// Whether they are read at once.
    var isShort: Bool { leaves.count <= ElementRange.leafCount }
}

extension NodeStack.Entry {
    /// Whether a node is identical to one of another version, without opening either.
    @inline(__always)
    func isSame(as other: Self) -> Bool { child.pointee.isSame(as: other.child.pointee) }

    /// The identity of a node: its stored number or, if it is not stored, its address.
    var key: UInt64 {
        guard let node = child.pointee.node else { return child.pointee.stored &<< 1 | 1 }
        let stored = node.stored
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque()))
        return stored == 0 ? address : stored &<< 1 | 1
    }
}
