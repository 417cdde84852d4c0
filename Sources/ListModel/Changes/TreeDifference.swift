// Where two versions of a tree differ, in pieces.
//
// Always holds: the pieces of one side, in order, are all elements of that tree, each in exactly one piece;
// - matched run n of one side is matched run n of the other: the same elements in the same order, neighbours in both
//   versions.

/// A part of one of two versions of a tree.
struct TreePiece<Element: TreeElement> {
    /// The offset of its first element in its tree.
    var start: Int
    /// How many elements it has.
    var count: Int
    /// The element, if it is a single one; nil for a matched run.
    var element: Element?
}

/// The parts in which two versions of a tree differ.
struct TreeDifference<Element: TreeElement> {
    /// An element in step that was updated.
    struct Change {
        var old: Element
        var oldOffset: Int
        var new: Element
        var newOffset: Int
    }

    /// The pieces of the old and of the new version. The n-th matched run of one is that of the other.
    private(set) var old: [TreePiece<Element>] = []
    private(set) var new: [TreePiece<Element>] = []
    /// The updated elements inside matched runs.
    private(set) var changed: [Change] = []

    /// Compares two versions of a tree.
    ///
    /// - Parameter isSingle: elements that stand alone even when they are in step; inside a shared node they do not. Nil for none.
    /// - Complexity: O(k · w · log n) for k elements that differ, in nodes of width w.
    init(
        from oldTree: PersistentTree<Element>, to newTree: PersistentTree<Element>,
        single isSingle: ((Element) -> Bool)? = nil
    ) {
        if oldTree.top.isSame(as: newTree.top) { return }
        var comparison = TreeComparison(oldTree, newTree, single: isSingle)
        self = comparison.compare()
    }

    /// No pieces yet.
    init() {}

    /// Reserves capacity for the pieces that one edit usually leaves.
    mutating func reserveUsualRoom() {
        old.reserveCapacity(4)
        new.reserveCapacity(4)
    }
}

// MARK: - What a comparison finds, in the order of both trees

extension TreeDifference {
    /// Adds shared elements, or extends the last matched run if it ends there on both sides.
    mutating func appendMatched(_ oldStart: Int, _ newStart: Int, _ count: Int) {
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

    /// Adds an updated element of the last matched run.
    mutating func appendChange(_ change: Change) { changed.append(change) }

    /// Adds an old element without a partner in step.
    mutating func appendOld(_ element: Element, _ offset: Int) {
        old.append(TreePiece(start: offset, count: 1, element: element))
    }

    /// Adds a new element without a partner in step.
    mutating func appendNew(_ element: Element, _ offset: Int) {
        new.append(TreePiece(start: offset, count: 1, element: element))
    }
}
