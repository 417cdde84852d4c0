// The identifiers of a block: of all rows and sections that came into the list, in columns of their own, so that they can be read
// without the events.
//
// Always holds: the columns are the only ones that a reader of events and a reader of identifiers both read; one function says
// what is in them.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Passes identifiers and strings through columns. A writer leaves them as they are, a reader sets them.
protocol IdentifierCoder {
    /// The kind of an identifier, and 4 times the place of its row in an outline; a section has none.
    mutating func code(kind: inout Int, ofRow: Bool) throws
    /// A number near the last one of the column.
    mutating func code(_ column: PackedColumn, next value: inout Int64) throws
    /// As many bytes as there are.
    mutating func code(_ column: PackedColumn, _ bytes: inout [UInt8]) throws
    /// A string: its length in one column, its bytes in another one.
    mutating func code(_ string: inout String, _ lengths: PackedColumn, _ bytes: PackedColumn) throws
}

extension IdentifierCoder {
    /// An identifier, and the place of its row in an outline.
    mutating func code(_ id: inout UntypedID, _ outline: inout Int, ofRow: Bool) throws {
        var kind = outline * 4 + Int(id.kind.rawValue) - 1
        try code(kind: &kind, ofRow: ofRow)
        outline = kind / 4
        switch kind % 4 {
        case 0:
            var value: Int64 = if case .integer(let value) = id { value } else { 0 }
            try code(.integers, next: &value)
            id = .integer(value)
        case 1:
            var bytes = [UInt8](repeating: 0, count: 16)
            if case .uuid(let value) = id { bytes = withUnsafeBytes(of: value.uuid) { Array($0) } }
            try code(.uuids, &bytes)
            // SAFETY: there are sixteen bytes, and a uuid_t is any sixteen bytes.
            id = .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        default:
            var value = if case .string(let value) = id { value } else { "" }
            try code(&value, .identifierLengths, .identifierBytes)
            id = .string(value)
        }
    }
}

extension ColumnWriter: IdentifierCoder {
    mutating func code(kind: inout Int, ofRow: Bool) { put(.identifierKinds, UInt64(kind)) }

    mutating func code(_ column: PackedColumn, next value: inout Int64) { put(column, next: value) }

    mutating func code(_ column: PackedColumn, _ bytes: inout [UInt8]) {
        bytes.withUnsafeBytes { put(column, bytes: $0) }
    }

    mutating func code(_ string: inout String, _ lengths: PackedColumn, _ bytes: PackedColumn) {
        string.withUTF8 {
            put(lengths, UInt64($0.count))
            put(bytes, bytes: UnsafeRawBufferPointer($0))
        }
    }
}

extension ColumnReader: IdentifierCoder {
    mutating func code(kind: inout Int, ofRow: Bool) throws {
        let most = ofRow ? 128 * 4 - 1 : 2
        kind = try count(.identifierKinds, eachIn: nil)
        guard kind <= most && kind % 4 < 3 else {
            throw error(.identifierKinds, "kind of identifier", expected: "one, at most \(most)", found: "\(kind)")
        }
    }

    mutating func code(_ column: PackedColumn, next value: inout Int64) throws { value = try following(column) }

    mutating func code(_ column: PackedColumn, _ bytes: inout [UInt8]) throws {
        bytes = Array(try self.bytes(column, bytes.count))
    }

    mutating func code(_ string: inout String, _ lengths: PackedColumn, _ bytes: PackedColumn) throws {
        string = try self.string(bytes, count(lengths, eachIn: bytes))
    }
}
