// Numbers that ascend along a sequence, so that two elements of it are compared without a look at where they are.
//
// A new element gets a number between those of its neighbours. Where none is left, as many of those that follow are
// numbered anew as are needed to find room that is wide for them: i elements need a room of i² (P. Dietz and D. Sleator,
// Two algorithms for maintaining order in a list, 1987). That happens so rarely that an insertion pays for O(log n).
//
// Always holds: labels are greater than 0 and less than `maximum`, and ascend strictly.

/// The numbers that a sequence is labelled with.
struct LabelSpace: Sendable {
    /// No label is as great; at least the square of how many elements there may be.
    var maximum: UInt64 = 1 << 62
    /// How far apart neighbours are at first, and what is appended.
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

    /// Labels for new elements between two neighbours, of which either may be missing; nil if there is no room.
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

    /// Which elements to number anew so that new ones find room.
    struct Relabelling {
        /// The elements that get other labels.
        var range: Range<Int>
        /// The labels of the range with the new elements among it.
        var run: Run
    }

    /// Finds room for new elements where there is none.
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
        // What follows is at the end of the space: all are put into its middle.
        return Relabelling(range: 0..<count, run: spread(count + added))
    }
}
