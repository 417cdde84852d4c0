// Where the content of a row was written. The core handles content by reference and never decodes it.
//
// Always holds: the bytes a reference points to are in the record of the commit that set them, and never change.

/// The place where the content of a row was written: a range of bytes in the record of a commit, with their hash.
///
/// Copying, moving or deleting a row handles only this reference; the bytes are read when the row is shown.
/// See ``CommitSource``.
public struct ContentReference: Hashable, Sendable {
    /// The version made by the commit whose record holds the bytes.
    public let version: Version
    /// Where the content begins: bytes from the start of that record.
    public let offset: UInt32
    /// How long the content is, in bytes.
    public let length: UInt32
    /// The hash of the content, by which two contents are told apart without reading them: a residue modulo 2⁶¹ − 1.
    let hash: UInt64

    init(version: Version, offset: UInt32, length: UInt32, hash: UInt64) {
        self.version = version
        self.offset = offset
        self.length = length
        self.hash = hash
    }

    /// The content of a row that stands in for one whose node cannot be read. No commit has this version.
    package static let unreadable = ContentReference(version: Version(1 << 47), offset: 0, length: 0, hash: 0)

    /// The hash by which contents are told apart.
    static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        SequenceHash.residue(XXHash64.hash(bytes, seed: HashSeed.content))
    }

    /// Whether both stand for equal bytes, judged by length and hash.
    func hasSameContent(as other: ContentReference) -> Bool {
        length == other.length && hash == other.hash
    }
}
