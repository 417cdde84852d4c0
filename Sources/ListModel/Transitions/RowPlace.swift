// The meaning of an offset of a sequence: a header or a row of a section. It is valid for one particular snapshot.

/// The header or row at an offset of a sequence.
public enum RowPlace: Hashable, Sendable {
    /// The header of the section at an index.
    case header(section: Int)
    /// The row at an index path.
    case item(ListIndexPath)
}
