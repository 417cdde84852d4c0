// The state of a derived view for each row and section of its source, in the order of the source.
//
// Always holds: a source section has one slot for each row, in the same order; labels ascend along a section.

/// The result of the arrangement for a row; rows without a key share one object. There is one for each row, so each has only
/// what its arrangement needs.
class RowKey: @unchecked Sendable {
    // @unchecked Sendable: its subclasses, all in this file, have only constants that are sendable.

    /// The sort key of the row.
    final let key: QueryKey
    /// The group that the arrangement returned; the view may hold another object for the same group.
    var group: QueryGroup? { nil }
    /// The text in which a search looks for its words.
    var text: SearchText { SearchText() }

    fileprivate init(_ placement: RowPlacement) { key = placement.key }

    /// The key of rows that have none.
    static let plain = RowKey(RowPlacement())

    /// The key of a placement.
    static func make(_ placement: RowPlacement) -> RowKey {
        if let group = placement.group { return GroupedKey(placement, group) }
        if !placement.text.folded.isEmpty { return SearchedKey(placement) }
        if case .absent = placement.key { return plain }
        return RowKey(placement)
    }
}

/// That of a row with a text, but no group.
private final class SearchedKey: RowKey, @unchecked Sendable {
    private let searched: SearchText
    override var text: SearchText { searched }

    override init(_ placement: RowPlacement) {
        searched = placement.text
        super.init(placement)
    }
}

/// That of a row with a group.
private final class GroupedKey: RowKey, @unchecked Sendable {
    private let own: QueryGroup
    private let searched: SearchText
    override var group: QueryGroup? { own }
    override var text: SearchText { searched }

    init(_ placement: RowPlacement, _ group: QueryGroup) {
        (own, searched) = (group, placement.text)
        super.init(placement)
    }
}

/// The state of a view for a row of its source.
struct SourceRow: MemoryElement {
    /// The label and, in the lowest bit, whether a search finds the row or, in an outline, no ancestor hides it.
    private var bits: UInt64
    /// Where the row stands in the view; nil if it is left out.
    var key: RowKey?

    init(label: UInt64, key: RowKey?, isFound: Bool) {
        bits = label &<< 1 | (isFound ? 1 : 0)
        self.key = key
    }

    /// A number that ascends along the section.
    var label: UInt64 {
        get { bits &>> 1 }
        set { bits = newValue &<< 1 | bits & 1 }
    }

    /// Whether the words that are searched for are in the row; in an outline, whether no ancestor hides it.
    var isFound: Bool {
        get { bits & 1 == 1 }
        set { bits = bits & ~1 | (newValue ? 1 : 0) }
    }

    /// Whether the row is in the view.
    var isShown: Bool { key != nil && isFound }
}

/// The state of a view for a section of its source.
struct SourceSection: MemoryElement {
    /// The number by which rows refer to the section, wherever it moves.
    let number: UInt32
    /// Its id and its title.
    var group: QueryGroup
    /// A slot for each row.
    private(set) var slots: TreeChild<SourceRow>

    init(number: UInt32, group: QueryGroup, slots: TreeChild<SourceRow> = .empty) {
        self.number = number
        self.group = group
        self.slots = slots
    }

    /// The tree of the slots.
    func slots(_ pool: NodePool) -> PersistentTree<SourceRow> { PersistentTree(slots, pool) }

    /// Changes the slots.
    mutating func editSlots<Result>(
        _ pool: NodePool, _ body: (inout PersistentTree<SourceRow>) -> Result
    ) -> Result {
        slots.edit(pool, body)
    }
}
