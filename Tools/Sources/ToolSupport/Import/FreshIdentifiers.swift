// Makes ids for rows of an input without ids.
//
// Always holds: a new id is greater than every integer id in the list and in the input.

import ListModel
import Listory

/// Unused integer ids, counting up.
struct FreshIdentifiers {
    private var last: Int64
    /// Where rows that were deleted are looked for, before the first id.
    private var store: UntypedStore?

    /// Ids behind those of the list, of the input, and of the rows that were deleted from the store, so that none of the new rows is taken
    /// for one of these. They count as far as their ids counted up.
    ///
    /// - Parameter store: nil if nothing was ever deleted.
    /// - Complexity: O(rows); for the first id the history of O(log n) rows.
    init(_ snapshot: UntypedSnapshot, _ list: ImportedList = ImportedList(), of store: UntypedStore?) {
        self.store = store
        last = 0
        for section in snapshot.sections {
            for item in section.items { note(item.id) }
        }
        for section in list.sections {
            for row in section.rows { if let id = row.id { note(id) } }
        }
    }

    private mutating func note(_ id: UntypedID) {
        if case .integer(let value) = id { last = max(last, value) }
    }

    /// Looks for the rows that were deleted, which the first id does otherwise. In the closure of an edit, that is not possible.
    ///
    /// - Throws: an error of the log.
    mutating func prepare() throws {
        if let store { try skipDeleted(in: store) }
        store = nil
    }

    /// The next id.
    ///
    /// - Throws: ``ImportError`` after the greatest integer; for the first id, an error of the log.
    mutating func next() throws -> UntypedID {
        try prepare()
        if last == .max { throw ImportError("expected integer ids below \(Int64.max), found that one") }
        last += 1
        return .integer(last)
    }

    /// Goes on until a row with the next id was never there. Perhaps many were, so the distances double.
    private mutating func skipDeleted(in store: UntypedStore) throws {
        var distance: Int64 = 1
        while last < .max {
            let (next, isOverflow) = last.addingReportingOverflow(distance)
            if isOverflow {
                distance = 1
                continue
            }
            if try store.history(ofRow: .integer(next), limit: 1).isEmpty {
                last = next - 1
                return
            }
            last = next
            distance = min(distance * 2, 1 << 32)
        }
    }
}
