// Numbers that ascend along a sequence, so that two elements are compared without their positions.
//
// A new element gets a number between those of its neighbours. Where none is left, the following elements are
// renumbered, as many as are needed to find a gap of i² for i elements (P. Dietz and D. Sleator, Two algorithms for
// maintaining order in a list, 1987). The amortised cost of an insertion is O(log n).
//
// Always holds: labels are greater than 0 and less than `maximum`, and ascend strictly.

/// The numbers that a sequence is labelled with.
struct LabelSpace: Sendable {
    /// The exclusive upper bound of labels; at least the square of the number of elements.
    var maximum: UInt64 = 1 << 62
    /// The gap between labels at first, and after an append.
    var step: UInt64 = 1 << 32

    /// Labels at equal distances.
    struct Run: Sendable {
        var first: UInt64
        var step: UInt64

        subscript(index: Int) -> UInt64 { first + UInt64(index) * step }
    }

    /// Labels for a new sequence, in the middle of the space.
    func spread(_ count: Int) -> Run {
        let step = min(self.step, maximum / (UInt64(count) + 1))
        return Run(first: (maximum - step * UInt64(max(0, count - 1))) / 2, step: step)
    }

    /// Labels for new elements between two neighbours, either of which may be missing; nil if the gap is too small.
    func between(_ left: UInt64?, _ right: UInt64?, count: Int) -> Run? {
        let parts = UInt64(count) + 1
        switch (left, right) {
        case (nil, nil): return spread(count)
        case (.some(let left), nil):
            let step = min(self.step, (maximum - left) / parts)
            return step == 0 ? nil : Run(first: left + step, step: step)
        case (nil, .some(let right)):
            let step = min(self.step, right / parts)
            return step == 0 ? nil : Run(first: right - step * UInt64(count), step: step)
        case (.some(let left), .some(let right)):
            let step = (right - left) / parts
            return step == 0 ? nil : Run(first: left + step, step: step)
        }
    }

    /// Which elements to renumber to make room for new ones.
    struct Relabelling {
        /// The elements that get new labels.
        var range: Range<Int>
        /// The labels of the range with the new elements among it.
        var run: Run
    }

    /// Finds the elements to renumber.
    ///
    /// - Parameters:
    ///   - added: how many new elements.
    ///   - offset: before which element they are to stand.
    ///   - count: how many elements there are.
    ///   - label: the label of an element.
    func room(for added: Int, at offset: Int, count: Int, label: (Int) -> UInt64) -> Relabelling {
        let lower = offset == 0 ? 0 : label(offset - 1)
        var length = 16
        while true {
            let end = min(count, offset + length)
            let upper = end == count ? maximum : label(end)
            let total = UInt64(end - offset + added)
            if upper - lower >= total * total && upper - lower > 2 * total {
                let step = min(end == count ? self.step : maximum, (upper - lower) / (total + 1))
                return Relabelling(range: offset..<end, run: Run(first: lower + step, step: step))
            }
            if end == count { break }
            length *= 2
        }
        // The end of the space is reached: all elements move to its middle.
        return Relabelling(range: 0..<count, run: spread(count + added))
    }
}
