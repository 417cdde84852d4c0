// The hash of the sequence. A single change is followed up the tree by arithmetic; where nodes were split or merged, where the
// hash above is unsealed already, and where nobody will ask before long, it is left unsealed, and computed from the elements
// when somebody asks.
//
// With h₀ … hₙ₋₁ below a node, its hash is Σ hᵢ · Bⁿ⁻¹⁻ⁱ. So what comes after a place decides by which power of B a change
// there counts: *following* below is the number of elements after it, *tail* their part of the hash, and *head* the hash
// of what comes before the place. Of head and tail the shorter one is summed up.
//
// Sums of counts are those of elements that were counted before (`Limits.rows`), and are not checked in these loops, through
// which every edit goes.
//
// Always holds:
// - a sealed hash is that of the elements below; above an unsealed one all are unsealed;
// - unsealed hashes exist only in nodes that nobody else refers to, because a snapshot is sealed before it is handed out.
//   Sealing therefore writes nodes without copying them.

extension TreeChild where Element: TreeElement {
    /// Computes the hashes of all nodes below whose hash is not known.
    @inline(__always)
    mutating func seal() {
        // What is unsealed was about to change, and what was is in memory.
        guard hash == SequenceHash.unsealed, let node else { return }
        hash = node.seal()
    }

    /// Leaves the hash of a child that is edited next open if that of its parent is, because all of them are summed up then. One
    /// that has yet to be read keeps it: it is checked against it.
    @inline(__always)
    mutating func unseal(below parent: UInt64) {
        if parent == SequenceHash.unsealed && node != nil { hash = SequenceHash.unsealed }
    }
}

extension TreeNode where Element: TreeElement {
    /// The hash of what is below the node, which it computes where it is not known.
    fileprivate func seal() -> UInt64 {
        var sum = SequenceHash.Sum()
        var following = 0
        // From the back, because the exponent is the number of elements that follow.
        var slot = count
        if isLeaf {
            let elements = self.elements
            while slot > 0 {
                slot &-= 1
                elements[slot].seal()
                sum.add(elements[slot].hash, exponent: following)
                following &+= 1
            }
            return sum.value
        }
        let children = self.children
        while slot > 0 {
            slot &-= 1
            children[slot].seal()
            sum.add(children[slot].hash, exponent: following)
            following &+= Int(children[slot].count)
        }
        return sum.value
    }

    /// The part of the hash that the elements at and after `slot` of a leaf have; nil if one of them is unsealed.
    @inline(__always)
    private func tail(ofLeaf slot: Int) -> UInt64? {
        let elements = self.elements
        return SequenceHash.hash(UnsafeBufferPointer(start: elements.advanced(by: slot), count: count &- slot))
    }

    /// The hash of the elements before `slot` of a leaf; nil if one of them is unsealed.
    @inline(__always)
    private func head(ofLeaf slot: Int) -> UInt64? {
        SequenceHash.hash(UnsafeBufferPointer(start: elements, count: slot))
    }

    /// What the hash of a leaf becomes when a run is inserted; the leaf does not have it yet.
    func hash(_ hash: UInt64, inserting run: UnsafeBufferPointer<Element>, at slot: Int) -> UInt64 {
        guard hash != SequenceHash.unsealed, let inserted = SequenceHash.hash(run) else {
            return SequenceHash.unsealed
        }
        if slot < count / 2 {
            guard let head = head(ofLeaf: slot) else { return SequenceHash.unsealed }
            return SequenceHash.changed(
                hash, head: head, middle: (0, 0), to: (inserted, run.count), following: count &- slot)
        }
        guard let tail = tail(ofLeaf: slot) else { return SequenceHash.unsealed }
        let before = SequenceHash.multiply(SequenceHash.subtract(hash, tail), SequenceHash.power(run.count))
        let middle = SequenceHash.multiply(inserted, SequenceHash.power(count &- slot))
        return SequenceHash.add(SequenceHash.add(before, middle), tail)
    }

    /// What the hash of a leaf becomes when `removed` elements are removed; the leaf still has them.
    func hash(_ hash: UInt64, removing removed: Int, at slot: Int) -> UInt64 {
        if hash != SequenceHash.unsealed && slot < count / 2 {
            let run = UnsafeBufferPointer(start: elements.advanced(by: slot), count: removed)
            guard let head = head(ofLeaf: slot), let gone = SequenceHash.hash(run) else { return SequenceHash.unsealed }
            return SequenceHash.changed(
                hash, head: head, middle: (gone, removed), to: (0, 0), following: count &- slot &- removed)
        }
        guard hash != SequenceHash.unsealed, let shift = SequenceHash.inversePower(removed),
            let tailBefore = tail(ofLeaf: slot), let tail = tail(ofLeaf: slot &+ removed)
        else { return SequenceHash.unsealed }
        return SequenceHash.add(SequenceHash.multiply(SequenceHash.subtract(hash, tailBefore), shift), tail)
    }

    /// What the hash of an inner node becomes when that of one child does.
    ///
    /// - Parameters:
    ///   - hash: the hash of this node before.
    ///   - slot: the child; it has its new hash already.
    ///   - before: the hash of the child before.
    ///   - grown: by how many elements the child grew; negative if it shrank.
    @inline(__always)
    func hash(_ hash: UInt64, ofChild slot: Int, before: UInt64, grown: Int) -> UInt64 {
        let after = children[slot].hash
        guard hash != SequenceHash.unsealed, before != SequenceHash.unsealed, after != SequenceHash.unsealed else {
            return SequenceHash.unsealed
        }
        return followed(hash, ofChild: slot, from: before, to: after, grown: grown)
    }

    private func followed(
        _ hash: UInt64, ofChild slot: Int, from before: UInt64, to after: UInt64, grown: Int
    ) -> UInt64 {
        let children = self.children
        if grown == 0 {
            var following = 0
            for other in slot &+ 1..<count { following &+= Int(children[other].count) }
            let change = SequenceHash.subtract(after, before)
            return SequenceHash.add(hash, SequenceHash.multiply(change, SequenceHash.power(following)))
        }
        if slot < count / 2 {
            guard let head = head(ofChildrenBefore: slot) else { return SequenceHash.unsealed }
            var following = 0
            for other in slot &+ 1..<count { following &+= Int(children[other].count) }
            let size = Int(children[slot].count)
            return SequenceHash.changed(
                hash, head: head, middle: (before, size &- grown), to: (after, size), following: following)
        }
        let shift = grown > 0 ? SequenceHash.power(grown) : SequenceHash.inversePower(-grown)
        guard let shift, let (tail, following) = tail(ofChildrenAfter: slot) else { return SequenceHash.unsealed }
        let power = SequenceHash.power(following)
        let head = SequenceHash.subtract(
            SequenceHash.subtract(hash, tail), SequenceHash.multiply(before, power))
        return SequenceHash.add(
            SequenceHash.add(SequenceHash.multiply(head, shift), SequenceHash.multiply(after, power)), tail)
    }

    private func head(ofChildrenBefore slot: Int) -> UInt64? {
        let children = self.children
        var sum = SequenceHash.Sum()
        var following = 0
        var other = slot
        while other > 0 {
            other &-= 1
            if children[other].hash == SequenceHash.unsealed { return nil }
            sum.add(children[other].hash, exponent: following)
            following &+= Int(children[other].count)
        }
        return sum.value
    }

    private func tail(ofChildrenAfter slot: Int) -> (hash: UInt64, following: Int)? {
        let children = self.children
        var sum = SequenceHash.Sum()
        var following = 0
        var other = count
        while other > slot &+ 1 {
            other &-= 1
            if children[other].hash == SequenceHash.unsealed { return nil }
            sum.add(children[other].hash, exponent: following)
            following &+= Int(children[other].count)
        }
        return (sum.value, following)
    }
}

extension SequenceHash {
    /// What a hash becomes when what lies between a head and a tail does.
    ///
    /// - Parameters:
    ///   - hash: the hash of the whole before.
    ///   - head: the hash of what comes before the place.
    ///   - old: the hash of what was there, and how many elements that were.
    ///   - new: the same of what is there now.
    ///   - following: how many elements come after it.
    @inline(__always)
    static func changed(
        _ hash: UInt64, head: UInt64, middle old: (hash: UInt64, count: Int), to new: (hash: UInt64, count: Int),
        following: Int
    ) -> UInt64 {
        let shift = subtract(power(new.count &+ following), power(old.count &+ following))
        let change = multiply(subtract(new.hash, old.hash), power(following))
        return add(add(hash, multiply(head, shift)), change)
    }

    /// The hash of a run of elements; nil if one of them is unsealed.
    @inline(__always)
    static func hash<Element: TreeElement>(_ run: UnsafeBufferPointer<Element>) -> UInt64? {
        var sum = Sum()
        var index = run.count
        var following = 0
        while index > 0 {
            index &-= 1
            let hash = run[index].hash
            if hash == unsealed { return nil }
            sum.add(hash, exponent: following)
            following &+= 1
        }
        return sum.value
    }
}
