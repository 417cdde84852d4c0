// What stands before a content that has a version: the byte 255, then the version.
//
// Always holds: no text in UTF-8 or UTF-16 begins so, and therefore no JSON, nor CBOR or a protocol buffer; content that
// was written without an envelope is never taken for one with.

/// The version of a content, and the bytes that it is of.
///
/// A coder with upcasters writes and reads envelopes; this is for tools that show contents.
public struct ContentEnvelope: Hashable, Sendable {
    /// The version of the encoding, 1 to 125.
    public let version: Int
    /// What the coder wrote.
    public let content: [UInt8]

    /// The versions that an envelope can say.
    public static let versions = 1...125
    /// How many bytes stand before the content.
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

    /// The version that the envelope of a content says; nil if it has none.
    static func version(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= size, bytes[0] == mark, versions.contains(Int(bytes[1])) else { return nil }
        return Int(bytes[1])
    }
}
