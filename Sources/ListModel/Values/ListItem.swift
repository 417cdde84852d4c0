// A row: id, checkmark, place in an outline and a reference to its content, packed into 40 bytes because a leaf holds
// dozens of them.
//
// Always holds: `hash` is the sum (modulo 2⁶¹ − 1) of the hash of the id, the hash of the content and what the flags
// add: a constant for the checkmark, one for collapsed, one for each step of depth. The hash of the content can
// therefore be recovered from it and is not stored a second time. A row at depth 0, expanded, adds nothing.

/// A row of a list: its id, its checkmark, where it stands in an outline and where its content was written.
///
/// A section whose rows have depths is an outline: the parent of a row is the nearest row before it that is less deep,
/// and its children are the deeper rows right after it. A list without an outline has rows of depth 0 only.
public struct ListItem: Sendable {
    /// The greatest depth that a row can have.
    public static let maximumDepth = Limits.depth

    /// The identity of the row. No two rows of a snapshot have the same.
    public let id: Identifier

    /// The checkmark in bit 0, collapsed in bit 1, the depth in the six bits above.
    private var flags: UInt8

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
    ///   - depth: how deep it stands in an outline, from 0 to ``maximumDepth``.
    ///   - isCollapsed: whether its children are hidden.
    public init(
        id: Identifier, isChecked: Bool, content: ContentReference, depth: Int = 0, isCollapsed: Bool = false
    ) {
        precondition(ListItem.depths.contains(depth), "a row has a depth from 0 to \(ListItem.maximumDepth)")
        self.init(
            id: id, isChecked: isChecked, content: content, outline: UInt8(depth) &<< 1 | (isCollapsed ? 1 : 0))
    }

    /// A row with its place in an outline as one byte, which is below 128.
    @inline(__always)
    init(id: Identifier, isChecked: Bool, content: ContentReference, outline: UInt8) {
        self.init(id: id, flags: outline &<< 1 | (isChecked ? 1 : 0), content: content)
    }

    @inline(__always)
    private init(id: Identifier, flags: UInt8, content: ContentReference) {
        self.id = id
        self.flags = flags
        // The two parts of 48 bits, which truncation leaves.
        versionHigh = UInt16(truncatingIfNeeded: content.version.rawValue &>> 32)
        versionLow = UInt32(truncatingIfNeeded: content.version.rawValue)
        offset = content.offset
        length = content.length
        let plain = SequenceHash.add(SequenceHash.residue(id.hash64), content.hash)
        hash = flags == 0 ? plain : SequenceHash.add(plain, ListItem.hash(ofFlags: flags))
    }

    /// What the flags of a row add to its hash.
    @inline(__always)
    private static func hash(ofFlags flags: UInt8) -> UInt64 {
        flags <= 1 ? (flags == 0 ? 0 : HashSeed.checkmark) : outlineHash(flags)
    }

    @inline(never)
    private static func outlineHash(_ flags: UInt8) -> UInt64 {
        var sum = SequenceHash.multiply(UInt64(flags &>> 2), HashSeed.depth)
        if flags & 2 != 0 { sum = SequenceHash.add(sum, HashSeed.collapsed) }
        return flags & 1 == 0 ? sum : SequenceHash.add(sum, HashSeed.checkmark)
    }

    /// Whether the row has a checkmark.
    @inline(__always)
    public var isChecked: Bool { flags & 1 != 0 }

    /// Where the content was written.
    public var content: ContentReference {
        let plain = flags == 0 ? hash : SequenceHash.subtract(hash, ListItem.hash(ofFlags: flags))
        return ContentReference(
            version: Version(UInt64(versionHigh) &<< 32 | UInt64(versionLow)), offset: offset, length: length,
            hash: SequenceHash.subtract(plain, SequenceHash.residue(id.hash64)))
    }

    /// Sets or clears the checkmark.
    mutating func setChecked(_ isChecked: Bool) {
        guard isChecked != self.isChecked else { return }
        flags ^= 1
        hash =
            isChecked
            ? SequenceHash.add(hash, HashSeed.checkmark) : SequenceHash.subtract(hash, HashSeed.checkmark)
    }

    private mutating func setFlags(_ flags: UInt8) {
        guard flags != self.flags else { return }
        let plain = SequenceHash.subtract(hash, ListItem.hash(ofFlags: self.flags))
        self.flags = flags
        hash = SequenceHash.add(plain, ListItem.hash(ofFlags: flags))
    }

    /// Puts other content in the place of the present one.
    mutating func setContent(_ content: ContentReference) {
        self = ListItem(id: id, flags: flags, content: content)
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

    /// Whether all but the id is equal, for two rows of the same id. Contents are judged by length and hash.
    @inline(__always)
    func hasSameState(as other: ListItem) -> Bool {
        hash == other.hash && length == other.length && flags == other.flags
    }
}

// MARK: - Outlines

extension ListItem {
    /// The depths that a row can have.
    static var depths: ClosedRange<Int> { 0...maximumDepth }

    /// How deep the row stands in an outline; 0 in a list that is none.
    @inline(__always)
    public var depth: Int { Int(flags &>> 2) }

    /// Whether the row's children are hidden. It may be set of a row without children, which hides nothing.
    @inline(__always)
    public var isCollapsed: Bool { flags & 2 != 0 }

    /// The depth times 2, plus 1 if the row is collapsed: its place in an outline, as it is stored.
    @inline(__always)
    var outline: UInt8 { flags &>> 1 }

    /// Moves the row deeper into the outline, or less deep; the result must be one of `depths`.
    mutating func changeDepth(by change: Int) { setFlags(flags & 3 | UInt8(depth + change) &<< 2) }

    /// Hides or shows the row's children.
    mutating func setCollapsed(_ isCollapsed: Bool) { setFlags(flags & ~2 | (isCollapsed ? 2 : 0)) }
}

extension ListItem: Equatable {
    /// Whether id, checkmark, depth, collapsed and content are equal; contents are judged by length and hash, wherever
    /// they are written.
    public static func == (left: ListItem, right: ListItem) -> Bool {
        left.id == right.id && left.hasSameState(as: right)
    }
}
