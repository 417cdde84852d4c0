// A comparison of two versions of a tree in progress.
//
// Both trees are opened from the top, side by side. Nodes that both share are recognised by identity, become *matched
// runs* and are not opened. Between two matched runs the children are compared in the same way, and in leaves the
// elements, in step. Equal elements in step form matched runs too, except those that are to stand alone. The remaining
// single elements are matched by id, by `SnapshotDifference`.
//
// Always holds: recognising shared nodes affects speed only. A shared node that is missed is opened, and its elements
// compare equal.

struct TreeComparison<Element: TreeElement>: ~Copyable {
    private typealias Elements = NodeStack<Element>.Elements

    private var old: NodeStack<Element>
    private var new: NodeStack<Element>
    private var difference = TreeDifference<Element>()
    private let isSingle: ((Element) -> Bool)?

    init(
        _ oldTree: PersistentTree<Element>, _ newTree: PersistentTree<Element>, single isSingle: ((Element) -> Bool)?
    ) {
        self.isSingle = isSingle
        let scans = oldTree.pool.scans(with: newTree.pool)
        old = NodeStack(oldTree, scans.own)
        new = NodeStack(newTree, scans.other)
        difference.reserveUsualRoom()
    }

    /// Compares the trees from the top.
    mutating func compare() -> TreeDifference<Element> {
        var (oldRange, oldHeight) = old.pushRoot()
        var (newRange, newHeight) = new.pushRoot()
        // An empty tree has no height.
        while oldHeight > newHeight && !newRange.isEmpty {
            oldRange = old.pushChildren(of: oldRange).range
            oldHeight -= 1
        }
        while newHeight > oldHeight && !oldRange.isEmpty {
            newRange = new.pushChildren(of: newRange).range
            newHeight -= 1
        }
        compare(oldRange, newRange, height: max(oldHeight, newHeight))
        return difference
    }

    // MARK: Nodes

    /// How far to search for the next node or element in step.
    private static var window: Int { 8 }

    /// Compares nodes of one height.
    private mutating func compare(_ oldRange: Range<Int>, _ newRange: Range<Int>, height: Int) {
        var oldEnd = oldRange.upperBound
        var newEnd = newRange.upperBound
        while oldEnd > oldRange.lowerBound && newEnd > newRange.lowerBound
            && old[oldEnd - 1].isSame(as: new[newEnd - 1])
        {
            oldEnd -= 1
            newEnd -= 1
        }
        var oldIndex = oldRange.lowerBound
        var newIndex = newRange.lowerBound
        while oldIndex < oldEnd && newIndex < newEnd {
            let most = min(oldEnd - oldIndex, newEnd - newIndex)
            var count = 0
            while count < most && old[oldIndex + count].isSame(as: new[newIndex + count]) { count += 1 }
            if count > 0 {
                appendMatched(oldIndex, newIndex, count)
                oldIndex += count
                newIndex += count
            } else if let (oldNext, newNext) = nextInStep(oldIndex..<oldEnd, newIndex..<newEnd) {
                compareBelow(oldIndex..<oldNext, newIndex..<newNext, height: height)
                (oldIndex, newIndex) = (oldNext, newNext)
            } else {
                for anchor in anchors(oldIndex..<oldEnd, newIndex..<newEnd) {
                    compareBelow(oldIndex..<anchor.old, newIndex..<anchor.new, height: height)
                    appendMatched(anchor.old, anchor.new, 1)
                    (oldIndex, newIndex) = (anchor.old + 1, anchor.new + 1)
                }
                break
            }
        }
        compareBelow(oldIndex..<oldEnd, newIndex..<newEnd, height: height)
        appendMatched(oldEnd, newEnd, oldRange.upperBound - oldEnd)
    }

    /// Compares the children of nodes that the two versions do not share.
    private mutating func compareBelow(_ oldRange: Range<Int>, _ newRange: Range<Int>, height: Int) {
        if oldRange.isEmpty && newRange.isEmpty { return }
        if height <= 0 { return compareElements(oldRange, newRange) }
        let oldChildren = old.pushChildren(of: oldRange)
        let newChildren = new.pushChildren(of: newRange)
        compare(oldChildren.range, newChildren.range, height: height - 1)
        old.pop(oldChildren)
        new.pop(newChildren)
    }

    /// Adds consecutive shared nodes.
    private mutating func appendMatched(_ oldIndex: Int, _ newIndex: Int, _ count: Int) {
        if count == 0 { return }
        let (first, last) = (old[oldIndex], old[oldIndex + count - 1])
        difference.appendMatched(first.start, new[newIndex].start, last.start + last.count - first.start)
    }

    /// The next shared node, if it is near; the first of each range is not shared.
    ///
    /// Most changed nodes have unchanged neighbours, so the search begins at equal distances.
    private func nextInStep(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (old: Int, new: Int)? {
        let (oldFirst, newFirst) = (oldRange.lowerBound, newRange.lowerBound)
        let farthest = min(Self.window, max(oldRange.count, newRange.count) - 1)
        for distance in stride(from: 1, through: farthest, by: 1) {
            let oldFar = oldFirst + distance < oldRange.upperBound
            let newFar = newFirst + distance < newRange.upperBound
            for skipped in stride(from: distance, through: 0, by: -1) {
                let (oldNear, newNear) = (oldFirst + skipped, newFirst + skipped)
                if oldFar, newNear < newRange.upperBound, old[oldFirst + distance].isSame(as: new[newNear]) {
                    return (oldFirst + distance, newNear)
                }
                if newFar, oldNear < oldRange.upperBound, old[oldNear].isSame(as: new[newFirst + distance]) {
                    return (oldNear, newFirst + distance)
                }
            }
        }
        return nil
    }

    /// The nodes that two ranges share, in the order of both versions.
    ///
    /// - Complexity: O(nodes) expected.
    private func anchors(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [(old: Int, new: Int)] {
        // Near nodes were compared already.
        if max(oldRange.count, newRange.count) <= Self.window { return [] }
        var places: [UInt64: Int] = [:]
        places.reserveCapacity(oldRange.count)
        for index in oldRange { places[old[index].key] = index }
        var anchors: [(old: Int, new: Int)] = []
        for index in newRange {
            guard let place = places[new[index].key], place > anchors.last?.old ?? -1,
                old[place].isSame(as: new[index])
            else { continue }
            anchors.append((place, index))
        }
        return anchors
    }

    // MARK: Elements

    /// Compares the elements of leaves. If there are many leaves, only a few of each version are in memory at a time.
    private mutating func compareElements(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
        // Moved out, so that the stacks can be read at the same time.
        var difference = TreeDifference<Element>()
        swap(&difference, &self.difference)
        var (oldRest, newRest) = (old.elements(of: oldRange), new.elements(of: newRange))
        let ends = removeCommonEnd(&oldRest, &newRest)
        compare(&oldRest, &newRest, &difference)
        if var (oldRest, newRest) = ends {
            // These are in step.
            compare(&oldRest, &newRest, &difference)
        }
        swap(&difference, &self.difference)
    }

    /// Removes the elements at the end that are the same in both versions, if there are more leaves than are read at once. Without this,
    /// elements would be out of step after a few that only one of the versions has, and would have to be matched one by one.
    ///
    /// - Returns: these elements; nil if there are none.
    private mutating func removeCommonEnd(
        _ oldRest: inout ElementRange, _ newRest: inout ElementRange
    ) -> (old: ElementRange, new: ElementRange)? {
        var (oldEnd, newEnd) = (oldRest, newRest)
        while !(oldRest.isShort && newRest.isShort) {
            let (count, isMore) = old.withLast(of: oldRest) { old in
                new.withLast(of: newRest) { new -> (Int, Bool) in
                    let count = Self.commonEnd(old, new)
                    return (count, count > 0 && count == min(old.count, new.count))
                }
            }
            old.trimEnd(count, of: &oldRest)
            new.trimEnd(count, of: &newRest)
            if !isMore { break }
        }
        if oldRest.count == oldEnd.count { return nil }
        old.trimStart(oldRest.count, of: &oldEnd)
        new.trimStart(newRest.count, of: &newEnd)
        return (oldEnd, newEnd)
    }

    private mutating func compare(
        _ oldRest: inout ElementRange, _ newRest: inout ElementRange, _ difference: inout TreeDifference<Element>
    ) {
        while oldRest.count > 0 || newRest.count > 0 {
            let ends = (old: oldRest.isShort, new: newRest.isShort)
            let compared = old.withFirst(of: oldRest) { old in
                new.withFirst(of: newRest) { new in Self.compare(old, new, ends, isSingle, &difference) }
            }
            old.trimStart(compared.old, of: &oldRest)
            new.trimStart(compared.new, of: &newRest)
        }
    }

    /// How many elements at the end are the same.
    private static func commonEnd(_ old: Elements, _ new: Elements) -> Int {
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > 0 && newEnd > 0 && old[oldEnd - 1].pointee.id == new[newEnd - 1].pointee.id {
            oldEnd -= 1
            newEnd -= 1
        }
        return old.count - oldEnd
    }

    /// Compares elements.
    ///
    /// - Parameter ends: whether these are all elements of each version. Otherwise the last ones are left for the next call: their
    ///   partners may be among those that come then.
    /// - Returns: how many were compared; at least one if there is one.
    private static func compare(
        _ old: Elements, _ new: Elements, _ ends: (old: Bool, new: Bool), _ isSingle: ((Element) -> Bool)?,
        _ difference: inout TreeDifference<Element>
    ) -> (old: Int, new: Int) {
        let commonEnd = ends.old && ends.new ? commonEnd(old, new) : 0
        let (oldEnd, newEnd) = (old.count - commonEnd, new.count - commonEnd)
        let oldStop = ends.old ? oldEnd : oldEnd - Self.window
        let newStop = ends.new ? newEnd : newEnd - Self.window
        var oldIndex = 0
        var newIndex = 0
        while oldIndex < oldStop && newIndex < newStop {
            let most = min(oldEnd - oldIndex, newEnd - newIndex)
            var count = 0
            while count < most && old[oldIndex + count].pointee.id == new[newIndex + count].pointee.id { count += 1 }
            if count > 0 {
                appendMatched(old, oldIndex, new, newIndex, count, isSingle, &difference)
                oldIndex += count
                newIndex += count
                continue
            }
            // After a few deletions or insertions, an element of one side is a few positions further on the other.
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
            for _ in 0..<skipped.old {
                difference.appendOld(old[oldIndex].pointee, old.start + oldIndex)
                oldIndex += 1
            }
            for _ in 0..<skipped.new {
                difference.appendNew(new[newIndex].pointee, new.start + newIndex)
                newIndex += 1
            }
        }
        // Where one version has ended, the elements of the other have no partners.
        if ends.new && newIndex == newEnd {
            for index in oldIndex..<oldEnd { difference.appendOld(old[index].pointee, old.start + index) }
            oldIndex = oldEnd
        }
        if ends.old && oldIndex == oldEnd {
            for index in newIndex..<newEnd { difference.appendNew(new[index].pointee, new.start + index) }
            newIndex = newEnd
        }
        if oldEnd == old.count { return (oldIndex, newIndex) }
        appendMatched(old, oldEnd, new, newEnd, old.count - oldEnd, isSingle, &difference)
        return (old.count, new.count)
    }

    /// Adds elements in step, and which of them were updated.
    private static func appendMatched(
        _ old: Elements, _ oldIndex: Int, _ new: Elements, _ newIndex: Int, _ count: Int,
        _ isSingle: ((Element) -> Bool)?, _ difference: inout TreeDifference<Element>
    ) {
        if isSingle == nil { difference.appendMatched(old.start + oldIndex, new.start + newIndex, count) }
        for index in 0..<count {
            let (old, oldOffset) = (old[oldIndex + index], old.start + oldIndex + index)
            let (new, newOffset) = (new[newIndex + index], new.start + newIndex + index)
            if let isSingle {
                if isSingle(old.pointee) {
                    difference.appendOld(old.pointee, oldOffset)
                    difference.appendNew(new.pointee, newOffset)
                    continue
                }
                difference.appendMatched(oldOffset, newOffset, 1)
            }
            if old.pointee.isUnchanged(in: new.pointee) { continue }
            difference.appendChange(
                .init(old: old.pointee, oldOffset: oldOffset, new: new.pointee, newOffset: newOffset))
        }
    }
}
