// Where the content of a row is stored. The model refers to content and never decodes it.
//
// Always holds: the referenced bytes are in the record of the commit that set the content; if that commit was dropped, its log keeps them
// under the same reference. They never change, unless they are erased.

/// The place where the content of a row was written: a range of bytes in the record of a commit, with their hash.
///
/// Copying, moving or deleting a row handles only this reference; the bytes are read when the row is shown.
/// See ``CommitSource``.
public struct ContentReference: Hashable, Sendable {
    /// The version made by the commit whose record holds the bytes.
    public let version: Version
    /// Where the content begins: bytes from the start of that record.
    public let offset: UInt32
    /// The length of the content in bytes.
    public let length: UInt32
    /// The hash of the content, a residue modulo 2⁶¹ − 1. Two contents are compared by it without reading them.
    public let hash: UInt64

    init(version: Version, offset: UInt32, length: UInt32, hash: UInt64) {
        self.version = version
        self.offset = offset
        self.length = length
        self.hash = hash
    }

    /// The content of a placeholder row, which replaces a row whose node cannot be read. No commit has this version.
    package static let unreadable = ContentReference(version: Version(1 << 47), offset: 0, length: 0, hash: 0)

    /// The hash by which contents are compared.
    static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        SequenceHash.residue(XXHash64.hash(bytes, seed: HashSeed.content))
    }

    /// Whether both refer to equal bytes, or bytes that were equal before both were erased. Compares length and hash.
    func hasSameContent(as other: ContentReference) -> Bool {
        length == other.length && hash == other.hash && isErased == other.isErased
    }
}

// MARK: - Erased contents

extension ContentReference {
    /// The offset of an erased content. A record ends before it.
    static let erasedOffset = UInt32.max

    /// Whether the content was erased: there are no bytes any more.
    public var isErased: Bool { offset == ContentReference.erasedOffset }

    /// The same content once it is erased.
    package var erased: ContentReference {
        ContentReference(version: version, offset: ContentReference.erasedOffset, length: length, hash: hash)
    }

    /// Checks that the content was not erased.
    ///
    /// - Throws: ``ListError/erasedContent(_:)``.
    package func checkKept() throws {
        if isErased { throw ListError.erasedContent(version) }
    }
}
