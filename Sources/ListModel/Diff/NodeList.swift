// Neighbouring nodes of one height of a tree, each with the offset of its first element.
//
// Always holds: the nodes are referred to without counting, so a list must not outlive its tree; `height` is −1 for
// the list of a tree without elements.

struct NodeList<Element: TreeElement> {
    private struct Entry {
        var node: Unmanaged<TreeNode<Element>>
        var start: Int
        var count: Int
    }

    private var entries: ArraySlice<Entry>
    /// The height of the nodes; −1 if there are none and never were.
    private(set) var height: Int
    /// The offset of the first element, also of an empty list.
    private(set) var start: Int

    /// The root of a tree.
    init(_ tree: PersistentTree<Element>) {
        entries = []
        start = 0
        height = tree.root?.height ?? -1
        if let root = tree.root {
            entries.append(Entry(node: Unmanaged.passUnretained(root), start: 0, count: tree.count))
        }
    }

    private init(_ entries: ArraySlice<Entry>, height: Int, start: Int) {
        self.entries = entries
        self.height = height
        self.start = start
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// The identity of a node.
    @inline(__always)
    func node(_ index: Int) -> UnsafeMutableRawPointer { entries[entries.startIndex + index].node.toOpaque() }

    /// The offset of the first element below a node.
    func start(_ index: Int) -> Int { entries[entries.startIndex + index].start }

    /// How many elements are below a node.
    func count(_ index: Int) -> Int { entries[entries.startIndex + index].count }

    /// A part of the list.
    subscript(range: Range<Int>) -> NodeList {
        let first = range.lowerBound < count ? start(range.lowerBound) : end
        let part = entries[entries.startIndex + range.lowerBound..<entries.startIndex + range.upperBound]
        return NodeList(part, height: height, start: first)
    }

    /// The offset after the last element.
    private var end: Int { entries.last.map { $0.start + $0.count } ?? start }

    /// The children of all nodes.
    func opened() -> NodeList {
        var children: [Entry] = []
        children.reserveCapacity(entries.count * 32)
        for entry in entries {
            entry.node._withUnsafeGuaranteedRef { node in
                var start = entry.start
                for slot in 0..<node.count {
                    let child = node.children.advanced(by: slot)
                    let count = Int(child.pointee.count)
                    children.append(
                        Entry(node: Unmanaged.passUnretained(child.pointee.node), start: start, count: count))
                    start += count
                }
            }
        }
        return NodeList(children[...], height: height - 1, start: start)
    }

    /// The elements of all nodes, which are leaves.
    func elements() -> [UnsafePointer<Element>] {
        var result: [UnsafePointer<Element>] = []
        result.reserveCapacity(entries.reduce(0) { $0 + $1.count })
        for entry in entries {
            // SAFETY: the elements stay where they are as long as the tree keeps the leaf.
            entry.node._withUnsafeGuaranteedRef { leaf in
                for slot in 0..<leaf.count { result.append(UnsafePointer(leaf.elements.advanced(by: slot))) }
            }
        }
        return result
    }

    /// The nodes that a range of this list and a range of another have in common, in the order of both.
    ///
    /// - Complexity: O(nodes) expected.
    func anchors(in other: NodeList, _ range: Range<Int>, _ otherRange: Range<Int>) -> [(old: Int, new: Int)] {
        // One against one is known to differ.
        if range.isEmpty || otherRange.isEmpty || range.count * otherRange.count == 1 { return [] }
        var places: [UnsafeMutableRawPointer: Int] = [:]
        places.reserveCapacity(range.count)
        for index in range { places[node(index)] = index }
        var anchors: [(old: Int, new: Int)] = []
        for index in otherRange {
            guard let place = places[other.node(index)], place > anchors.last?.old ?? -1 else { continue }
            anchors.append((place, index))
        }
        return anchors
    }
}
