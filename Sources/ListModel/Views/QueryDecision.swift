// Why a derived view shows a row where it does, or does not show it: what each part of the query decided.
//
// Always holds: no part is reached after one that stopped the row; the view shows the row exactly if none did.

/// What one part of a query decided about a row.
///
/// A stage that filters, groups, searches and sorts makes one decision for each of these. See ``DerivedView/decisions(aboutSource:)``.
public struct QueryDecision: Sendable {
    /// A part of a query, named as the functions of a query are.
    public enum Part: String, Hashable, Sendable {
        /// ``QueryStage/sections(_:)``.
        case sections
        /// ``QueryStage/visibleRows``.
        case visibleRows
        /// The filters of an ``Arrangement``.
        case filter
        /// Its groups, or the one section with all rows.
        case grouped
        /// The search.
        case search
        /// Its order.
        case sorted
        /// ``QueryStage/first(_:)``.
        case prefix
        /// ``QueryStage/firstOfEachSection(_:)``.
        case prefixOfEachSection
    }

    /// What a part of a query decided by.
    public enum Reason: Sendable {
        /// The section that the row was in.
        case section(UntypedID)
        /// The collapsed rows that the row is below, the outermost first.
        case collapsedAncestors([UntypedID])
        /// The index of the first filter that the row does not pass, of so many; nil if it passes all.
        case filter(failed: Int?, of: Int)
        /// The group whose section the row is put into; nil if the row has none.
        case group(QueryGroup?)
        /// The words that the row's text has and does not have, without case and marks.
        case words(found: [String], missing: [String])
        /// The row's sort key, and the rows between which it stands after this stage.
        case order(QueryKey, after: Neighbour?, before: Neighbour?)
        /// The number of the row among those that are counted, from 1, and how many of these are shown.
        case rank(Int, limit: Int)
    }

    /// A row next to another.
    public struct Neighbour: Sendable {
        /// The row.
        public let id: UntypedID
        /// Its sort key.
        public let key: QueryKey
    }

    /// The index of the stage.
    public let stage: Int
    /// The part of the query.
    public let part: Part
    /// Whether it let the row through; nil if an earlier part had stopped the row.
    public let isPassed: Bool?
    /// What it decided by; nil if an earlier part had stopped the row.
    public let reason: Reason?
}

extension QueryDecision: CustomStringConvertible {
    /// A sentence: `It does not pass the filter 2 of 3.`
    public var description: String {
        let isPassed = isPassed ?? false
        switch reason {
        case nil: return "\(part) is not reached."
        case .section(let id): return "Its section \(id) is \(isPassed ? "" : "not ")one of those that are shown."
        case .collapsedAncestors(let ids):
            if isPassed { return "No row that it is below is collapsed." }
            return
                "It is below \(QueryDecision.list(ids.map(\.description))), which \(ids.count == 1 ? "is" : "are") collapsed."
        case .filter(let failed, let count):
            if isPassed { return "It passes \(count == 1 ? "the filter" : "all \(count) filters")." }
            guard count > 1, let failed else { return "It does not pass the \(count > 1 ? "filters" : "filter")." }
            return "It does not pass the filter \(failed + 1) of \(count)."
        case .group(let group):
            guard let group else { return "It has no group." }
            return "Its section is \(group.id)\(group.title.isEmpty ? "" : ", \"\(group.title)\"")."
        case .words(let found, let missing):
            if isPassed { return "It has the words \(QueryDecision.quoted(found))." }
            return
                "It does not have \(QueryDecision.quoted(missing))\(found.isEmpty ? "" : ", only \(QueryDecision.quoted(found))")."
        case .order(let key, let after, let before):
            let neighbours = [after.map { "after \($0)" }, before.map { "before \($0)" }].compactMap { $0 }
            let place = neighbours.isEmpty ? "alone" : neighbours.joined(separator: ", ")
            if case .absent = key { return "It has no sort key: it stands \(place)." }
            return "Its sort key is \(key): it stands \(place)."
        case .rank(let rank, let limit):
            let shown = limit == .max ? "all" : "the first \(limit)"
            return "It is row \(rank)\(part == .prefix ? "" : " of its section"), and \(shown) are shown."
        }
    }

    private static func quoted(_ words: [String]) -> String { list(words.map { "\"\($0)\"" }) }

    private static func list(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words.last!
    }
}

extension QueryDecision.Neighbour: CustomStringConvertible {
    /// The id and the key, if there is one: `7 (3)`.
    public var description: String {
        if case .absent = key { return "\(id)" }
        return "\(id) (\(key))"
    }
}
