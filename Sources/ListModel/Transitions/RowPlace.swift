// What an offset of a sequence means in sections. Always means a position in one particular snapshot.

/// What stands at an offset of a sequence of rows.
public enum RowPlace: Hashable, Sendable {
    /// The header of the section at an index.
    case header(section: Int)
    /// The row at an index path.
    case item(ListIndexPath)
}
