// A row: id, checkmark and a reference to its content, packed into 40 bytes because a leaf holds dozens of them.
//
// Always holds: `hash` is the sum (modulo 2⁶¹ − 1) of the hash of the id, the hash of the content and, when checked,
// a constant. The hash of the content can therefore be recovered from it and is not stored a second time.

/// A row of a list: its id, its checkmark and where its content was written.
public struct ListItem: Sendable {
    /// The identity of the row. No two rows of a snapshot have the same.
    public let id: Identifier
    /// Whether the row has a checkmark.
    public private(set) var isChecked: Bool

    // The version of the content's commit in 48 bits, so that the five fields fill the padding after `id`.
    private var versionHigh: UInt16
    private var versionLow: UInt32
    private var offset: UInt32
    private var length: UInt32

    /// The hash of the whole row, a residue modulo 2⁶¹ − 1.
    private(set) var hash: UInt64

    /// A row whose content was already written.
    ///
    /// - Parameters:
    ///   - id: the identity of the row.
    ///   - isChecked: whether it has a checkmark.
    ///   - content: where its content was written.
    public init(id: Identifier, isChecked: Bool, content: ContentReference) {
        self.init(id: id, idHash: id.hash64, isChecked: isChecked, content: content)
    }

    @inline(__always)
    init(id: Identifier, idHash: UInt64, isChecked: Bool, content: ContentReference) {
        self.id = id
        self.isChecked = isChecked
        versionHigh = UInt16(truncatingIfNeeded: content.version.rawValue &>> 32)
        versionLow = UInt32(truncatingIfNeeded: content.version.rawValue)
        offset = content.offset
        length = content.length
        let unchecked = SequenceHash.add(SequenceHash.residue(idHash), content.hash)
        hash = isChecked ? SequenceHash.add(unchecked, HashSeed.checkmark) : unchecked
    }

    /// Where the content was written.
    public var content: ContentReference {
        content(idHash: id.hash64)
    }

    func content(idHash: UInt64) -> ContentReference {
        let unchecked = isChecked ? SequenceHash.subtract(hash, HashSeed.checkmark) : hash
        return ContentReference(
            version: Version(UInt64(versionHigh) &<< 32 | UInt64(versionLow)), offset: offset, length: length,
            hash: SequenceHash.subtract(unchecked, SequenceHash.residue(idHash)))
    }

    /// Sets or clears the checkmark.
    mutating func setChecked(_ isChecked: Bool) {
        guard isChecked != self.isChecked else { return }
        self.isChecked = isChecked
        hash =
            isChecked
            ? SequenceHash.add(hash, HashSeed.checkmark) : SequenceHash.subtract(hash, HashSeed.checkmark)
    }

    /// Puts other content in the place of the present one.
    mutating func setContent(_ content: ContentReference) {
        self = ListItem(id: id, isChecked: isChecked, content: content)
    }

    /// Whether this is the id. Integers are by far the most frequent, and compared without a look at what else it may be.
    @inline(__always)
    func hasID(_ id: Identifier) -> Bool {
        if case .integer(let wanted) = id {
            if case .integer(let found) = self.id { return found == wanted }
            return false
        }
        return self.id == id
    }

    /// Whether checkmark and content are equal, for two rows of the same id. Contents are judged by length and hash.
    @inline(__always)
    func hasSameState(as other: ListItem) -> Bool {
        hash == other.hash && length == other.length && isChecked == other.isChecked
    }
}

extension ListItem: Equatable {
    /// Whether id, checkmark and content are equal; contents are judged by length and hash, wherever they are written.
    public static func == (left: ListItem, right: ListItem) -> Bool {
        left.id == right.id && left.hasSameState(as: right)
    }
}
