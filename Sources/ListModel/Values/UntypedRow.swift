// A row: id, checkmark, depth, collapsed and a reference to its content. It is packed into 40 bytes, because a leaf
// holds dozens of rows.
//
// Always holds: `hash` is a sum modulo 2⁶¹ − 1: the hash of the id, the hash of the content, a constant if the row is
// checked, a constant if it is collapsed, and a constant for each step of depth. The hash of the content can be
// computed from this sum, so it is not stored separately.

/// A row of a list: its id, its checkmark, its depth in an outline, whether it is collapsed, and a reference to its
/// content.
///
/// A section whose rows have depths is an outline. The parent of a row is the nearest row before it that is less deep;
/// the deeper rows right after a row are below it. Without an outline, every row has depth 0.
public struct UntypedRow: Sendable {
    /// The greatest depth that a row can have.
    public static let maximumDepth = Limits.depth

    /// The identity of the row, unique in a snapshot.
    public let id: UntypedID

    /// The checkmark in bit 0, collapsed in bit 1, the depth in the six bits above.
    private var flags: UInt8

    // The version of the content's commit, in 48 bits: this way the small fields fit into the padding after `id`.
    private var versionHigh: UInt16
    private var versionLow: UInt32
    private var offset: UInt32
    private var length: UInt32

    /// The hash of the whole row, a residue modulo 2⁶¹ − 1.
    private(set) var hash: UInt64

    /// A row whose content is in the log already.
    ///
    /// - Parameters:
    ///   - id: the identity of the row.
    ///   - isChecked: whether it has a checkmark.
    ///   - content: where its content is stored.
    ///   - depth: its depth in an outline, from 0 to ``maximumDepth``.
    ///   - isCollapsed: whether its children are hidden.
    public init(
        id: UntypedID, isChecked: Bool, content: ContentReference, depth: Int = 0, isCollapsed: Bool = false
    ) {
        precondition(UntypedRow.depths.contains(depth), "a row has a depth from 0 to \(UntypedRow.maximumDepth)")
        self.init(
            id: id, isChecked: isChecked, content: content, outline: UInt8(depth) &<< 1 | (isCollapsed ? 1 : 0))
    }

    /// A row with its depth and collapsed in one byte below 128; see `outline`.
    @inline(__always)
    init(id: UntypedID, isChecked: Bool, content: ContentReference, outline: UInt8) {
        self.init(id: id, flags: outline &<< 1 | (isChecked ? 1 : 0), content: content)
    }

    @inline(__always)
    private init(id: UntypedID, flags: UInt8, content: ContentReference) {
        self.id = id
        self.flags = flags
        // Truncation splits the 48 bits into two parts.
        versionHigh = UInt16(truncatingIfNeeded: content.version.rawValue &>> 32)
        versionLow = UInt32(truncatingIfNeeded: content.version.rawValue)
        offset = content.offset
        length = content.length
        let plain = SequenceHash.add(SequenceHash.residue(id.hash64), content.hash)
        hash = flags == 0 ? plain : SequenceHash.add(plain, UntypedRow.hash(ofFlags: flags))
    }

    /// The part of a row's hash that depends on its flags.
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

    /// Where the content is stored.
    public var content: ContentReference {
        let plain = flags == 0 ? hash : SequenceHash.subtract(hash, UntypedRow.hash(ofFlags: flags))
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
        let plain = SequenceHash.subtract(hash, UntypedRow.hash(ofFlags: self.flags))
        self.flags = flags
        hash = SequenceHash.add(plain, UntypedRow.hash(ofFlags: flags))
    }

    /// Replaces the content.
    mutating func setContent(_ content: ContentReference) {
        self = UntypedRow(id: id, flags: flags, content: content)
    }

    /// Whether the row has this id. Integers are the most frequent ids and are compared first.
    @inline(__always)
    func hasID(_ id: UntypedID) -> Bool {
        if case .integer(let wanted) = id {
            if case .integer(let found) = self.id { return found == wanted }
            return false
        }
        return self.id == id
    }

    /// Whether everything but the id is equal, for two rows of the same id. Contents are compared by length and hash, also if they were
    /// erased.
    @inline(__always)
    func hasSameState(as other: UntypedRow) -> Bool {
        hash == other.hash && length == other.length && flags == other.flags
    }

    /// Whether the content was erased.
    @inline(__always)
    var isErased: Bool { offset == ContentReference.erasedOffset }

    /// Whether everything is equal, also where the content is stored.
    @inline(__always)
    func isIdentical(to other: UntypedRow) -> Bool {
        hasSameState(as: other) && offset == other.offset && versionLow == other.versionLow
            && versionHigh == other.versionHigh && hasID(other.id)
    }
}

// MARK: - Outlines

extension UntypedRow {
    /// The depths that a row can have.
    static var depths: ClosedRange<Int> { 0...maximumDepth }

    /// The depth of the row in an outline; 0 in a list without outlines.
    @inline(__always)
    public var depth: Int { Int(flags &>> 2) }

    /// Whether the row's children are hidden. A row without children may be collapsed too, which has no effect.
    @inline(__always)
    public var isCollapsed: Bool { flags & 2 != 0 }

    /// The stored form of depth and collapsed: the depth times 2, plus 1 if the row is collapsed.
    @inline(__always)
    var outline: UInt8 { flags &>> 1 }

    /// Adds to the depth; the result must be in `depths`.
    mutating func changeDepth(by change: Int) { setFlags(flags & 3 | UInt8(depth + change) &<< 2) }

    /// Hides or shows the row's children.
    mutating func setCollapsed(_ isCollapsed: Bool) { setFlags(flags & ~2 | (isCollapsed ? 2 : 0)) }
}

extension UntypedRow: Equatable {
    /// Whether id, checkmark, depth, collapsed and content are equal. Contents are compared by length and hash, not by
    /// where they are stored.
    public static func == (left: UntypedRow, right: UntypedRow) -> Bool {
        left.id == right.id && left.hasSameState(as: right)
    }
}

/// A section: its id, its title and its rows.
public struct ListSection: Equatable, Sendable {
    /// The identity of the section.
    public var id: UntypedID
    /// The text of its header.
    public var title: String
    /// Its rows, in order.
    public var items: [UntypedRow]

    /// A section with these rows.
    public init(id: UntypedID, title: String, items: [UntypedRow]) {
        self.id = id
        self.title = title
        self.items = items
    }
}

extension UntypedRow: CustomStringConvertible {
    /// The checkmark and the id, indented by the depth: `[x] 7`.
    public var description: String { String(repeating: "  ", count: depth) + (isChecked ? "[x] " : "[ ] ") + "\(id)" }
}
