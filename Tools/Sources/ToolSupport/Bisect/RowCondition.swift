// A condition on the rows of a version: `count > 10`, `section done contains "Milk" and not row 7 checked`.
//
// Always holds: a condition that was parsed has an answer for every list; a row or section that is not there fulfils none,
// and has 0 rows.

import ListModel

/// A condition on counts and contents.
public indirect enum RowCondition: Hashable, Sendable {
    /// How two numbers are compared.
    public enum Comparison: String, CaseIterable, Sendable {
        case equal = "="
        case unequal = "!="
        case less = "<"
        case atMost = "<="
        case more = ">"
        case atLeast = ">="
    }

    /// Words that are looked for, and their text.
    public struct Words: Hashable, Sendable {
        let text: String
        let words: SearchWords

        init(_ text: String) { (self.text, words) = (text, SearchWords(text)) }
    }

    /// The number of rows in all sections or in one.
    case rowCount(section: IdentifierText?, Comparison, Int)
    /// The number of sections.
    case sectionCount(Comparison, Int)
    /// A section is there.
    case sectionExists(IdentifierText)
    /// The words are in a content, anywhere or in a section.
    case contains(section: IdentifierText?, Words)
    /// A row is there.
    case rowExists(IdentifierText)
    /// A row is checked.
    case rowIsChecked(IdentifierText)
    /// The words are in the content of a row.
    case rowContains(IdentifierText, Words)
    /// A row is in a section.
    case rowIsIn(IdentifierText, section: IdentifierText)
    case not(RowCondition)
    case and(RowCondition, RowCondition)
    case or(RowCondition, RowCondition)

    /// All words that are looked for.
    var words: [Words] {
        switch self {
        case .contains(_, let words), .rowContains(_, let words): [words]
        case .not(let other): other.words
        case .and(let one, let other), .or(let one, let other): one.words + other.words
        case .rowCount, .sectionCount, .sectionExists, .rowExists, .rowIsChecked, .rowIsIn: []
        }
    }

    /// The form, for help and error messages.
    public static let forms = [
        "count > 10", "sections = 0", "section ID count < 5", "section ID exists", "contains \"TEXT\"",
        "section ID contains \"TEXT\"", "row ID exists", "row ID checked", "row ID contains \"TEXT\"",
        "row ID in SECTION",
    ]
}

/// Answers conditions, and remembers where it found nothing: most rows are the same in many versions.
public struct ConditionReader {
    let source: any CommitSource
    private var searches: [RowCondition.Words: RepeatedSearch] = [:]

    /// A reader of the contents of a store.
    public init(_ source: any CommitSource) { self.source = source }

    /// Whether a list fulfils a condition.
    ///
    /// - Complexity: O(1) for counts, O(rows) for contents and rows.
    public mutating func holds(_ condition: RowCondition, for rows: UntypedSnapshot) throws -> Bool {
        func section(_ id: IdentifierText) -> UntypedSection? { rows.sections.first { id.means($0.id) } }
        func path(_ id: IdentifierText) -> ListIndexPath? { id.first { rows.indexPath(of: $0) } }
        func row(_ id: IdentifierText) -> UntypedRow? { path(id).flatMap { rows.item(at: $0) } }
        switch condition {
        case .rowCount(let id, let comparison, let number):
            let count = id.map { section($0)?.items.count ?? 0 } ?? rows.itemCount
            return comparison.holds(count, number)
        case .sectionCount(let comparison, let number): return comparison.holds(rows.sectionCount, number)
        case .sectionExists(let id): return section(id) != nil
        case .contains(let id, let words):
            for section in rows.sections where id?.means(section.id) ?? true {
                if try has(words, section.items) { return true }
            }
            return false
        case .rowExists(let id): return path(id) != nil
        case .rowIsChecked(let id): return row(id)?.isChecked ?? false
        case .rowContains(let id, let words):
            return try row(id).map { try source.withShownContent(of: $0.content, words.words.match) } ?? false
        case .rowIsIn(let id, let section): return path(id).map { section.means(rows.sections[$0.section].id) } ?? false
        case .not(let other): return try !holds(other, for: rows)
        case .and(let one, let other): return try holds(one, for: rows) && holds(other, for: rows)
        case .or(let one, let other): return try holds(one, for: rows) || holds(other, for: rows)
        }
    }

    private mutating func has(_ words: RowCondition.Words, _ rows: ItemCollection) throws -> Bool {
        try searches[words, default: RepeatedSearch()].hasMatch(in: rows) { [source] in
            try source.withShownContent(of: $0, words.words.match)
        }
    }
}

extension RowCondition.Comparison {
    fileprivate func holds(_ one: Int, _ other: Int) -> Bool {
        switch self {
        case .equal: one == other
        case .unequal: one != other
        case .less: one < other
        case .atMost: one <= other
        case .more: one > other
        case .atLeast: one >= other
        }
    }
}
