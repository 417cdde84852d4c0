// The encoding of identifiers in events and in stored nodes: a tag, then the value.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The first byte of an encoded identifier.
enum IdentifierTag {
    static let integer: UInt8 = 0
    static let uuid: UInt8 = 1
    static let string: UInt8 = 2
    /// A flag of a row: its outline byte (depth and collapsed) follows.
    static let outline: UInt8 = 4
}

extension ByteWriter {
    mutating func write(_ id: UntypedID) { write(id, outline: 0) }

    /// Writes the identifier of a row and its outline byte. An outline byte of 0 is not written.
    @inline(__always)
    mutating func write(_ id: UntypedID, outline: UInt8) {
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
    /// Reads an identifier: a kind, then the value.
    @inline(__always)
    mutating func readIdentifier() -> UntypedID {
        let kind = readByte()
        if kind == 0 { return .integer(readDelta()) }
        // The function below is not inlined. It gets a copy, so that the reader itself can stay in registers.
        var copy = self
        defer { self = copy }
        return copy.readIdentifier(ofKind: kind)
    }

    /// Reads an identifier that is not an integer.
    @inline(never)
    private mutating func readIdentifier(ofKind kind: UInt8) -> UntypedID {
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
        // SAFETY: the bytes are used only if there are sixteen, and any sixteen bytes are a valid uuid_t.
        return bytes.count == 16
            ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
            : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
