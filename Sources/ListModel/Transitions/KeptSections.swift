// Pairs old and new indices of sections, from a changeset.
//
// Always holds: sections that do not move have the same order in both versions.

/// The sections that both versions have, as pairs of old and new index, ascending by the new index.
struct KeptSections: Sequence, IteratorProtocol {
    private let sources: [Int: Int]
    private let gone: [Int]
    private let inserted: Set<Int>
    private let newCount: Int
    private var nextIndex: Int = 0
    private var stayed = 0

    init(_ changes: Changeset.Changes<Int>, newCount: Int) {
        sources = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.to, $0.from) })
        gone = (changes.deleted + changes.moved.map(\.from)).sorted()
        inserted = Set(changes.inserted)
        self.newCount = newCount
    }

    mutating func next() -> (old: Int, new: Int)? {
        while nextIndex < newCount {
            let index = nextIndex
            nextIndex += 1
            if inserted.contains(index) { continue }
            if let source = sources[index] { return (source, index) }
            stayed += 1
            return (gone.complement(stayed - 1), index)
        }
        return nil
    }
}
