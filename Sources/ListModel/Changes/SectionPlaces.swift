// Where sections are before and after a changeset.
//
// Always holds: sections that are not deleted, inserted or moved keep their order. The n-th of them before the changeset is
// the n-th after it, so their indices are found by counting.

/// The sections of a changeset, with maps from indices before it to indices after it, and back.
struct SectionPlaces {
    /// The new index of a moved section by its old index, and the old index by the new one.
    let moveTargets: [Int: Int]
    let moveSources: [Int: Int]
    /// The old indices of the sections that go or move, and the new indices of those that come or moved; ascending.
    let gone: [Int]
    let arrived: [Int]

    init(_ changes: Changeset.Changes<Int>) {
        moveTargets = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.from, $0.to) })
        moveSources = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0.from) })
        gone = (changes.deleted + changes.moved.map(\.from)).sorted()
        arrived = (changes.inserted + changes.moved.map(\.to)).sorted()
    }

    /// The new index of an old section; nil if it was deleted.
    func newIndex(ofOld index: Int) -> Int? {
        if gone.containsSorted(index) { return moveTargets[index] }
        return arrived.complement(index - gone.countLess(than: index))
    }

    /// The old index of a new section; nil if it was inserted.
    func oldIndex(ofNew index: Int) -> Int? {
        if arrived.containsSorted(index) { return moveSources[index] }
        return gone.complement(index - arrived.countLess(than: index))
    }
}
