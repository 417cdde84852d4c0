// From the hash of an id to the leaf that holds it: an open-addressing table of eight bytes an entry.
//
// An entry holds 32 bits of the hash (the fingerprint) and the number of a leaf, not the id: the leaf has the id, and
// whoever looks one up compares there. The home slot of an entry follows from its fingerprint alone, so the table
// grows and closes gaps without looking at any leaf.
//
// Always holds: an entry lies at or after its home slot (cyclically), with no empty slot between; at most ¾ are used.

struct IdentifierIndex: ~Copyable {
    /// Entries: fingerprint in the upper, leaf number plus one in the lower 32 bits; 0 is an empty slot.
    private var slots: UnsafeMutablePointer<UInt64>
    private var shift: UInt32
    private(set) var count = 0

    init() {
        shift = 32 - 4
        slots = IdentifierIndex.emptySlots(1 << 4)
    }

    deinit {
        // SAFETY: allocated by `emptySlots`, and nobody else has the pointer.
        slots.deallocate()
    }

    private var capacity: Int { 1 << (32 - Int(shift)) }
    private var mask: Int { capacity - 1 }

    private static func emptySlots(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        slots.initialize(repeating: 0, count: count)
        return slots
    }

    @inline(__always)
    private static func entry(_ hash: UInt64, _ leaf: UInt32) -> UInt64 {
        (hash & 0xFFFF_FFFF_0000_0000) | UInt64(leaf &+ 1)
    }

    /// The home slot: the upper bits of the fingerprint.
    @inline(__always)
    private func home(_ entry: UInt64) -> Int {
        Int(truncatingIfNeeded: (entry &>> 32) &>> UInt64(shift))
    }

    /// The first leaf for which `matches` is true among those that hold an id of this hash.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    func firstLeaf(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let wanted = hash &>> 32
        let mask = self.mask
        var slot = home(hash)
        // SAFETY: slots are masked into the table, and at least a quarter of them is empty, so the search ends.
        while slots[slot] != 0 {
            if slots[slot] &>> 32 == wanted {
                let leaf = UInt32(truncatingIfNeeded: slots[slot]) &- 1
                if matches(leaf) { return leaf }
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    /// Adds an id that is not in the table.
    ///
    /// - Complexity: O(1) expected, amortised over growth.
    mutating func insert(hash: UInt64, leaf: UInt32) {
        if (count &+ 1) &* 4 > capacity &* 3 { grow() }
        place(IdentifierIndex.entry(hash, leaf))
        count &+= 1
    }

    /// Notes that an id is in another leaf now.
    mutating func relocate(hash: UInt64, from old: UInt32, to new: UInt32) {
        slots[slot(of: IdentifierIndex.entry(hash, old))] = IdentifierIndex.entry(hash, new)
    }

    /// Removes an id.
    mutating func remove(hash: UInt64, leaf: UInt32) {
        let mask = self.mask
        var gap = slot(of: IdentifierIndex.entry(hash, leaf))
        var next = (gap &+ 1) & mask
        // Close the gap with every following entry whose home is not after it.
        while slots[next] != 0 {
            if (next &- home(slots[next])) & mask >= (next &- gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next &+ 1) & mask
        }
        slots[gap] = 0
        count &-= 1
    }

    /// Removes everything, keeping the room.
    mutating func removeAll() {
        slots.update(repeating: 0, count: capacity)
        count = 0
    }

    /// Makes room for `total` ids, so that adding them does not grow the table step by step.
    mutating func reserve(_ total: Int) {
        while total * 4 > capacity * 3 { grow() }
    }

    @inline(__always)
    private func slot(of entry: UInt64) -> Int {
        let mask = self.mask
        var slot = home(entry)
        while slots[slot] != entry {
            precondition(slots[slot] != 0, "an id is in the tree but not in its index")
            slot = (slot &+ 1) & mask
        }
        return slot
    }

    @inline(__always)
    private mutating func place(_ entry: UInt64) {
        let mask = self.mask
        var slot = home(entry)
        while slots[slot] != 0 { slot = (slot &+ 1) & mask }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        let oldCapacity = capacity
        precondition(shift > 0, "more than three thousand million ids")
        shift -= 1
        slots = IdentifierIndex.emptySlots(capacity)
        for slot in 0..<oldCapacity where old[slot] != 0 { place(old[slot]) }
        old.deallocate()
    }
}
