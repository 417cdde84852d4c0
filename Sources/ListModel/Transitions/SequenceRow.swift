// A row of a sequence: a header or an item.
//
// Always holds: two rows are equal if everything that they show is equal; two identities are equal if they belong to
// the same row.

/// A row of a sequence.
public enum SequenceRow: Equatable, Sendable {
    /// The header of a section.
    case header(id: Identifier, title: String)
    /// An item.
    case item(ListItem)

    /// The identity of the row, which never changes.
    public var identity: RowIdentity {
        switch self {
        case .header(let id, _): .header(id)
        case .item(let item): .item(item.id)
        }
    }

    public static func == (left: SequenceRow, right: SequenceRow) -> Bool {
        switch (left, right) {
        case (.item(let left), .item(let right)): left == right
        case (.header(let leftID, let left), .header(let rightID, let right)):
            leftID == rightID && left.hasSameBytes(as: right)
        default: false
        }
    }
}

/// The identity of a row of a sequence. Sections and items are different cases, because a section and an item may have
/// the same id.
public enum RowIdentity: Hashable, Sendable {
    /// The header of the section with an id.
    case header(Identifier)
    /// The item with an id.
    case item(Identifier)
}
