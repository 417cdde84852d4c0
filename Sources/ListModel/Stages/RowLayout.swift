// How sections lie in one sequence, for views that have no sections.

/// How the sections of a list lie in one sequence of rows.
public enum RowLayout: Hashable, Sendable, CaseIterable {
    /// The rows of all sections, one after another.
    case rows
    /// Before the rows of each section a row for its header, also if the section has no rows.
    case rowsWithHeaders
}

/// What stands at an offset of a sequence of rows.
public enum RowPlace: Hashable, Sendable {
    /// The header of the section at an index.
    case header(section: Int)
    /// The row at an index path.
    case item(ListIndexPath)
}

/// Who a row of a sequence is. Sections and items are told apart, because their ids need not be.
public enum RowIdentity: Hashable, Sendable {
    /// The header of the section with an id.
    case header(Identifier)
    /// The item with an id.
    case item(Identifier)
}

/// A row of a sequence.
public enum ListRow: Equatable, Sendable {
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

    public static func == (left: ListRow, right: ListRow) -> Bool {
        switch (left, right) {
        case (.item(let left), .item(let right)): left == right
        case (.header(let leftID, let left), .header(let rightID, let right)):
            leftID == rightID && left.hasSameBytes(as: right)
        default: false
        }
    }
}
