// The rule of a stage that filters, sorts and groups: one function that returns the place of a row, or nil to leave it
// out.
//
// The function must depend on nothing but the row. The stage calls it once for a row, and again when the row changes.
// If the function depends on a clock or a setting, replace the stage when that changes.

/// Which rows a derived view shows, in which order, in which sections.
///
/// ```swift
/// // Unchecked rows, the shortest content first, in the sections of the source.
/// let arrangement = Arrangement { item in
///     item.isChecked ? nil : RowPlacement(key: .integer(Int64(item.content.length)))
/// }
/// ```
public struct Arrangement: Sendable {
    /// Which sections the view has.
    public enum Sections: Sendable {
        /// The sections of the source, in its order.
        case source
        /// One section with all rows.
        case one(QueryGroup)
        /// One for each group that ``RowPlacement/group`` names; they appear with their first row and vanish with
        /// their last.
        case groups
    }

    /// Which sections there are.
    public var sections: Sections
    /// Whether sections without rows are left out. Groups without rows always are.
    public var hidesEmptySections: Bool
    /// Whether a search leaves out rows whose ``RowPlacement/text`` does not have the words.
    public var isSearchable: Bool
    /// Which components of ``RowPlacement/key`` are in descending order. The others are ascending.
    public var descending: [Bool]
    /// The place of a row; nil to leave it out.
    public var place: @Sendable (UntypedRow) throws -> RowPlacement?
    /// How many filters ``place`` applies.
    public var filterCount: Int
    /// The index of the first filter that a row does not pass; nil if it passes all. Only called to explain why a row is left out.
    public var failedFilter: @Sendable (UntypedRow) throws -> Int?

    /// An arrangement.
    ///
    /// - Parameters:
    ///   - sections: which sections there are.
    ///   - hidesEmptySections: whether sections without rows are left out.
    ///   - isSearchable: whether a search leaves out rows.
    ///   - descending: which components of sort keys are in descending order.
    ///   - filterCount: how many filters `place` applies.
    ///   - failedFilter: the index of the first of them that a row does not pass; nil for one filter, which is `place`.
    ///   - place: returns the place of a row, or nil to leave the row out. If it throws, the view throws a
    ///     ``QueryError`` with that error.
    public init(
        sections: Sections = .source, hidesEmptySections: Bool = false, isSearchable: Bool = false,
        descending: [Bool] = [], filterCount: Int = 1,
        failedFilter: (@Sendable (UntypedRow) throws -> Int?)? = nil,
        place: @escaping @Sendable (UntypedRow) throws -> RowPlacement?
    ) {
        self.sections = sections
        self.hidesEmptySections = hidesEmptySections
        self.isSearchable = isSearchable
        self.descending = descending
        self.place = place
        self.filterCount = filterCount
        self.failedFilter = failedFilter ?? { try place($0) == nil ? 0 : nil }
    }
}

/// Where a row of a derived view stands.
public struct RowPlacement: Sendable {
    /// The sort key. Rows of equal keys stand in the order of the source.
    public var key: QueryKey
    /// The section of the row. A view of groups leaves out a row without one; other views ignore it.
    public var group: QueryGroup?
    /// The text in which a search looks for its words.
    public var text: SearchText

    /// A placement.
    public init(key: QueryKey = .absent, group: QueryGroup? = nil, text: SearchText = SearchText()) {
        self.key = key
        self.group = group
        self.text = text
    }
}

/// A section in which a derived view collects rows.
public final class QueryGroup: Sendable {
    /// The identity of the section.
    public let id: UntypedID
    /// The text of its header.
    public let title: String
    /// The sort key of the section; sections of equal keys are sorted by their ids.
    public let order: QueryKey

    /// A section.
    ///
    /// - Parameters:
    ///   - id: its identity.
    ///   - title: the text of its header.
    ///   - order: the sort key of the section. Groups of the same id must have the same order and the same title.
    public init(id: UntypedID, title: String, order: QueryKey) {
        self.id = id
        self.title = title
        self.order = order
    }

    /// Compares two groups: less than 0 if this one comes first.
    func compare(_ other: QueryGroup) -> Int {
        let result = order.compare(other.order, descending: [])
        return result != 0 ? result : id.compare(other.id)
    }
}
