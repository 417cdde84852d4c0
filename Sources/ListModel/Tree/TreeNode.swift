// A node of the persistent tree: a leaf with elements, or an inner node with children and a summary of each.
//
// One allocation holds the header and the storage behind it. Which of the two a node holds follows from its height,
// and the storage is bound to that type for the node's whole life.
//
// Always holds:
// - a node that is referenced more than once is never written; whoever wants to change it copies it first;
// - `count` initialised elements (height 0) or children (height > 0) lie at the start of the storage;
// - a node keeps its number when it is copied: at the head a number means one place in the tree (see `Locator`).

/// What a node knows of itself.
struct TreeNodeHeader {
    /// How many elements or children the node holds.
    var count: Int
    /// 0 for a leaf, one more than its children's for an inner node.
    let height: Int
    /// How many elements or children there is room for.
    let width: Int
    /// The node's number in the locator of its list.
    let number: UInt32
}

/// A child of an inner node, with a summary of the elements below it.
struct TreeChild<Element: TreeElement> {
    /// The child.
    var node: TreeNode<Element>
    /// How many elements are below the child.
    var count: UInt32
    /// The child's number, kept here so that finding a child by number reads one node and not all of its children.
    var number: UInt32
    /// The sequence hash of the elements below the child, or `SequenceHash.unsealed`.
    var hash: UInt64
}

/// A node of a persistent tree.
final class TreeNode<Element: TreeElement>: ManagedBuffer<TreeNodeHeader, UInt64> {
    /// A node without elements or children.
    static func make(height: Int, width: Int, number: UInt32) -> TreeNode {
        let stride = height == 0 ? MemoryLayout<Element>.stride : MemoryLayout<TreeChild<Element>>.stride
        let words = (stride * width + 7) / 8
        let buffer = TreeNode.create(minimumCapacity: words) { _ in
            TreeNodeHeader(count: 0, height: height, width: width, number: number)
        }
        // SAFETY: `create` returns an instance of the class it is called on.
        return unsafeDowncast(buffer, to: TreeNode.self)
    }

    /// The header, by address: reading it through the class would look for conflicting accesses every time.
    @inline(__always)
    private var head: UnsafeMutablePointer<TreeNodeHeader> {
        // SAFETY: the header lies in the node, and callers keep the node alive while they use the pointer.
        withUnsafeMutablePointerToHeader { $0 }
    }

    @inline(__always)
    var count: Int {
        get { head.pointee.count }
        set { head.pointee.count = newValue }
    }

    @inline(__always)
    var height: Int { head.pointee.height }

    @inline(__always)
    var isLeaf: Bool { head.pointee.height == 0 }

    @inline(__always)
    var width: Int { head.pointee.width }

    @inline(__always)
    var number: UInt32 { head.pointee.number }

    /// The elements of a leaf.
    @inline(__always)
    var elements: UnsafeMutablePointer<Element> {
        // SAFETY: words are as aligned as any element, the storage of a leaf holds nothing but elements, and callers
        // keep the node alive while they use the pointer.
        withUnsafeMutablePointerToElements { storage in
            UnsafeMutableRawPointer(storage).assumingMemoryBound(to: Element.self)
        }
    }

    /// The children of an inner node.
    @inline(__always)
    var children: UnsafeMutablePointer<TreeChild<Element>> {
        // SAFETY: as for `elements`; the storage of an inner node holds nothing but children.
        withUnsafeMutablePointerToElements { storage in
            UnsafeMutableRawPointer(storage).assumingMemoryBound(to: TreeChild<Element>.self)
        }
    }

    deinit {
        // SAFETY: exactly `count` elements or children are initialised.
        if isLeaf {
            elements.deinitialize(count: count)
        } else {
            children.deinitialize(count: count)
        }
    }

    /// A node of the same height, number and contents that nobody else refers to.
    ///
    /// - Complexity: O(count).
    func copy() -> TreeNode {
        let result = TreeNode.make(height: height, width: width, number: number)
        // SAFETY: the new storage has the same width and nothing in it is initialised yet.
        if isLeaf {
            result.elements.initialize(from: elements, count: count)
        } else {
            result.children.initialize(from: children, count: count)
        }
        result.count = count
        return result
    }

    /// The child that holds the element at `offset`, and the element's offset in that child.
    ///
    /// With `insertion`, an offset between two children belongs to the left one.
    @inline(__always)
    func child(at offset: inout Int, insertion: Bool = false) -> Int {
        let children = self.children
        var slot = 0
        let last = count &- 1
        while slot < last {
            let below = Int(children[slot].count)
            if offset < below || (insertion && offset == below) { break }
            offset &-= below
            slot &+= 1
        }
        return slot
    }

    /// The number of elements below this node.
    var elementCount: Int {
        if isLeaf { return count }
        return (0..<count).reduce(0) { $0 + Int(children[$1].count) }
    }
}
