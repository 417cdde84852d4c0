// A row of a sequence: a header or an item.
//
// Always holds: two rows are equal if they show the same; their identities are equal if they are the same row.

/// A row of a sequence.
public enum SequenceRow: Equatable, Sendable {
    /// The header of a section.
    case header(id: Identifier, title: String)
    /// An item.
    case item(ListItem)

    /// Who it is: the same for as long as the row exists.
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

/// Who a row of a sequence is. Sections and items are told apart, because their ids need not be.
public enum RowIdentity: Hashable, Sendable {
    /// The header of the section with an id.
    case header(Identifier)
    /// The item with an id.
    case item(Identifier)
}
