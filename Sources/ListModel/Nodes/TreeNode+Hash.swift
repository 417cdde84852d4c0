// The hash of the sequence below a node. A single change updates the hashes on its path arithmetically. A hash is left
// unsealed where nodes were split or merged, where the hash above is unsealed already, and where it is not needed soon;
// it is then computed lazily from the elements.
//
// With h₀ … hₙ₋₁ below a node, its hash is Σ hᵢ · Bⁿ⁻¹⁻ⁱ. The number of elements after a changed place therefore
// determines the power of B for the change. Words: *following* is the number of elements after the place, *tail* is
// their part of the hash, and *head* is the hash of the elements before the place. Only the shorter one of head and
// tail is summed up.
//
// Sums of counts cannot overflow (`Limits.rows`). They are not checked in these loops, because every edit runs them.
//
// Always holds:
// - a sealed hash is the hash of the elements below; all hashes above an unsealed one are unsealed;
// - unsealed hashes exist only in uniquely referenced nodes, because a tree is sealed before it becomes a snapshot.
//   Sealing therefore writes nodes without copying them.

extension TreeChild where Element: TreeElement {
    /// Computes the unsealed hashes of all nodes below.
    @inline(__always)
    mutating func seal() {
        // An unsealed hash belongs to a node that was edited, and such a node is in memory.
        guard hash == SequenceHash.unsealed, let node else { return }
        hash = node.seal()
    }

    /// Unseals the hash of a child before an edit of it if the hash of its parent is unsealed, because sealing the
    /// parent sums up all of them. A child that is not in memory keeps its hash, because the node is checked against it
    /// when it is read.
    @inline(__always)
    mutating func unseal(below parent: UInt64) {
        if parent == SequenceHash.unsealed && node != nil { hash = SequenceHash.unsealed }
    }
}

extension TreeNode where Element: TreeElement {
    /// The hash of the sequence below the node. Computes unsealed hashes below it.
    fileprivate func seal() -> UInt64 {
        var sum = SequenceHash.Sum()
        var following = 0
        // Backwards, because the exponent is the number of elements that follow.
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

    /// The part of the hash of a leaf that comes from the elements at and after `slot`; nil if one of them is unsealed.
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

    /// The hash of a leaf after a run is inserted. Must be called before the insertion.
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

    /// The hash of a leaf after `removed` elements are removed. Must be called before the removal.
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

    /// The hash of an inner node after one child changed.
    ///
    /// - Parameters:
    ///   - hash: the hash of this node before.
    ///   - slot: the slot of the child, which has its new hash already.
    ///   - before: the hash of the child before the change.
    ///   - grown: the number of elements by which the child grew; negative if it shrank.
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
    /// The hash of a sequence after the part between a head and a tail was replaced.
    ///
    /// - Parameters:
    ///   - hash: the hash of the whole sequence before.
    ///   - head: the hash of the elements before the replaced part.
    ///   - old: the hash and the element count of the replaced part.
    ///   - new: the hash and the element count of the new part.
    ///   - following: the number of elements after the replaced part.
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
