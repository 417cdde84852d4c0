// A hash table of nodes by stored number, for the cache.
//
// It uses open addressing with linear probing, and backward-shift deletion. It is not a `Dictionary`, because the first
// use of a `Dictionary` makes the runtime search every image of the process for the conformance of its keys. That takes
// a tenth of the time in which a list of any size opens.
//
// Always holds: at least a quarter of the slots is free. No slot between the home slot of a number and its actual slot
// is free. A lookup returns a node only if the parent's summary equals the one that the node was read with.

/// The summary of a stored node in its parent. Unlike a child it holds no reference, so passing it on costs no
/// reference counting.
struct NodeKey {
    let number: UInt64
    let hash: UInt64
    let count: UInt32
    let height: UInt8
}

extension TreeChild {
    @inline(__always)
    var key: NodeKey { NodeKey(number: stored, hash: hash, count: count, height: height) }
}

/// The nodes of one element type, by stored number.
struct NodeTable<Element> {
    /// A slot for a node. It is free if the number is 0, which no stored node has.
    private struct Slot {
        var number: UInt64 = 0
        var node: TreeNode<Element>?
        /// The hash in the parent's summary, against which the node was checked. In a forged file another parent may
        /// have a different one.
        var hash: UInt64 = 0
        var count: UInt32 = 0

        /// The node, if it has the summary of this child.
        func node(_ key: NodeKey) -> TreeNode<Element>? {
            guard let node, hash == key.hash, count == key.count else { return nil }
            return key.height == TreeChild<Element>.anyHeight || node.height == Int(key.height) ? node : nil
        }
    }

    /// The number of slots is a power of two, or 0 before the first node.
    private var slots: [Slot]
    /// The number of nodes.
    private(set) var count = 0

    /// An empty table.
    ///
    /// - Parameter slotCount: the initial number of slots: 0 or a power of two that is at least 16.
    init(slotCount: Int = 0) {
        slots = [Slot](repeating: Slot(), count: slotCount)
    }

    /// The number of slots, used and free.
    var slotCount: Int { slots.count }

    /// The node of a stored child; nil if there is none.
    ///
    /// - Complexity: O(1) on average, like every function of the table.
    subscript(key: NodeKey) -> TreeNode<Element>? {
        if count == 0 { return nil }
        return slots[slot(of: key.number)].node(key)
    }

    /// Inserts the node of a stored child, whose number is not 0. Replaces a node of the same number.
    mutating func insert(_ node: TreeNode<Element>, _ key: NodeKey) {
        let number = key.number
        precondition(number != 0, "a stored node has a number")
        if 4 * (count + 1) > 3 * slots.count { grow() }
        let slot = slot(of: number)
        if slots[slot].number == 0 { count += 1 }
        slots[slot] = Slot(number: number, node: node, hash: key.hash, count: key.count)
    }

    /// Removes the node of a stored child and returns it.
    mutating func remove(_ key: NodeKey) -> TreeNode<Element>? {
        if count == 0 { return nil }
        var free = slot(of: key.number)
        guard let node = slots[free].node(key) else { return nil }
        count -= 1
        // Backward-shift deletion: entries whose probe sequence passed the free slot move into it.
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

    /// The slot of a number, or the free slot where it belongs.
    private func slot(of number: UInt64) -> Int {
        var slot = home(number)
        while slots[slot].number != number && slots[slot].number != 0 { slot = successor(slot) }
        return slot
    }

    /// The home slot of a number, from its hash.
    private func home(_ number: UInt64) -> Int {
        // The multiplication wraps. It is enough to spread the numbers, because they are consecutive.
        Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> 32) & (slots.count - 1)
    }

    private func successor(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    /// The number of slots from the first to the second, with wraparound.
    private func distance(_ first: Int, _ second: Int) -> Int { (second - first) & (slots.count - 1) }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: max(16, 2 * old.count))
        for entry in old where entry.number != 0 { slots[slot(of: entry.number)] = entry }
    }
}
