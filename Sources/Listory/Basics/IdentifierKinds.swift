// The kinds of identifiers that a store has.
//
// Always holds: once they are in the file, no id of another kind gets into the log.

import ListModel

/// The kinds of identifiers of an app's store: a row of `meta`. The store of a tool has none.
package struct IdentifierKinds: Hashable, Sendable {
    /// The kind of the ids of rows.
    package var rows: UntypedID.Kind
    /// The kind of the ids of sections.
    package var sections: UntypedID.Kind

    package init(rows: UntypedID.Kind, sections: UntypedID.Kind) {
        (self.rows, self.sections) = (rows, sections)
    }

    /// The two kinds, and their checksum.
    var bytes: [UInt8] {
        let kinds = [rows.rawValue, sections.rawValue]
        return kinds + withUnsafeBytes(of: IdentifierKinds.checksum(kinds).littleEndian) { Array($0) }
    }

    /// Reads the row; nil if it is damaged, which is mended as if it had been lost.
    init?(bytes: [UInt8]) {
        guard bytes.count == 10, let rows = UntypedID.Kind(rawValue: bytes[0]),
            let sections = UntypedID.Kind(rawValue: bytes[1])
        else { return nil }
        self.init(rows: rows, sections: sections)
        guard bytes == self.bytes else { return nil }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { XXHash64.hash($0, seed: 0) }
    }

    /// Checks the ids that an event brings into the list.
    ///
    /// - Throws: ``ListError/otherKind(_:expected:)``.
    func check(_ event: ListEvent) throws {
        switch event {
        case .itemsInserted(_, let rows): try check(rows)
        case .sectionInserted(_, let section): try check(section.id, section.items)
        case .listReloaded(_, let sections): for section in sections { try check(section.id, section.items) }
        default: break
        }
    }

    /// Checks the ids of a section and of its rows.
    func check(_ section: UntypedID, _ rows: some Sequence<UntypedRow>) throws {
        if section.kind != sections { throw ListError.otherKind(section, expected: sections) }
        try check(rows)
    }

    private func check(_ rows: some Sequence<UntypedRow>) throws {
        for row in rows where row.id.kind != self.rows { throw ListError.otherKind(row.id, expected: self.rows) }
    }
}

extension IdentifierKinds: CustomStringConvertible {
    package var description: String { "rows with \(rows) ids, sections with \(sections) ids" }
}
