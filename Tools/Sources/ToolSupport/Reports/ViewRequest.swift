// A view of a list as a command line describes it: which sections, which rows, in which order, how many.
//
// Always holds: the parts apply in the order of the properties.

import ListModel
import Listory

/// The view that a command explains.
public struct ViewRequest: Sendable {
    /// Only these sections; empty for all.
    public var sections: [IdentifierText] = []
    /// Whether rows below collapsed rows are hidden.
    public var isOutline = false
    /// Whether checked rows are left out.
    public var isUnchecked = false
    /// The members of the contents that rows must have, each with its value as a text.
    public var filters: [(name: String, value: String)] = []
    /// The member of the contents by which rows are in sections.
    public var groupKey: String?
    /// The words that a row must have.
    public var words = ""
    /// The member of the contents by which rows are sorted.
    public var sortKey: String?
    /// Whether they are sorted backwards.
    public var isDescending = false
    /// How many rows are shown; nil for all.
    public var limit: Int?

    /// A view of all rows.
    public init() {}

    /// A member and its value, of a text like `due=3`; nil if there is no equals sign.
    public static func filter(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// The view of a store; nil if it shows the list as it is.
    ///
    /// - Parameter version: the version that has the sections; nil for the newest.
    /// - Throws: ``ToolError`` for a section that is not there.
    func live(in store: UntypedStore, at version: Version?) throws -> UntypedLiveList? {
        let stages = try stages(for: version.map { try store.snapshot(at: $0) } ?? store.snapshot, store.source)
        if stages.isEmpty { return nil }
        return try UntypedLiveList(of: store, stages, searchingFor: words)
    }

    private func stages(for rows: UntypedSnapshot, _ source: any CommitSource) throws -> [QueryStage] {
        var stages: [QueryStage] = []
        if !sections.isEmpty {
            stages.append(.sections(Set(try sections.flatMap { try ViewRequest.sections($0, of: rows) })))
        }
        if isOutline { stages.append(.visibleRows) }
        let arranges = isUnchecked || !filters.isEmpty || !words.isEmpty || groupKey != nil || sortKey != nil
        if arranges { stages.append(.arrange(arrangement(source))) }
        if let limit { stages.append(.first(limit)) }
        return stages
    }

    private static func sections(_ id: IdentifierText, of rows: UntypedSnapshot) throws -> [UntypedID] {
        let found = rows.sections.map(\.id).filter(id.means)
        if found.isEmpty {
            throw ToolError(.refused, "section: expected one of the list, found \"\(id.text.visible)\"")
        }
        return found
    }

    private func arrangement(_ source: any CommitSource) -> Arrangement {
        let request = self
        return Arrangement(
            sections: groupKey == nil ? .source : .groups, isSearchable: !words.isEmpty, descending: [isDescending],
            filterCount: filters.count + (isUnchecked ? 1 : 0),
            failedFilter: { row in try request.failedFilter(row, source) }
        ) { row in
            if try request.failedFilter(row, source) != nil { return nil }
            return try source.withShownContent(of: row.content) { content in
                var placement = RowPlacement()
                if let name = request.sortKey { placement.key = RowContent.sortKey(name, of: content) }
                if let name = request.groupKey { placement.group = RowContent.group(name, of: content) }
                if !request.words.isEmpty { placement.text = RowContent.searchText(content) }
                return placement
            }
        }
    }

    /// The first filter that a row does not pass: first whether it is checked, then the members.
    private func failedFilter(_ row: UntypedRow, _ source: any CommitSource) throws -> Int? {
        if isUnchecked && row.isChecked { return 0 }
        if filters.isEmpty { return nil }
        return try source.withShownContent(of: row.content) { content in
            filters.firstIndex { RowContent.text($0.name, of: content) != $0.value }
        }.map { $0 + (isUnchecked ? 1 : 0) }
    }
}
