// What a derived view knows of the rows and sections of its source, in the order of the source.
//
// Always holds: a source section has as many slots as rows, in the same order; labels ascend along a section.

/// What a view made of a row: its key, shared by rows that have no key of their own.
final class RowKey: Sendable {
    /// What the row is sorted by.
    let key: ViewKey
    /// The group it named; another object may stand for that group in the view.
    let group: ViewGroup?
    /// What is searched in.
    let text: SearchText

    init(_ placement: RowPlacement) {
        key = placement.key
        group = placement.group
        text = placement.text
    }

    /// The key of rows that have none.
    static let plain = RowKey(RowPlacement())

    /// The key of a placement.
    static func make(_ placement: RowPlacement) -> RowKey {
        if case .absent = placement.key, placement.group == nil, placement.text.folded.isEmpty { return plain }
        return RowKey(placement)
    }
}

/// What a view knows of a row of its source.
struct RowSlot: MemoryElement {
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

/// What a view knows of a section of its source.
struct SourceSection: MemoryElement {
    /// By which rows refer to the section, whatever becomes of its place.
    let number: UInt32
    /// Its id and its title.
    var group: ViewGroup
    /// A slot for each row.
    private(set) var slots: TreeChild<RowSlot>

    init(number: UInt32, group: ViewGroup, slots: TreeChild<RowSlot> = .empty) {
        self.number = number
        self.group = group
        self.slots = slots
    }

    /// The tree of the slots.
    func slots(_ store: NodeStore) -> PersistentTree<RowSlot> { PersistentTree(slots, store) }

    /// Changes the slots.
    mutating func editSlots<Result>(
        _ store: NodeStore, _ body: (inout PersistentTree<RowSlot>) -> Result
    ) -> Result {
        slots.edit(store, body)
    }
}
