// Where two versions of a tree differ.
//
// Both trees are opened from the top, side by side. Nodes that both have are found by identity, in their order, and
// become *blocks*: they are not opened, however large they are. Between two blocks the children are compared in the same
// way, and at the bottom the elements, in step. Elements that stand in step form blocks as well; what is left over are
// single elements, which somebody else matches by id.
//
// Finding shared nodes is only for speed: a shared node that is overlooked is opened, and its elements are found equal.
//
// Always holds:
// - the pieces of one side, in order, are all elements of that tree, each in exactly one piece;
// - block n of one side is block n of the other: the same elements in the same order, neighbours in both versions. Blocks
//   may be larger than they need to be, never smaller than what they hold together.

/// A part of one of two versions of a tree.
struct TreePiece<Element: TreeElement> {
    /// The offset of its first element in its tree.
    var start: Int
    /// How many elements it has.
    var count: Int
    /// The element, if it is a single one; nil for a block.
    var element: Element?
}

/// The parts in which two versions of a tree differ.
struct TreeDifference<Element: TreeElement> {
    /// An element that stands in step in both versions, but has changed in itself.
    struct Change {
        var old: Element
        var oldOffset: Int
        var new: Element
        var newOffset: Int
    }

    /// The pieces of the old and of the new version. The n-th block of one is the n-th block of the other.
    private(set) var old: [TreePiece<Element>] = []
    private(set) var new: [TreePiece<Element>] = []
    /// The changed elements inside blocks.
    private(set) var changed: [Change] = []

    /// Compares two versions of a tree.
    ///
    /// - Complexity: O(k · w · log n) for k elements that differ, in nodes of width w.
    init(from oldTree: PersistentTree<Element>, to newTree: PersistentTree<Element>) {
        if oldTree.top.isSame(as: newTree.top) { return }
        let keepers = (NodeKeeper(oldTree), NodeKeeper(newTree))
        // SAFETY: the keepers and their trees keep the nodes alive that the lists refer to.
        withExtendedLifetime(keepers) {
            var oldList = NodeList(keepers.0)
            var newList = NodeList(keepers.1)
            // An empty list has no height to speak of.
            while oldList.height > newList.height && !newList.isEmpty { oldList = oldList.opened() }
            while newList.height > oldList.height && !oldList.isEmpty { newList = newList.opened() }
            compare(oldList, newList)
        }
    }

    // MARK: Nodes

    /// Compares two lists of nodes of one height, one of which may be empty.
    private mutating func compare(_ old: NodeList<Element>, _ new: NodeList<Element>) {
        let most = min(old.count, new.count)
        var front = 0
        while front < most && old.isNode(front, same: new, front) { front += 1 }
        var back = 0
        while back < most - front && old.isNode(old.count - 1 - back, same: new, new.count - 1 - back) { back += 1 }
        for index in 0..<front { appendBlock(old, index, new, index) }
        var oldStart = front
        var newStart = front
        for anchor in old.anchors(in: new, front..<old.count - back, front..<new.count - back) {
            compareBelow(old[oldStart..<anchor.old], new[newStart..<anchor.new])
            appendBlock(old, anchor.old, new, anchor.new)
            oldStart = anchor.old + 1
            newStart = anchor.new + 1
        }
        compareBelow(old[oldStart..<old.count - back], new[newStart..<new.count - back])
        for index in stride(from: back, to: 0, by: -1) { appendBlock(old, old.count - index, new, new.count - index) }
    }

    /// Compares what two lists of nodes hold, of which no node is known to be in both.
    private mutating func compareBelow(_ old: NodeList<Element>, _ new: NodeList<Element>) {
        if old.isEmpty && new.isEmpty { return }
        if max(old.height, new.height) > 0 {
            compare(old.opened(), new.opened())
        } else {
            compareElements(old.elements(), old.start, new.elements(), new.start)
        }
    }

    private mutating func appendBlock(
        _ oldList: NodeList<Element>, _ oldIndex: Int, _ newList: NodeList<Element>, _ newIndex: Int
    ) {
        appendBlock(oldList.start(oldIndex), newList.start(newIndex), oldList.count(oldIndex))
    }

    /// Appends a block, or makes the last one longer if it ends there on both sides.
    private mutating func appendBlock(_ oldStart: Int, _ newStart: Int, _ count: Int) {
        if let oldLast = old.indices.last, let newLast = new.indices.last,
            old[oldLast].element == nil, new[newLast].element == nil
        {
            old[oldLast].count += count
            new[newLast].count += count
        } else {
            old.append(TreePiece(start: oldStart, count: count, element: nil))
            new.append(TreePiece(start: newStart, count: count, element: nil))
        }
    }

    // MARK: Elements

    /// How far to look for the next element that stands in step again.
    private static var window: Int { 8 }

    private mutating func compareElements(
        _ old: [UnsafePointer<Element>], _ oldStart: Int, _ new: [UnsafePointer<Element>], _ newStart: Int
    ) {
        let most = min(old.count, new.count)
        var back = 0
        while back < most && old[old.count - 1 - back].pointee.id == new[new.count - 1 - back].pointee.id { back += 1 }
        let oldEnd = old.count - back
        let newEnd = new.count - back
        var oldIndex = 0
        var newIndex = 0
        while oldIndex < oldEnd && newIndex < newEnd {
            if old[oldIndex].pointee.id == new[newIndex].pointee.id {
                pair(old[oldIndex], oldStart + oldIndex, new[newIndex], newStart + newIndex)
                oldIndex += 1
                newIndex += 1
                continue
            }
            // After a few deletions or insertions, the next element of one side stands a few further on the other.
            var skipped = (old: 1, new: 1)
            for distance in 1...Self.window {
                if oldIndex + distance < oldEnd && old[oldIndex + distance].pointee.id == new[newIndex].pointee.id {
                    skipped = (distance, 0)
                    break
                }
                if newIndex + distance < newEnd && old[oldIndex].pointee.id == new[newIndex + distance].pointee.id {
                    skipped = (0, distance)
                    break
                }
            }
            for _ in 0..<skipped.old { appendOld(old[oldIndex], oldStart + oldIndex); oldIndex += 1 }
            for _ in 0..<skipped.new { appendNew(new[newIndex], newStart + newIndex); newIndex += 1 }
        }
        for index in oldIndex..<oldEnd { appendOld(old[index], oldStart + index) }
        for index in newIndex..<newEnd { appendNew(new[index], newStart + index) }
        for index in 0..<back {
            pair(old[oldEnd + index], oldStart + oldEnd + index, new[newEnd + index], newStart + newEnd + index)
        }
    }

    private mutating func pair(
        _ old: UnsafePointer<Element>, _ oldOffset: Int, _ new: UnsafePointer<Element>, _ newOffset: Int
    ) {
        appendBlock(oldOffset, newOffset, 1)
        if !old.pointee.isUnchanged(in: new.pointee) {
            changed.append(Change(old: old.pointee, oldOffset: oldOffset, new: new.pointee, newOffset: newOffset))
        }
    }

    private mutating func appendOld(_ element: UnsafePointer<Element>, _ offset: Int) {
        old.append(TreePiece(start: offset, count: 1, element: element.pointee))
    }

    private mutating func appendNew(_ element: UnsafePointer<Element>, _ offset: Int) {
        new.append(TreePiece(start: offset, count: 1, element: element.pointee))
    }
}
