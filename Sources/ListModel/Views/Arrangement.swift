// What filters, sorts and groups rows: one function that says for a row whether and where it stands.
//
// Always holds: the function depends on nothing but the row. One that depends on something else, a clock or a setting,
// has to be replaced when that changes: a row is asked about once, and again when it changes.

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
        /// Those of the source, in its order.
        case source
        /// One, with all rows.
        case one(ViewGroup)
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
    /// Which components of ``RowPlacement/key`` are in descending order. What is not said is ascending.
    public var descending: [Bool]
    /// Where a row stands; nil if it is left out.
    public var place: @Sendable (ListItem) throws -> RowPlacement?

    /// An arrangement.
    ///
    /// - Parameters:
    ///   - sections: which sections there are.
    ///   - hidesEmptySections: whether sections without rows are left out.
    ///   - isSearchable: whether a search leaves out rows.
    ///   - descending: which components of sort keys are in descending order.
    ///   - place: where a row stands; nil to leave it out. What it throws is reported as a ``ViewError``.
    public init(
        sections: Sections = .source, hidesEmptySections: Bool = false, isSearchable: Bool = false,
        descending: [Bool] = [],
        place: @escaping @Sendable (ListItem) throws -> RowPlacement?
    ) {
        self.sections = sections
        self.hidesEmptySections = hidesEmptySections
        self.isSearchable = isSearchable
        self.descending = descending
        self.place = place
    }
}

/// Where a row of a derived view stands.
public struct RowPlacement: Sendable {
    /// What it is sorted by. Rows of equal keys stand in the order of the source, and so do all if no row has a key.
    public var key: ViewKey
    /// The section it stands in. Needed in a view of groups, where a row without one is left out; without meaning elsewhere.
    public var group: ViewGroup?
    /// What a search looks into.
    public var text: SearchText

    /// A placement.
    public init(key: ViewKey = .absent, group: ViewGroup? = nil, text: SearchText = SearchText()) {
        self.key = key
        self.group = group
        self.text = text
    }
}
