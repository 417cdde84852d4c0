// Checks that a changeset moves as few rows and sections as possible, by the definition: of the rows that are in both
// versions of a section, a longest increasing subsequence stays.

import ListModel
import TestSupport

enum MinimalMoves {
    /// Describes moves that are too many or too few; nil if there are none.
    static func problem(_ changes: Changeset, from old: ReferenceList, to new: ReferenceList) -> String? {
        let (oldIDs, newIDs) = (old.sections.map(\.id), new.sections.map(\.id))
        let before = Dictionary(uniqueKeysWithValues: old.sections.map { ($0.id, $0.items.map(\.id)) })
        let after = Dictionary(uniqueKeysWithValues: new.sections.map { ($0.id, $0.items.map(\.id)) })
        let (oldRows, newRows) = (Set(before.values.joined()), Set(after.values.joined()))
        var moves = 0
        for (id, rows) in after {
            let earlier = before[id] ?? []
            moves += leastMoves(earlier, rows)
            // Rows that come from other sections.
            moves += Set(rows).subtracting(earlier).intersection(oldRows).count
        }
        let counts: [(what: String, found: Int, least: Int)] = [
            ("moved sections", changes.sections.moved.count, leastMoves(oldIDs, newIDs)),
            ("deleted sections", changes.sections.deleted.count, Set(oldIDs).subtracting(newIDs).count),
            ("inserted sections", changes.sections.inserted.count, Set(newIDs).subtracting(oldIDs).count),
            ("deleted rows", changes.items.deleted.count, oldRows.subtracting(newRows).count),
            ("inserted rows", changes.items.inserted.count, newRows.subtracting(oldRows).count),
            ("moved rows", changes.items.moved.count, moves),
        ]
        return counts.first { $0.found != $0.least }.map { "\($0.found) \($0.what), where \($0.least) are enough" }
    }

    /// The fewest moves for the elements that are in both arrays.
    private static func leastMoves(_ old: [UntypedID], _ new: [UntypedID]) -> Int {
        let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let order = new.compactMap { places[$0] }
        // The least last position of an increasing subsequence, for each length.
        var ends: [Int] = []
        for place in order {
            if let index = ends.firstIndex(where: { $0 > place }) { ends[index] = place } else { ends.append(place) }
        }
        return order.count - ends.count
    }
}
