// A section as an element of the tree of sections: id, title and the top of the tree of its rows.
//
// Always holds: `number` is the owner that the locator returns for the section's rows; it does not change while the
// section exists. `hash` is unsealed whenever the hash of the rows is.

struct SectionEntry: TreeElement {
    let id: UntypedID
    private(set) var title: String
    /// The number of the section at the head, by which the locator leads from its rows to it.
    let number: UInt32
    /// The top of the tree of rows. Its pool is the one of the tree of sections.
    private(set) var rows: TreeChild<UntypedRow>
    private(set) var hash = SequenceHash.unsealed
    private let idHash: UInt64
    private var titleHash: UInt64

    init(id: UntypedID, title: String, number: UInt32, rows: TreeChild<UntypedRow>) {
        self.id = id
        self.title = title
        self.number = number
        self.rows = rows
        idHash = id.hash64
        titleHash = title.hash64(seed: HashSeed.title)
    }

    static var canBePlain: Bool { false }
    var isPlain: Bool { false }
    var outlineDepth: UInt8 { 0 }

    /// The keys are the hash of the id and the hash of the number, by which a section is found from its rows.
    func forEachKey(_ hashing: IdentifierHashing, _ body: (UInt64) throws -> Void) rethrows {
        try body(hashing.hash(of: id))
        try body(SectionEntry.key(ofNumber: number))
    }

    static var keyCount: Int { 2 }

    /// The hash by which the locator finds a section by its number. It needs no salt, because nobody outside chooses
    /// the numbers.
    static func key(ofNumber number: UInt32) -> UInt64 {
        XXHash64.hash(UInt64(number), seed: HashSeed.sectionNumber)
    }

    /// The number of rows.
    @inline(__always)
    var itemCount: Int { Int(rows.count) }

    /// Changes the tree of the rows through its top.
    @inline(__always)
    mutating func editRows<Result>(_ body: (inout TreeChild<UntypedRow>) throws -> Result) rethrows -> Result {
        hash = SequenceHash.unsealed
        return try body(&rows)
    }

    /// Unseals the hash of the rows before an edit of them, so that it is computed lazily. Rows that are not in memory
    /// keep their hash, because they are checked against it when they are read.
    @inline(__always)
    mutating func unsealRows() {
        guard rows.node != nil else { return }
        rows.hash = SequenceHash.unsealed
        hash = SequenceHash.unsealed
    }

    /// Evicts rows that are stored.
    mutating func evictRows(_ body: (inout TreeChild<UntypedRow>) -> Int) -> Int { body(&rows) }

    /// Sets the stored number of the rows, for writing the section.
    mutating func setRows(stored: UInt64) {
        rows.node = nil
        rows.stored = stored
    }

    /// Changes the title.
    mutating func rename(to title: String) {
        self.title = title
        titleHash = title.hash64(seed: HashSeed.title)
        hash = SequenceHash.unsealed
    }

    mutating func seal() {
        guard hash == SequenceHash.unsealed else { return }
        rows.seal()
        let words = (
            idHash.littleEndian, titleHash.littleEndian, UInt64(rows.count).littleEndian, rows.hash.littleEndian
        )
        hash = withUnsafeBytes(of: words) { SequenceHash.residue(XXHash64.hash($0, seed: HashSeed.section)) }
    }

    func isUnchanged(in other: SectionEntry) -> Bool {
        rows.isSame(as: other.rows) && hasSameTitle(as: other)
    }

    /// Whether both titles have the same bytes.
    func hasSameTitle(as other: SectionEntry) -> Bool { title.hasSameBytes(as: other.title) }
}
