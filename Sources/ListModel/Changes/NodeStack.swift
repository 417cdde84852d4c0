// The nodes of one version of a tree that are looked at while two versions are compared.
//
// They lie in one array that grows when nodes are opened and shrinks when what was below them has been compared: nothing is
// allocated for each of the many places where two large trees differ, and no more nodes are kept in memory than those on the
// way to one of these places.
//
// Always holds: nodes are referred to without counting, and the stack keeps alive what the tree does not; the entries of
// a level lie next to each other in the tree. A node that could not be read is a leaf at any height.

/// A stack of nodes, each with the offset of its first element.
struct NodeStack<Element: TreeElement>: ~Copyable {
    /// A node of the tree.
    struct Entry {
        // SAFETY: in a node that the tree or the stack keeps alive, or the stack's own.
        fileprivate var child: UnsafePointer<TreeChild<Element>>
        /// The offset of the first element below it.
        var start: Int
        /// How many elements are below it.
        var count: Int
    }

    private let store: NodeStore
    /// The top of the tree, at an address of its own.
    private let top: UnsafeMutablePointer<TreeChild<Element>>
    /// The nodes that the tree does not keep in memory: those of the levels on the stack, in the same order.
    private var kept: [TreeNode<Element>] = []
    private var spares = SpareNodes<Element>()
    /// Where the nodes are read that are not in memory.
    private let scan: (any NodeSource)?
    private var entries: [Entry] = []
    /// The elements of the leaves that are compared just now.
    private var elements: [UnsafePointer<Element>] = []

    /// Room for the way to one place in a million rows, in nodes of the usual width. It is made at once: growing step by step
    /// took a quarter of the time of comparing two versions that are one edit apart.
    private static var usualRoom: (entries: Int, elements: Int) { (160, 64) }

    init(_ tree: PersistentTree<Element>, _ scan: (any NodeSource)?) {
        store = tree.store
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
    /// - Returns: where it is, and its height; nothing of height −1 if the tree is empty.
    mutating func pushRoot() -> (range: Range<Int>, height: Int) {
        if top.pointee.count == 0 { return (0..<0, -1) }
        let node = node(top).takeUnretainedValue()
        // Whoever opens it finds it here.
        top.pointee.node = node
        entries.append(Entry(child: UnsafePointer(top), start: 0, count: Int(top.pointee.count)))
        return (0..<1, node.height)
    }

    /// Nodes of one height that were put on the stack together.
    struct Level {
        /// Where they are.
        var range: Range<Int>
        /// How many nodes were kept before.
        fileprivate var keptBefore: Int
    }

    /// Puts the children of nodes on the stack, in their order, until `pop` takes them away.
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
                    start &+= count
                    child += 1
                }
            }
        }
        return Level(range: first..<entries.count, keptBefore: keptBefore)
    }

    /// Takes away a level, and what was put on the stack after it.
    mutating func pop(_ level: Level) {
        entries.removeLast(entries.count - level.range.lowerBound)
        popKept(to: level.keptBefore)
    }

    private mutating func popKept(to count: Int) {
        while kept.count > count { spares.put(kept.removeLast()) }
    }

    /// Calls `body` with the elements of neighbouring leaves, and with the offset of the first of them.
    mutating func withElements<Result>(of range: Range<Int>, _ body: (Elements) -> Result) -> Result {
        let keptBefore = kept.count
        elements.removeAll(keepingCapacity: true)
        for index in range {
            // SAFETY: the elements stay where they are as long as the tree or the stack keeps the leaf.
            node(entries[index].child)._withUnsafeGuaranteedRef { leaf in
                var element = UnsafePointer(leaf.elements)
                for _ in 0..<leaf.count {
                    elements.append(element)
                    element += 1
                }
            }
        }
        let start = range.isEmpty ? 0 : entries[range.lowerBound].start
        defer { popKept(to: keptBefore) }
        return elements.withUnsafeBufferPointer { body(Elements(pointers: $0, start: start)) }
    }

    /// Elements that follow one another in the tree.
    struct Elements {
        let pointers: UnsafeBufferPointer<UnsafePointer<Element>>
        /// The offset of the first.
        let start: Int

        var count: Int { pointers.count }

        // SAFETY: valid as long as the body runs that they were given to.
        subscript(index: Int) -> UnsafePointer<Element> {
            @inline(__always) get { pointers[index] }
        }
    }

    /// The node of a child, for as long as what is pushed now stays on the stack.
    @inline(__always)
    private mutating func node(_ child: UnsafePointer<TreeChild<Element>>) -> Unmanaged<TreeNode<Element>> {
        if let node = child.pointee.node { return Unmanaged.passUnretained(node) }
        let node = store.passingNode(child.pointee, scan, &spares)
        kept.append(node)
        return Unmanaged.passUnretained(node)
    }
}

extension NodeStack.Entry {
    /// Whether a node is known to be one of another version, without opening either.
    @inline(__always)
    func isSame(as other: Self) -> Bool { child.pointee.isSame(as: other.child.pointee) }

    /// What tells a node from others: where it is stored or, if it is not, its address.
    var key: UInt64 {
        guard let node = child.pointee.node else { return child.pointee.stored &<< 1 | 1 }
        let stored = node.stored
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque()))
        return stored == 0 ? address : stored &<< 1 | 1
    }
}
