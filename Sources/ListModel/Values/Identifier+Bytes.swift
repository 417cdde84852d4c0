// Identifiers as bytes, in events and in stored nodes: a tag, then the value.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The byte that an identifier begins with.
enum IdentifierTag {
    static let integer: UInt8 = 0
    static let uuid: UInt8 = 1
    static let string: UInt8 = 2
    /// Of a row: it has a place in an outline, which follows.
    static let outline: UInt8 = 4
}

extension ByteWriter {
    mutating func write(_ id: Identifier) { write(id, outline: 0) }

    /// Writes the identifier of a row and its place in an outline, which takes a byte only if it has one.
    @inline(__always)
    mutating func write(_ id: Identifier, outline: UInt8) {
        let flag = outline == 0 ? 0 : IdentifierTag.outline
        switch id {
        case .integer(let value):
            write(byte: flag | IdentifierTag.integer)
            if flag != 0 { write(byte: outline) }
            write(varint: value.zigzag)
        case .uuid(let value):
            write(byte: flag | IdentifierTag.uuid)
            if flag != 0 { write(byte: outline) }
            withUnsafeBytes(of: value.uuid) { write(raw: $0) }
        case .string(let value):
            write(byte: flag | IdentifierTag.string)
            if flag != 0 { write(byte: outline) }
            write(value)
        }
    }
}

extension NodeReader {
    /// An identifier: a kind, then the value.
    @inline(__always)
    mutating func readIdentifier() -> Identifier {
        let kind = readByte()
        if kind == 0 { return .integer(readDelta()) }
        // What is not inlined gets a copy, so that the reader itself needs no address.
        var copy = self
        defer { self = copy }
        return copy.readIdentifier(ofKind: kind)
    }

    /// An identifier that is no integer.
    @inline(never)
    private mutating func readIdentifier(ofKind kind: UInt8) -> Identifier {
        switch kind {
        case 1: return .uuid(readUUID())
        case 2: return .string(readString())
        default:
            fail()
            return .integer(0)
        }
    }

    mutating func readUUID() -> UUID {
        let bytes = readBytes(16)
        // SAFETY: sixteen bytes were checked to be there, and a uuid_t is any sixteen bytes.
        return bytes.count == 16
            ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
            : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
