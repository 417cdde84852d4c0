// Selections and destinations of edits, by index path or by id. All are resolved to index paths before anything is
// changed.

/// The rows to edit.
public enum ItemSelection: Hashable, Sendable {
    /// The row of an id.
    case item(UntypedID)
    /// The rows of these ids, in the order of the list.
    case items([UntypedID])
    /// The row at an index path.
    case at(ListIndexPath)
    /// `count` consecutive rows, the first of them at the path.
    case run(ListIndexPath, count: Int)
}

/// The destination of an insertion or a move of rows.
///
/// For a move, an index counts the rows of the section without the moved ones: moving the first row of three to index 2
/// makes it the last.
public enum ItemDestination: Hashable, Sendable {
    /// At an index path.
    case at(ListIndexPath)
    /// At an index in the section of an id.
    case section(UntypedID, at: Int)
    /// After the last row of the section of an id.
    case end(ofSection: UntypedID)
    /// Directly before the row of an id.
    case before(UntypedID)
    /// Directly after the row of an id.
    case after(UntypedID)
}

/// The destination of an insertion or a move in an outline, relative to a section, a parent or a sibling.
public enum OutlineDestination: Hashable, Sendable {
    /// After the last row of the section of an id, without a parent.
    case root(ofSection: UntypedID)
    /// After the last child of the row of an id, and after all rows below that child.
    case lastChild(of: UntypedID)
    /// Before the first child of the row of an id.
    case firstChild(of: UntypedID)
    /// Directly before the row of an id, as its sibling.
    case before(UntypedID)
    /// After the row of an id and all rows below it, as its sibling.
    case after(UntypedID)
}

/// The section to edit.
public enum SectionSelection: Hashable, Sendable {
    /// The section of an id.
    case section(UntypedID)
    /// The section at an index.
    case at(Int)
}

/// The destination of an insertion or a move of a section.
///
/// For a move, an index counts the sections without the moved one.
public enum SectionDestination: Hashable, Sendable {
    /// At an index.
    case at(Int)
    /// After the last section.
    case end
    /// Directly before the section of an id.
    case before(UntypedID)
    /// Directly after the section of an id.
    case after(UntypedID)
}

/// A row to insert.
public struct NewRow: Hashable, Sendable {
    /// The identity of the row.
    public var id: UntypedID
    /// Whether it has a checkmark.
    public var isChecked: Bool
    /// Its content, opaque to the model.
    public var content: [UInt8]
    /// Its depth in an outline, from 0 to ``UntypedRow/maximumDepth``. For an ``OutlineDestination``, the depth is
    /// relative to that place.
    public var depth: Int
    /// Whether its children are hidden.
    public var isCollapsed: Bool

    /// A row with this content.
    public init(
        id: UntypedID, isChecked: Bool = false, content: [UInt8], depth: Int = 0, isCollapsed: Bool = false
    ) {
        self.id = id
        self.isChecked = isChecked
        self.content = content
        self.depth = depth
        self.isCollapsed = isCollapsed
    }

    /// Checks that a row can have its depth.
    ///
    /// - Throws: ``ListError/depthOutOfRange(_:depth:)``.
    func checkDepth() throws {
        guard UntypedRow.depths.contains(depth) else { throw ListError.depthOutOfRange(id, depth: depth) }
    }
}

/// A section to insert, with its rows.
public struct NewSection: Hashable, Sendable {
    /// The identity of the section.
    public var id: UntypedID
    /// The text of its header.
    public var title: String
    /// Its rows.
    public var items: [NewRow]

    /// A section with these rows.
    public init(id: UntypedID, title: String = "", items: [NewRow] = []) {
        self.id = id
        self.title = title
        self.items = items
    }
}
