// A node of the persistent tree: a leaf with elements, or an inner node with children and a summary of each.
//
// One allocation holds the header and the storage after it. The height decides whether the storage has elements or
// children, and the storage is bound to that type for the node's whole life. Offsets, slots and counts cannot overflow
// (`Limits.rows`, `Limits.nodeElements`). Release builds do not check them in the hot loops of edits; assertions check
// arguments and results.
//
// Always holds:
// - a node that is referenced more than once is never written, except for `stored`; an edit copies it (copy on write);
// - `count` initialised elements (height 0) or children (height > 0) lie at the start of the storage;
// - a copy of a node keeps the node number: at the head a number names one place in the tree (see `Locator`);
// - a node whose `stored` is not 0 equals the stored node of that number.

import Synchronization

/// The header of a node.
struct TreeNodeHeader {
    /// The stored number of the node; 0 if it is not stored, or was changed since. It is the first field, so that it
    /// can be accessed atomically.
    var stored: UInt64
    /// The number of elements or children.
    var count: UInt32
    /// The epoch of its pool in which the node was changed last.
    var epoch: UInt32
    /// The node number, in the locator of its list.
    fileprivate(set) var number: UInt32
    /// The capacity for elements or children.
    let width: UInt32
    /// 0 for a leaf; for an inner node one more than the height of its children.
    fileprivate(set) var height: Int32
    /// Whether the contents are bytes without references. Then they are copied as a whole, and need no
    /// deinitialisation.
    var isPlain: Bool
    /// The slot where the last edit of a leaf ended: after an insertion, or at a removal. It may be wrong, because it
    /// only decides where a full leaf is split.
    var lastEdit: UInt16 = .max
}

/// A child of an inner node, or the top of a tree: a node that is in memory or stored, with a summary of the elements
/// below it.
struct TreeChild<Element>: @unchecked Sendable {
    // @unchecked Sendable: a shared node is not written, except for an atomic word.

    /// The node, if the tree holds it in memory. Nodes that were only read are in the cache of the `NodePool`.
    var node: TreeNode<Element>?
    // The stored number in 48 bits, then the height and the lowest depth in 8 each. With fields of their own a child would
    // have eight, and a struct of more than seven is copied by a function call.
    private var storedLow: UInt32
    private var packed: UInt32
    /// The number of elements below the node.
    var count: UInt32
    /// The node number, kept here so that finding a child by number reads only the parent and not all of its children.
    var number: UInt32
    /// The sequence hash of the elements below the node, or `SequenceHash.unsealed`.
    var hash: UInt64

    /// The value of `height` for a stored root.
    static var anyHeight: UInt8 { .max }

    /// No elements.
    static var empty: TreeChild {
        TreeChild(
            node: nil, stored: 0, count: 0, number: 0, hash: 0, lowestDepth: TreeDepth.none, height: anyHeight)
    }

    init(
        node: TreeNode<Element>?, stored: UInt64, count: UInt32, number: UInt32, hash: UInt64, lowestDepth: UInt8,
        height: UInt8
    ) {
        self.node = node
        storedLow = UInt32(truncatingIfNeeded: stored)
        packed = UInt32(truncatingIfNeeded: stored &>> 32) &<< 16 | UInt32(height) &<< 8 | UInt32(lowestDepth)
        self.count = count
        self.number = number
        self.hash = hash
    }

    /// The stored number of the node if it is not in memory; otherwise without meaning. Truncation splits it into two
    /// parts.
    @inline(__always)
    var stored: UInt64 {
        get { UInt64(packed &>> 16) &<< 32 | UInt64(storedLow) }
        set {
            storedLow = UInt32(truncatingIfNeeded: newValue)
            packed = packed & 0xFFFF | UInt32(truncatingIfNeeded: newValue &>> 32) &<< 16
        }
    }

    /// The lowest depth of the elements below the node; `TreeDepth.none` without elements.
    @inline(__always)
    var lowestDepth: UInt8 {
        get { UInt8(truncatingIfNeeded: packed) }
        set { packed = packed & ~0xFF | UInt32(newValue) }
    }

    /// The height of the node, one less than its parent's; `anyHeight` for a stored root, whose height is only in the
    /// node itself.
    @inline(__always)
    var height: UInt8 {
        get { UInt8(truncatingIfNeeded: packed &>> 8) }
        set { packed = packed & ~0xFF00 | UInt32(newValue) &<< 8 }
    }

    /// Whether both are known to be the same node. If this is false, the nodes may still be equal.
    @inline(__always)
    func isSame(as other: TreeChild) -> Bool {
        // In another file, or before the file was rebuilt, the same stored number may belong to a different node.
        if count != other.count || hash != other.hash { return false }
        return switch (node, other.node) {
        case (.some(let left), .some(let right)): left === right
        case (nil, nil): stored == other.stored
        case (.some(let left), nil): other.stored != 0 && left.stored == other.stored
        case (nil, .some(let right)): stored != 0 && right.stored == stored
        }
    }
}

extension TreeChild where Element: TreeElement {
    /// Computes the summary of a node in memory, with an unsealed hash.
    init(summarizing node: TreeNode<Element>) {
        self.init(
            node: node, stored: 0, count: UInt32(node.elementCount), number: node.number,
            hash: SequenceHash.unsealed, lowestDepth: node.lowestDepth, height: UInt8(node.height))
    }

    /// Whether count, lowest depth and height are those of the node, if it is in memory; for assertions.
    var isSummary: Bool {
        guard let node else { return true }
        return Int(count) == node.elementCount && lowestDepth == node.lowestDepth && Int(height) == node.height
    }

    /// Recomputes the lowest depth from the node, if it is in memory.
    @inline(never)
    mutating func findLowestDepth() {
        if let node { lowestDepth = node.lowestDepth }
    }
}

/// A node of a persistent tree.
final class TreeNode<Element>: ManagedBuffer<TreeNodeHeader, UInt64> {
    /// The address of the header: access through the class would check exclusivity every time.
    @inline(__always)
    private var head: UnsafeMutablePointer<TreeNodeHeader> {
        // SAFETY: the header is part of the node, and callers keep the node alive while they use the pointer.
        withUnsafeMutablePointerToHeader { $0 }
    }

    @inline(__always)
    var count: Int {
        get { Int(head.pointee.count) }
        set {
            assert(newValue >= 0 && newValue <= width, "a node has more than there is room for, or less than nothing")
            head.pointee.count = UInt32(truncatingIfNeeded: newValue)
        }
    }

    /// The epoch of its pool in which the node was changed last; 0 if unknown.
    @inline(__always)
    var epoch: UInt32 {
        get { head.pointee.epoch }
        set { head.pointee.epoch = newValue }
    }

    @inline(__always)
    var height: Int { Int(head.pointee.height) }

    /// Whether the elements of a leaf are bytes without references.
    @inline(__always)
    var isPlain: Bool {
        get { head.pointee.isPlain }
        set { head.pointee.isPlain = newValue }
    }

    /// The slot where the last edit of a leaf ended. It may be wrong; in a leaf of 65,536 elements it may be truncated.
    @inline(__always)
    var lastEdit: Int {
        get { Int(head.pointee.lastEdit) }
        set { head.pointee.lastEdit = UInt16(truncatingIfNeeded: newValue) }
    }

    @inline(__always)
    var isLeaf: Bool { head.pointee.height == 0 }

    @inline(__always)
    var width: Int { Int(head.pointee.width) }

    @inline(__always)
    var number: UInt32 { head.pointee.number }

    /// The stored number of the node; 0 if it is not stored.
    ///
    /// A checkpoint sets it while snapshots on other threads may read it. This is the only write to a shared node.
    @inline(__always)
    var stored: UInt64 {
        get { storedWord.pointee.load(ordering: .relaxed) }
        set { storedWord.pointee.store(newValue, ordering: .relaxed) }
    }

    @inline(__always)
    private var storedWord: UnsafeMutablePointer<Atomic<UInt64>> {
        // SAFETY: `stored` is the first field of the header, and an `Atomic<UInt64>` is laid out like its value.
        UnsafeMutableRawPointer(head).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The elements of a leaf.
    @inline(__always)
    var elements: UnsafeMutablePointer<Element> {
        // SAFETY: words are aligned for every element type, the storage of a leaf holds only elements, and callers keep
        // the node alive while they use the pointer.
        withUnsafeMutablePointerToElements { storage in
            UnsafeMutableRawPointer(storage).assumingMemoryBound(to: Element.self)
        }
    }

    /// The children of an inner node.
    @inline(__always)
    var children: UnsafeMutablePointer<TreeChild<Element>> {
        // SAFETY: as for `elements`; the storage of an inner node holds only children.
        withUnsafeMutablePointerToElements { storage in
            UnsafeMutableRawPointer(storage).assumingMemoryBound(to: TreeChild<Element>.self)
        }
    }

    deinit { deinitializeContents() }

    private func deinitializeContents() {
        // SAFETY: exactly `count` elements or children are initialised; plain ones need no deinitialisation.
        if isPlain { return }
        if isLeaf {
            elements.deinitialize(count: count)
        } else {
            children.deinitialize(count: count)
        }
    }
}

extension TreeNode where Element: TreeElement {
    /// A node without elements or children.
    static func make(height: Int, width: Int, number: UInt32) -> TreeNode {
        let stride = height == 0 ? MemoryLayout<Element>.stride : MemoryLayout<TreeChild<Element>>.stride
        let words = (stride * width + 7) / 8
        let buffer = TreeNode.create(minimumCapacity: words) { _ in
            emptyHeader(height: height, width: UInt32(width), number: number)
        }
        // SAFETY: `create` returns an instance of the class it is called on.
        return unsafeDowncast(buffer, to: TreeNode.self)
    }

    /// Resets the node to an empty one of the same capacity. Nobody else may refer to it.
    ///
    /// - Parameter height: 0 for a leaf, more for an inner node. A leaf stays a leaf, an inner node an inner node.
    func becomeEmpty(height: Int, number: UInt32) {
        precondition(isLeaf == (height == 0), "a leaf has room for elements, an inner node for children")
        deinitializeContents()
        withUnsafeMutablePointerToHeader { header in
            header.pointee = TreeNode.emptyHeader(height: height, width: header.pointee.width, number: number)
        }
    }

    /// The header of a node without elements or children.
    private static func emptyHeader(height: Int, width: UInt32, number: UInt32) -> TreeNodeHeader {
        TreeNodeHeader(
            stored: 0, count: 0, epoch: 0, number: number, width: width, height: Int32(height),
            isPlain: height == 0 && Element.canBePlain)
    }

    /// A uniquely referenced copy with the same height, node number and contents. It has no stored number.
    ///
    /// - Parameter width: the capacity of the copy; it is increased to the present count if it is less.
    /// - Complexity: O(count).
    func copy(width: Int) -> TreeNode {
        assert(count <= self.width, "a node has more than there is room for")
        let result = TreeNode.make(height: height, width: max(width, count), number: number)
        // SAFETY: the new storage has room for the contents, and nothing in it is initialised yet. Plain elements may
        // be copied as bytes.
        result.isPlain = isPlain
        if isPlain {
            UnsafeMutableRawPointer(result.elements).copyMemory(
                from: elements, byteCount: count * MemoryLayout<Element>.stride)
        } else if isLeaf {
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
        assert(!isLeaf && count > 0 && offset >= 0, "an element is looked for below an inner node")
        let children = self.children
        var slot = 0
        let last = count &- 1
        while slot < last {
            let below = Int(children[slot].count)
            if offset < below || (insertion && offset == below) { break }
            offset &-= below
            slot &+= 1
        }
        assert(offset <= children[slot].count, "the offset is behind the node")
        return slot
    }

    /// The lowest depth of the elements below this node.
    ///
    /// - Complexity: O(1) if the first element is at depth 0, as in a list without outlines; otherwise O(count).
    var lowestDepth: UInt8 {
        var lowest = TreeDepth.none
        var slot = 0
        while slot < count && lowest > 0 {
            lowest = min(lowest, isLeaf ? elements[slot].outlineDepth : children[slot].lowestDepth)
            slot &+= 1
        }
        return lowest
    }

    /// The number of elements below this node.
    var elementCount: Int {
        if isLeaf { return count }
        return (0..<count).reduce(0) { $0 + Int(children[$1].count) }
    }
}
