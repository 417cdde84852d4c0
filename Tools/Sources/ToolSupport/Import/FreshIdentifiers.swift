// Makes ids for rows of an input without ids.
//
// Always holds: a new id is greater than every integer id in the store and in the input.

import ListModel

/// Unused integer ids, counting up.
struct FreshIdentifiers {
    private var last: Int64

    /// - Complexity: O(rows).
    init(_ snapshot: UntypedSnapshot, _ list: ImportedList = ImportedList()) {
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

    /// The next id.
    ///
    /// - Parameter distance: how far it is from the last one, at least 1.
    /// - Throws: ``ImportError`` after the greatest integer.
    mutating func next(after distance: Int64 = 1) throws -> UntypedID {
        let (next, isOverflow) = last.addingReportingOverflow(distance)
        if isOverflow { throw ImportError("expected integer ids below \(Int64.max), found that one") }
        last = next
        return .integer(next)
    }
}
