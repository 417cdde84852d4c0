// A section as the tree of sections holds it: id, title and the tree of its rows.
//
// Always holds: `number` is the owner that the locator gives for the section's rows, the same for as long as the
// section lives; `hash` is unsealed whenever the hash of the rows is.

struct SectionEntry: TreeElement {
    let id: Identifier
    private(set) var title: String
    /// The number of the section at the head, by which its rows find it.
    let number: UInt32
    /// The rows.
    var items: PersistentTree<ListItem>
    private(set) var hash = SequenceHash.unsealed
    private let idHash: UInt64
    private var titleHash: UInt64

    init(id: Identifier, title: String, number: UInt32, items: PersistentTree<ListItem>) {
        self.id = id
        self.title = title
        self.number = number
        self.items = items
        idHash = id.hash64
        titleHash = title.hash64(seed: HashSeed.title)
    }

    /// Changes the rows.
    @inline(__always)
    mutating func editItems<Result>(_ body: (inout PersistentTree<ListItem>) throws -> Result) rethrows -> Result {
        hash = SequenceHash.unsealed
        return try body(&items)
    }

    /// Changes the title.
    mutating func rename(to title: String) {
        self.title = title
        titleHash = title.hash64(seed: HashSeed.title)
        hash = SequenceHash.unsealed
    }

    mutating func seal() {
        guard hash == SequenceHash.unsealed else { return }
        items.seal()
        let words = (
            idHash.littleEndian, titleHash.littleEndian, UInt64(items.count).littleEndian, items.hash.littleEndian
        )
        hash = withUnsafeBytes(of: words) { SequenceHash.residue(XXHash64.hash($0, seed: HashSeed.section)) }
    }

    func isUnchanged(in other: SectionEntry) -> Bool {
        items.root === other.items.root && hasSameTitle(as: other)
    }

    /// Whether both show the same header, byte for byte.
    func hasSameTitle(as other: SectionEntry) -> Bool { title.hasSameBytes(as: other.title) }

    /// The section's contents as an event carries them.
    var contents: ListSection {
        ListSection(id: id, title: title, items: items.elements(in: 0..<items.count))
    }
}
