// Encodes values as bytes, and decodes bytes as values.
//
// Always holds: encoding cannot fail. Decoding can, because the bytes of a file may be anything. The order of keys in a
// database is the order of their bytes, so an encoding of keys must keep the order that its type promises.

/// A type that can be a key or a value of a ``Database``.
///
/// To conform a type of your own, encode it with the encoding of another type, and decode it in the same way:
///
/// ```swift
/// extension Version: DatabaseCodable {
///     func withEncodedBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
///         try number.withEncodedBytes(body)
///     }
///     static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Version {
///         Version(number: try UInt64.decode(bytes))
///     }
/// }
/// ```
public protocol DatabaseCodable {
    /// Calls `body` with the value's bytes, valid for the call only.
    ///
    /// - Parameter body: Uses the bytes.
    /// - Returns: What `body` returns.
    func withEncodedBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result

    /// Makes a value from bytes.
    ///
    /// - Parameter bytes: The bytes, valid for the call only, and at any alignment. They may be anything.
    /// - Returns: The value.
    /// - Throws: ``LMDBError`` (`wrongSize`, `undecodable`) when the bytes are not those of a value.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Self
}

// MARK: - Integers

/// Eight bytes, most significant first, so that the order of the bytes is the order of the numbers.
extension UInt64: DatabaseCodable {
    /// Calls `body` with the eight bytes.
    @inlinable
    public func withEncodedBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try Swift.withUnsafeBytes(of: bigEndian, body)
    }

    /// Reads eight bytes.
    ///
    /// - Throws: ``LMDBError``: `wrongSize`.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
        guard bytes.count == 8 else { throw LMDBError(wrongSizeFor: "UInt64", expected: 8, found: bytes.count) }
        // SAFETY: the count was checked, and an unaligned load needs no alignment.
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
}

extension LMDBError {
    /// An error for bytes of the wrong size. A function of its own, so that the inlined decoders stay small.
    @usableFromInline
    init(wrongSizeFor type: String, expected: Int, found: Int) {
        self.init(.wrongSize(type: type, expected: expected, found: found), in: "decode")
    }
}

// MARK: - Bytes and text

/// UTF-8. Keys are ordered by their bytes, which is the order of their Unicode scalars and not that of `<`.
extension String: DatabaseCodable {
    /// Calls `body` with the text's UTF-8.
    @inlinable
    public func withEncodedBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        var copy = self
        return try copy.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }

    /// Reads UTF-8.
    ///
    /// - Throws: ``LMDBError``: `undecodable` when the bytes are not UTF-8; nothing is repaired.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw LMDBError(.undecodable(type: "String", reason: "not UTF-8"), in: "decode")
        }
        return text
    }
}

/// The bytes themselves.
extension Array: DatabaseCodable where Element == UInt8 {
    /// Calls `body` with the array's bytes.
    @inlinable
    public func withEncodedBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes(body)
    }

    /// Copies the bytes.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        Array(bytes)
    }
}
