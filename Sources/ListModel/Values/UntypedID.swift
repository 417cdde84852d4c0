// The identity of a row or a section: an integer, a UUID or a string.
//
// Always holds: identifiers of different kinds are never equal, so 7 and "7" are two rows.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The identity of a row or of a section. It does not change with content, checkmark, title or position.
///
/// ```swift
/// let milk: UntypedID = 7
/// let today: UntypedID = "today"
/// ```
public enum UntypedID: Hashable, Sendable {
    /// An integer, for example a database key or a counter.
    case integer(Int64)
    /// A universally unique identifier.
    case uuid(UUID)
    /// Any string. Two strings are the same identifier only if their UTF-8 bytes are the same: identity does not
    /// depend on a Unicode version.
    case string(String)

    public static func == (left: UntypedID, right: UntypedID) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }

    /// Hashes a string by its bytes, as `==` compares it. The hash of `String` is the same for all canonically equivalent spellings,
    /// so somebody could choose many ids that have one hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .integer(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .string(let value):
            var copy = value
            copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // The end: no UTF-8 has this byte.
            hasher.combine(UInt8.max)
        }
    }
}

extension UntypedID {
    /// What an identifier is.
    public enum Kind: UInt8, Hashable, Sendable {
        /// A number of 64 bits.
        case integer = 1
        /// A UUID.
        case uuid = 2
        /// A string, compared by its bytes.
        case string = 3
    }

    /// What it is.
    public var kind: Kind {
        switch self {
        case .integer: .integer
        case .uuid: .uuid
        case .string: .string
        }
    }

    /// How many of the last bits of an integer tell apart the members of a *family*: 64 integers that follow one another.
    static let familyBits: UInt64 = 6
    /// Those bits.
    static let members: UInt64 = 1 &<< familyBits &- 1

    /// A 64-bit hash that is the same on every machine; equal identifiers have equal hashes.
    ///
    /// - Complexity: O(1) for integers and UUIDs, O(length) for strings.
    @inline(__always)
    package var hash64: UInt64 { hash64(salt: 0) }

    /// A hash that is unpredictable without the salt. With a salt of 0 it is ``hash64``.
    ///
    /// - Complexity: O(1) for integers and UUIDs, O(length) for strings.
    @inline(__always)
    func hash64(salt: UInt64) -> UInt64 {
        // The additions wrap, because any seed will do.
        switch self {
        case .integer(let value):
            return XXHash64.hash(UInt64(bitPattern: value), seed: HashSeed.integerIdentifier &+ salt)
        case .uuid(let value):
            return withUnsafeBytes(of: value.uuid) { bytes in
                // SAFETY: a uuid_t is 16 bytes, so both loads are inside it.
                XXHash64.hash(
                    UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    seed: HashSeed.uuidIdentifier &+ salt)
            }
        case .string(let value):
            return value.hash64(seed: HashSeed.stringIdentifier &+ salt)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes, eight of which are compared at a time.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        // SAFETY: every load is of bytes below the count, which both have.
        var offset = 0
        while offset + 8 <= count {
            let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension String {
    /// Whether both have the same UTF-8 bytes. The `==` of `String` also accepts canonically equivalent spellings.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable {
                UnsafeRawBufferPointer(bytes).hasSameBytes(as: UnsafeRawBufferPointer($0))
            }
        }
        // Only strings that were bridged from another language are not stored contiguously.
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// The XXH64 of the UTF-8 bytes.
    func hash64(seed: UInt64) -> UInt64 {
        let hash = utf8.withContiguousStorageIfAvailable { XXHash64.hash(UnsafeRawBufferPointer($0), seed: seed) }
        if let hash { return hash }
        // A string of Foundation's that has no UTF-8.
        var copy = self
        return copy.withUTF8 { XXHash64.hash(UnsafeRawBufferPointer($0), seed: seed) }
    }
}

extension UntypedID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension UntypedID: CustomStringConvertible {
    /// The integer in decimal, the UUID in its usual form, the string in quotation marks.
    public var description: String {
        switch self {
        case .integer(let value): String(value)
        case .uuid(let value): value.uuidString
        case .string(let value): "\"\(value)\""
        }
    }
}
