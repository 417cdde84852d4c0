// Computes places for sections that are added to one version of a list, to bring it closer to the other version.
//
// The *base* is the version that sections are added to; the *other* version has these sections. Sections that both have
// and that do not move *stay*. Between two staying sections, the other sections of the base and the placed ones could
// have any order. But all stages of a transition must choose the same order, or a section would have to move. The rule:
// sections that only the old version has come first.

struct SectionPlacement {
    /// A section that is added to the base.
    struct Placed {
        /// Its index in the other version.
        var other: Int
        /// Its index in the result.
        var result: Int
        /// The number of remaining sections of the base before it.
        var before: Int
    }

    /// The placed sections, ascending by each of their fields.
    private(set) var placed: [Placed] = []
    /// The indices in the base of the sections to remove, ascending.
    let removed: [Int]

    /// - Parameters:
    ///   - others: the indices in the other version of the sections to place, ascending.
    ///   - removed: the indices in the base of the sections to remove, ascending.
    ///   - gone: the indices in the base of the sections that do not stay, ascending.
    ///   - arrived: the indices in the other version of the sections that do not stay, ascending.
    ///   - afterBase: whether sections are placed after the other sections of the base between two staying ones, or
    ///     before them.
    init(_ others: [Int], removing removed: [Int], gone: [Int], arrived: [Int], afterBase: Bool) {
        self.removed = removed
        for (index, other) in others.enumerated() {
            let rank = other - arrived.countLess(than: other)
            let place = afterBase ? gone.complement(rank) : rank == 0 ? 0 : gone.complement(rank - 1) + 1
            let before = place - removed.countLess(than: place)
            placed.append(Placed(other: other, result: before + index, before: before))
        }
    }

    /// The index in the result of a section of the base that is not removed.
    func index(ofBase base: Int) -> Int {
        let rank = base - removed.countLess(than: base)
        return rank + placed.sortedIndex { $0.before > rank }
    }

    /// The index in the result of a placed section.
    func index(ofOther other: Int) -> Int { placed[placed.sortedIndex { $0.other >= other }].result }
}
