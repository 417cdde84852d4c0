// Keys and values that refer to bytes without owning them.
//
// Always holds: putting and getting raw bytes copies nothing. So a value returned by `get` refers to the map, and is
// valid only until its transaction writes or ends.

/// Bytes that are put into a database directly from where they are, without a copy.
///
/// A database of raw bytes is written with ``WriteTransaction/put(_:forKey:in:)`` and read with
/// ``Transaction/withValue(forKey:in:_:)`` or ``Transaction/forEach(in:reverse:_:)``:
///
/// ```swift
/// let log = try environment.openDatabase(named: "log", of: UInt64.self, RawBytes.self, create: true)
/// try environment.write { txn in try txn.put(RawBytes(buffer), forKey: 1, in: log) }
/// ```
///
/// - Warning: The bytes must stay valid and unchanged while the value is used.
public struct RawBytes {
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer

    /// Refers to bytes without copying them.
    ///
    /// - Parameter bytes: The bytes; the caller keeps them valid.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }
}

extension RawBytes: DatabaseCodable {
    /// Calls `body` with the bytes where they are.
    @inlinable
    public func withEncodedBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try body(bytes)
    }

    /// Refers to the bytes in the map.
    ///
    /// - Warning: The result is valid until the transaction writes or ends. `withValue` and `forEach` pass the bytes to
    ///   a closure instead; this is for typed cursors.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws -> RawBytes {
        RawBytes(bytes)
    }
}
