// Neighbouring nodes of one height of a tree, each with the offset of its first element.
//
// Always holds: nodes are referred to without counting, so a list must not outlive its tree and its `NodeKeeper`;
// `height` is −1 for the list of a tree without elements. A node that could not be read is a leaf at any height.

/// Keeps nodes alive that are only looked at, while two versions of a tree are compared.
final class NodeKeeper<Element: TreeElement> {
    private let tree: PersistentTree<Element>
    /// The top of the tree, at an address of its own.
    let top: UnsafeMutablePointer<TreeChild<Element>>
    private var nodes: [TreeNode<Element>] = []

    init(_ tree: PersistentTree<Element>) {
        self.tree = tree
        top = UnsafeMutablePointer.allocate(capacity: 1)
        top.initialize(to: tree.top)
    }

    deinit {
        // SAFETY: allocated and initialised in `init`.
        top.deinitialize(count: 1)
        top.deallocate()
    }

    /// The node of a child, for as long as the keeper lives.
    @inline(__always)
    func node(_ child: UnsafePointer<TreeChild<Element>>) -> Unmanaged<TreeNode<Element>> {
        if let node = child.pointee.node { return Unmanaged.passUnretained(node) }
        let node = tree.store.node(child.pointee)
        nodes.append(node)
        return Unmanaged.passUnretained(node)
    }
}

struct NodeList<Element: TreeElement> {
    private struct Entry {
        // SAFETY: in a node that the tree or the keeper keeps alive, or the keeper's own.
        var child: UnsafePointer<TreeChild<Element>>
        var start: Int
        var count: Int
    }

    private var entries: ArraySlice<Entry>
    private let keeper: NodeKeeper<Element>
    /// The height of the nodes; −1 if there are none and never were.
    private(set) var height: Int
    /// The offset of the first element, also of an empty list.
    private(set) var start: Int

    /// The root of a tree.
    init(_ keeper: NodeKeeper<Element>) {
        self.keeper = keeper
        entries = []
        start = 0
        height = -1
        let top = UnsafePointer(keeper.top)
        if top.pointee.count > 0 {
            height = keeper.node(top)._withUnsafeGuaranteedRef { $0.height }
            entries.append(Entry(child: top, start: 0, count: Int(top.pointee.count)))
        }
    }

    private init(_ entries: ArraySlice<Entry>, _ keeper: NodeKeeper<Element>, height: Int, start: Int) {
        self.entries = entries
        self.keeper = keeper
        self.height = height
        self.start = start
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a node is known to be a node of another list, without opening either.
    @inline(__always)
    func isNode(_ index: Int, same other: NodeList, _ otherIndex: Int) -> Bool {
        entries[entries.startIndex + index].child.pointee.isSame(
            as: other.entries[other.entries.startIndex + otherIndex].child.pointee)
    }

    /// The offset of the first element below a node.
    func start(_ index: Int) -> Int { entries[entries.startIndex + index].start }

    /// How many elements are below a node.
    func count(_ index: Int) -> Int { entries[entries.startIndex + index].count }

    /// A part of the list.
    subscript(range: Range<Int>) -> NodeList {
        let first = range.lowerBound < count ? start(range.lowerBound) : end
        let part = entries[entries.startIndex + range.lowerBound..<entries.startIndex + range.upperBound]
        return NodeList(part, keeper, height: height, start: first)
    }

    /// The offset after the last element.
    private var end: Int { entries.last.map { $0.start + $0.count } ?? start }

    /// The children of all nodes.
    func opened() -> NodeList {
        var children: [Entry] = []
        children.reserveCapacity(entries.count * 32)
        for entry in entries {
            keeper.node(entry.child)._withUnsafeGuaranteedRef { node in
                if node.isLeaf { return children.append(entry) }
                var start = entry.start
                for slot in 0..<node.count {
                    let child = UnsafePointer(node.children.advanced(by: slot))
                    let count = Int(child.pointee.count)
                    children.append(Entry(child: child, start: start, count: count))
                    start += count
                }
            }
        }
        return NodeList(children[...], keeper, height: height - 1, start: entries.first?.start ?? start)
    }

    /// The elements of all nodes, which are leaves.
    func elements() -> [UnsafePointer<Element>] {
        var result: [UnsafePointer<Element>] = []
        result.reserveCapacity(entries.reduce(0) { $0 + $1.count })
        for entry in entries {
            // SAFETY: the elements stay where they are as long as the tree or the keeper keeps the leaf.
            keeper.node(entry.child)._withUnsafeGuaranteedRef { leaf in
                for slot in 0..<leaf.count { result.append(UnsafePointer(leaf.elements.advanced(by: slot))) }
            }
        }
        return result
    }

    /// What tells a node from others: where it is stored or, if it is not, its address.
    private func key(_ index: Int) -> UInt64 {
        let child = entries[entries.startIndex + index].child
        guard let node = child.pointee.node else { return child.pointee.stored &<< 1 | 1 }
        let stored = node.stored
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque()))
        return stored == 0 ? address : stored &<< 1 | 1
    }

    /// The nodes that a range of this list and a range of another have in common, in the order of both.
    ///
    /// - Complexity: O(nodes) expected.
    func anchors(in other: NodeList, _ range: Range<Int>, _ otherRange: Range<Int>) -> [(old: Int, new: Int)] {
        // One against one is known to differ.
        if range.isEmpty || otherRange.isEmpty || range.count * otherRange.count == 1 { return [] }
        var places: [UInt64: Int] = [:]
        places.reserveCapacity(range.count)
        for index in range { places[key(index)] = index }
        var anchors: [(old: Int, new: Int)] = []
        for index in otherRange {
            guard let place = places[other.key(index)], place > anchors.last?.old ?? -1,
                isNode(place, same: other, index)
            else { continue }
            anchors.append((place, index))
        }
        return anchors
    }
}
