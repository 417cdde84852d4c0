// The envelope before a content with a version: the byte 255, then the version.
//
// Always holds: no UTF-8 text, JSON, CBOR or protocol buffer is mistaken for content with an envelope, because none of
// them begins with these bytes.

/// A content with its version.
///
/// A coder with upcasters writes and reads envelopes; this is for tools that show contents.
public struct ContentEnvelope: Hashable, Sendable {
    /// The version of the encoding, 1 to 125.
    public let version: Int
    /// The bytes that the coder wrote.
    public let content: [UInt8]

    /// The versions that an envelope can hold.
    public static let versions = 1...125
    /// The size of the envelope in bytes.
    static let size = 2
    private static let mark: UInt8 = 0xFF

    /// An envelope of a content.
    ///
    /// - Precondition: the version is one of ``versions``.
    public init(version: Int, content: [UInt8]) {
        precondition(ContentEnvelope.versions.contains(version), "a version is 1 to 125")
        self.version = version
        self.content = content
    }

    /// The envelope that a content has; nil if it has none.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let version = ContentEnvelope.version(of: bytes) else { return nil }
        self.init(version: version, content: Array(bytes[ContentEnvelope.size...]))
    }

    /// The bytes with their envelope.
    public var bytes: [UInt8] { [ContentEnvelope.mark, UInt8(version)] + content }

    /// The version in the envelope of a content; nil if it has none.
    static func version(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= size, bytes[0] == mark, versions.contains(Int(bytes[1])) else { return nil }
        return Int(bytes[1])
    }
}
