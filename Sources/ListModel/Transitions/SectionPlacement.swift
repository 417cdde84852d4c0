// Where sections are put into a list of sections, so that it comes closer to another list.
//
// The *base* is one version, the *other* the version to come closer to. Sections that both have and that do not move
// *stay*; between two of them, those of the base and those that are placed could stand in any order. All stages of a
// transition have to decide alike, or a section would have to move: what only the old version has comes first.

struct SectionPlacement {
    /// A section that is put into the base.
    struct Placed {
        /// Its index in the other version.
        var other: Int
        /// Its index in the result.
        var result: Int
        /// How many sections of the base that remain stand before it.
        var before: Int
    }

    /// The sections that are placed, ascending in every respect.
    private(set) var placed: [Placed] = []
    /// The indices in the base of the sections that are taken out, ascending.
    let removed: [Int]

    /// - Parameters:
    ///   - others: the indices in the other version of the sections to place, ascending.
    ///   - removed: the indices in the base of the sections to take out, ascending.
    ///   - gone: the indices in the base of the sections that do not stay, ascending.
    ///   - arrived: the indices in the other version of those that do not stay, ascending.
    ///   - afterBase: whether sections are placed after what else stands between two that stay, or before it.
    init(_ others: [Int], removing removed: [Int], gone: [Int], arrived: [Int], afterBase: Bool) {
        self.removed = removed
        for (index, other) in others.enumerated() {
            let rank = other - arrived.countLess(than: other)
            let place = afterBase ? gone.complement(rank) : rank == 0 ? 0 : gone.complement(rank - 1) + 1
            let before = place - removed.countLess(than: place)
            placed.append(Placed(other: other, result: before + index, before: before))
        }
    }

    /// The index in the result of a section of the base that is not taken out.
    func index(ofBase base: Int) -> Int {
        let rank = base - removed.countLess(than: base)
        return rank + placed.sortedIndex { $0.before > rank }
    }

    /// The index in the result of a section that is placed.
    func index(ofOther other: Int) -> Int { placed[placed.sortedIndex { $0.other >= other }].result }
}
