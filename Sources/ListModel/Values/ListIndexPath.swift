// The position of a row: a section index and a row index. An index path is valid for one particular snapshot.

/// The position of a row: the index of its section and its index in that section, both from 0.
public struct ListIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The index of the section among all sections.
    public var section: Int
    /// The index of the row among the rows of its section.
    public var item: Int

    /// The row `item` of the section `section`.
    @inline(__always)
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    public static func < (left: ListIndexPath, right: ListIndexPath) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }

    public var description: String { "[\(section), \(item)]" }
}
