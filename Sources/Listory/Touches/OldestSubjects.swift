// The rows and sections that the log begins with, by their fingerprints, in memory.
//
// Always holds: eight bytes for each. An id is read again from the rows, because others may have its fingerprint.

import ListModel

/// The fingerprints of all rows and sections of the oldest version, and where each of these is.
struct OldestSubjects: Sendable {
    /// The fingerprint of each row and section, and behind it, in the lower half, its number; ascending.
    private var entries: [UInt64] = []
    /// The number of each section. Its rows have the numbers behind it.
    private var sections: [Int] = []

    var count: Int { entries.count }

    /// - Complexity: O(n log n) for n rows and sections.
    init(_ rows: UntypedSnapshot) {
        for section in rows.sections {
            sections.append(count)
            add(.section(section.id))
            for row in section.items { add(.row(row.id)) }
        }
        entries.sort()
    }

    private mutating func add(_ subject: RowOrSection) {
        entries.append(UInt64(subject.fingerprint) << 32 | UInt64(UInt32(truncatingIfNeeded: count)))
    }

    /// Whether a row or a section has a fingerprint.
    func contains(_ fingerprint: UInt32) -> Bool { !entries(of: fingerprint).isEmpty }

    /// The rows and sections that have a fingerprint.
    ///
    /// - Parameter rows: those that it was made from.
    /// - Complexity: O(log n) for each.
    func subjects(of fingerprint: UInt32, in rows: UntypedSnapshot) -> [RowOrSection] {
        entries(of: fingerprint).compactMap { subject(Int($0 & UInt64(UInt32.max)), in: rows) }
    }

    private func entries(of fingerprint: UInt32) -> ArraySlice<UInt64> {
        let first = entries.sortedIndex { $0 >> 32 >= UInt64(fingerprint) }
        return entries[first...].prefix { $0 >> 32 == UInt64(fingerprint) }
    }

    /// - Returns: nil only if nodes cannot be read.
    private func subject(_ number: Int, in rows: UntypedSnapshot) -> RowOrSection? {
        let section = sections.sortedIndex { $0 > number } - 1
        guard rows.sections.indices.contains(section) else { return nil }
        let item = number - sections[section] - 1
        if item < 0 { return .section(rows.sections[section].id) }
        return rows.item(at: ListIndexPath(section: section, item: item)).map { .row($0.id) }
    }
}
