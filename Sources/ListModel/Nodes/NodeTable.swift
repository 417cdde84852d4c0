// Nodes by number, for the cache.
//
// A table of slots with open addressing: whoever is not in the slot of his hash is in one of those behind it, with none free
// in between. It is not a `Dictionary` because the first use of one makes the runtime search every image of the process for
// the conformance of its keys, which takes a tenth of the time in which a list of any size opens.
//
// Always holds: at least a quarter of the slots is free; slots behind a free one can be found without passing it; a node is
// given only to a parent that says of it what the one said that it was read for.

/// The nodes of one kind, each under the number under which it is stored.
struct NodeTable<Element> {
    /// A place for a node; free if the number is 0, which no stored node has.
    private struct Slot {
        var number: UInt64 = 0
        var node: TreeNode<Element>?
        /// What the parent says that the node was read for and checked against. Another parent may say something else, in a
        /// file that somebody made up.
        var hash: UInt64 = 0
        var count: UInt32 = 0

        /// The node, if it is what a parent says.
        func node(_ child: TreeChild<Element>) -> TreeNode<Element>? {
            guard let node, hash == child.hash, count == child.count else { return nil }
            return child.height == TreeChild<Element>.anyHeight || node.height == Int(child.height) ? node : nil
        }
    }

    /// As many as a power of two; none as long as there is no node.
    private var slots: [Slot]
    /// How many nodes there are.
    private(set) var count = 0

    /// No nodes.
    ///
    /// - Parameter slotCount: how many slots to make; 0 or a power of two that is at least 16.
    init(slotCount: Int = 0) {
        slots = [Slot](repeating: Slot(), count: slotCount)
    }

    /// How many slots there are, for nodes and between them.
    var slotCount: Int { slots.count }

    /// The node of a stored child; nil if there is none.
    ///
    /// - Complexity: O(1) on average, as everything here.
    subscript(child: TreeChild<Element>) -> TreeNode<Element>? {
        if count == 0 { return nil }
        return slots[slot(of: child.stored)].node(child)
    }

    /// Puts the node of a stored child, whose number is not 0, in place of the one of the same number.
    mutating func insert(_ node: TreeNode<Element>, _ child: TreeChild<Element>) {
        let number = child.stored
        precondition(number != 0, "a stored node has a number")
        if 4 * (count + 1) > 3 * slots.count { grow() }
        let slot = slot(of: number)
        if slots[slot].number == 0 { count += 1 }
        slots[slot] = Slot(number: number, node: node, hash: child.hash, count: child.count)
    }

    /// Takes out the node of a stored child.
    mutating func remove(_ child: TreeChild<Element>) -> TreeNode<Element>? {
        if count == 0 { return nil }
        var free = slot(of: child.stored)
        guard let node = slots[free].node(child) else { return nil }
        count -= 1
        // Whoever had to go past the slot moves up, so that he is found without it.
        var next = successor(free)
        while slots[next].number != 0 {
            let home = home(slots[next].number)
            if distance(home, next) >= distance(free, next) {
                slots[free] = slots[next]
                free = next
            }
            next = successor(next)
        }
        slots[free] = Slot()
        return node
    }

    /// The slot of a number, or the free one where it belongs.
    private func slot(of number: UInt64) -> Int {
        var slot = home(number)
        while slots[slot].number != number && slots[slot].number != 0 { slot = successor(slot) }
        return slot
    }

    /// The slot that the hash of a number says.
    private func home(_ number: UInt64) -> Int {
        // Wrapping, as every hash; numbers follow one another, so that a multiplication is enough to spread them.
        Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> 32) & (slots.count - 1)
    }

    private func successor(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// How many slots one has to go on from the first to the second.
    private func distance(_ first: Int, _ second: Int) -> Int { (second - first) & (slots.count - 1) }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: max(16, 2 * old.count))
        for entry in old where entry.number != 0 { slots[slot(of: entry.number)] = entry }
    }
}
