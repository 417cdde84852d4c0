// Queries: which rows a view of a typed list shows, in which order and sections.
//
// The filters, sort keys, groups and search texts before a `prefix` form one stage; their order in the query does not
// matter, as in a query of a database. The parts after a `prefix` see only the rows that are left. `visibleRows` is a
// separate stage in the same way.
//
// Always holds: the functions run for a row in the order filters, group, keys, text, and stop when a filter returns
// false.

import ListModel

/// Which rows of a list a view shows, in which order and sections.
///
/// ```swift
/// let open = try store.view { list in
///     list.filter { !$0.isChecked }
///         .sorted(by: \.due)
///         .then(by: \.title, .descending)
///         .prefix(50)
/// }
/// ```
///
/// The functions must depend on nothing but the row. They run when a row is inserted or changes. If one depends on a
/// clock or a setting, set the query again when that changes.
public struct ListQuery<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The row that a function receives.
    public typealias Row = QueryRow<Item>

    let parts: [QueryPart<Item>]

    /// All rows, in the order of the list.
    public init() { parts = [] }

    init(_ parts: [QueryPart<Item>]) { self.parts = parts }

    /// The query with other rules in its last stage, or with a further stage of these rules if the last one is a
    /// `prefix` or `visibleRows`.
    func changing(_ body: (inout QueryRules<Item>) -> Void) -> ListQuery {
        var rules = QueryRules<Item>()
        var result = parts
        if case .arrange(let last)? = parts.last {
            rules = last
            result.removeLast()
        }
        body(&rules)
        return ListQuery(result + [.arrange(rules)])
    }

    /// The query of the same stages, whose sections have other identifiers.
    func withSections<Other: SectionIdentifier>(_ type: Other.Type) -> ListQuery<Other, Item> {
        ListQuery<Other, Item>(parts)
    }
}

/// A stage of the view that a query makes. It does not depend on the type of the query's sections, because grouping changes that.
enum QueryPart<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: RowIdentifier {
    case arrange(QueryRules<Item>)
    case visibleRows
    case first(Int)
    case firstOfEachSection(Int)
    case sections(Set<UntypedID>)
}

/// The parts of an arrangement.
struct QueryRules<Item: Codable & Identifiable & Sendable>: Sendable where Item.ID: RowIdentifier {
    typealias Row = QueryRow<Item>

    var filters: [@Sendable (Row) throws -> Bool] = []
    var keys: [@Sendable (Row) throws -> QueryKey] = []
    var descending: [Bool] = []
    var sections = Arrangement.Sections.source
    var group: (@Sendable (Row) throws -> QueryGroup)?
    /// The id of the group of a key, from an untyped id of the key: it is that of an equal one if there is one.
    var groupID: (@Sendable (UntypedID) -> UntypedID)?
    var hidesEmptySections = false
    var text: (@Sendable (Row) throws -> String)?
}

// MARK: - Which rows

extension ListQuery {
    /// Keeps the rows for which a function returns true.
    ///
    /// - Parameter isIncluded: a function of the row alone. If it throws, the view does not change, and the error is
    ///   reported as a ``QueryError``.
    public func filter(_ isIncluded: @escaping @Sendable (Row) throws -> Bool) -> ListQuery {
        changing { $0.filters.append(isIncluded) }
    }

    /// Makes the view searchable: ``LiveList/search(_:)`` then hides rows whose text does not contain all words.
    ///
    /// The view keeps the texts, so a search decodes nothing.
    ///
    /// - Parameter text: the text of a row to search in.
    public func searchable(in text: @escaping @Sendable (Row) throws -> String) -> ListQuery {
        changing { $0.text = text }
    }

    /// Makes the view searchable by a property of the items.
    public func searchable(in text: any KeyPath<Item, String> & Sendable) -> ListQuery {
        searchable { try $0.item?[keyPath: text] ?? "" }
    }

    /// Hides the rows below collapsed rows of outlines.
    ///
    /// ```swift
    /// list.visibleRows().filter { !$0.isChecked }     // of what is expanded, the open rows
    /// list.filter { !$0.isChecked }.visibleRows()     // an outline of the open rows alone
    /// ```
    ///
    /// Rows keep their depths from the list. The parts of the query before this one decide about parents: a row's
    /// parent is the nearest less deep row before it among the rows that are left. So a collapsed row that is checked
    /// hides its children in the first example, but not in the second. Sort and group after this part.
    public func visibleRows() -> ListQuery { ListQuery(parts + [.visibleRows]) }

    /// Keeps some sections, with all their rows: then each section of a store can be a list of its own.
    ///
    /// ```swift
    /// let today = try store.view { $0.sections(["today"]) }
    /// ```
    ///
    /// A row that moves into another section leaves the view. A section that is not there yet appears when it is inserted.
    ///
    /// - Parameter ids: the sections; of the store, or of the part of the query before, if that groups rows.
    /// - Complexity: a commit that changes no row of these sections costs O(log n), as long as no section comes, goes or moves.
    public func sections(_ ids: [SectionID]) -> ListQuery {
        var groupID: (@Sendable (UntypedID) -> UntypedID)?
        for case .arrange(let rules) in parts {
            if case .source = rules.sections { continue }
            groupID = rules.groupID
        }
        return ListQuery(parts + [.sections(Set(ids.map { groupID?($0.untypedID) ?? $0.untypedID }))])
    }

    /// Keeps the first rows over all sections, and leaves out the sections after the last of them. If there are no more rows than
    /// that, all sections are kept, also empty ones at the end.
    public func prefix(_ count: Int) -> ListQuery { ListQuery(parts + [.first(count)]) }

    /// Keeps the first rows of each section.
    public func prefixOfEachSection(_ count: Int) -> ListQuery { ListQuery(parts + [.firstOfEachSection(count)]) }
}

// MARK: - Stages

extension ListQuery {
    /// The query as stages over identifiers and bytes.
    ///
    /// - Parameters:
    ///   - source: where the contents of rows are read.
    ///   - coder: how they are decoded.
    public func stages(_ source: any CommitSource, _ coder: ContentCoder<Item>) -> [QueryStage] {
        let reader = RowReader(source: source, coder: coder)
        return parts.map { part in
            switch part {
            case .visibleRows: .visibleRows
            case .first(let count): .first(count)
            case .firstOfEachSection(let count): .firstOfEachSection(count)
            case .sections(let ids): .sections(ids)
            case .arrange(let rules): .arrange(ListQuery.arrangement(rules, reader))
            }
        }
    }

    private static func arrangement(_ rules: QueryRules<Item>, _ reader: RowReader<Item>) -> Arrangement {
        Arrangement(
            sections: rules.sections, hidesEmptySections: rules.hidesEmptySections,
            isSearchable: rules.text != nil, descending: rules.descending, filterCount: rules.filters.count,
            failedFilter: { item in
                let row = QueryRow(item, reader)
                return try rules.filters.firstIndex { try !$0(row) }
            }
        ) { item in
            let row = QueryRow(item, reader)
            for filter in rules.filters where try !filter(row) { return nil }
            var placement = RowPlacement()
            placement.group = try rules.group?(row)
            if rules.keys.count == 1 {
                placement.key = try rules.keys[0](row)
            } else if rules.keys.count > 1 {
                placement.key = .several(try rules.keys.map { try $0(row) })
            }
            if let text = rules.text { placement.text = SearchText(try text(row)) }
            return placement
        }
    }
}
