// The hash of a whole list. It is stored with every commit and shown by the tool.
//
// Always holds: the hash depends only on the sections (id, title, order) and their rows (id, checkmark, content, depth,
// collapsed, order). It depends neither on the edits that led there nor on the shape of the tree.

/// The hash of the rows and sections of one version.
///
/// Equal lists have equal hashes on every machine, whatever edits led to them. `Docs/Design/FileFormat.md` specifies
/// the computation byte by byte.
public struct StateHash: Hashable, Sendable, CustomStringConvertible {
    /// The 64 bits of the hash.
    public let rawValue: UInt64

    /// A hash from its 64 bits.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The hash of a list of `count` sections whose sequence hash is `hash`.
    init(count: Int, hash: UInt64) {
        rawValue = XXHash64.hash(UInt64(count), hash, seed: HashSeed.state)
    }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Seeds: each kind of value is hashed with its own.
enum HashSeed {
    static let integerIdentifier: UInt64 = 1
    static let uuidIdentifier: UInt64 = 2
    static let stringIdentifier: UInt64 = 3
    static let content: UInt64 = 4
    static let title: UInt64 = 5
    static let section: UInt64 = 6
    static let state: UInt64 = 7
    static let sectionNumber: UInt64 = 8

    /// Added to the hash of a checked row.
    static let checkmark: UInt64 = 0x0C0F_FEE0_1234_5677

    /// Added to the hash of a collapsed row.
    static let collapsed: UInt64 = 0x0DEC_ADE0_89AB_CDEF

    /// Added to the hash of a row once for each level of its depth.
    static let depth: UInt64 = 0x0FAC_ADE0_FEDC_BA97
}
