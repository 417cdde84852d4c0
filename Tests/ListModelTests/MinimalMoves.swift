// Whether a changeset moves as few rows and sections as can be, by the definition: of those that are in both versions of
// a section, a longest increasing subsequence stays.

import ListModel
import TestSupport
import Testing

enum MinimalMoves {
    /// Checks the numbers of deletions, insertions and moves against what they have to be at least.
    static func check(
        _ changes: Changeset, from old: ReferenceList, to new: ReferenceList, _ comment: Comment
    ) throws {
        let (oldIDs, newIDs) = (old.sections.map(\.id), new.sections.map(\.id))
        try #require(changes.sections.moved.count == leastMoves(oldIDs, newIDs), comment)
        try #require(changes.sections.deleted.count == Set(oldIDs).subtracting(newIDs).count, comment)
        try #require(changes.sections.inserted.count == Set(newIDs).subtracting(oldIDs).count, comment)
        let before = Dictionary(uniqueKeysWithValues: old.sections.map { ($0.id, $0.items.map(\.id)) })
        let after = Dictionary(uniqueKeysWithValues: new.sections.map { ($0.id, $0.items.map(\.id)) })
        let (oldRows, newRows) = (Set(before.values.joined()), Set(after.values.joined()))
        try #require(changes.items.deleted.count == oldRows.subtracting(newRows).count, comment)
        try #require(changes.items.inserted.count == newRows.subtracting(oldRows).count, comment)
        var moves = 0
        for (id, rows) in after {
            let earlier = before[id] ?? []
            moves += leastMoves(earlier, rows)
            // Those that come from other sections.
            moves += Set(rows).subtracting(earlier).intersection(oldRows).count
        }
        try #require(changes.items.moved.count == moves, comment)
    }

    /// How many of the elements that are in both arrays have to move.
    private static func leastMoves(_ old: [Identifier], _ new: [Identifier]) -> Int {
        let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let order = new.compactMap { places[$0] }
        // The least last places of increasing subsequences, by length.
        var ends: [Int] = []
        for place in order {
            if let index = ends.firstIndex(where: { $0 > place }) { ends[index] = place } else { ends.append(place) }
        }
        return order.count - ends.count
    }
}
