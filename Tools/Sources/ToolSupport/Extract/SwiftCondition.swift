// A condition as Swift source.
//
// Always holds: the expression has the same answer for the rows of the test as the condition has.

import ListModel

/// Writes conditions on the rows of a list as expressions of `rows` and `store`.
struct SwiftCondition {
    private let list: ShortList

    init(_ list: ShortList) { self.list = list }

    /// The expression.
    func expression(_ condition: RowCondition) -> String {
        let expression = untried(condition)
        return expression.contains("has(") ? "try \(expression)" : expression
    }

    private func untried(_ condition: RowCondition) -> String {
        switch condition {
        case .rowCount(nil, let comparison, let number): "rows.itemCount \(comparison.swift) \(number)"
        case .rowCount(let id?, let comparison, let number):
            "(rows.sections.first { $0.id == \(section(id)) }?.items.count ?? 0) \(comparison.swift) \(number)"
        case .sectionCount(let comparison, let number): "rows.sectionCount \(comparison.swift) \(number)"
        case .sectionExists(let id): "rows.sections.contains { $0.id == \(section(id)) }"
        case .contains(let id, let words):
            "rows.sections.contains { "
                + (id.map { "try $0.id == \(section($0)) && " } ?? "try ")
                + "$0.items.contains { try \(has(words)) } }"
        case .rowExists(let id): "rows.indexPath(of: \(row(id))) != nil"
        case .rowIsChecked(let id): "(\(item(id))?.isChecked ?? false)"
        case .rowContains(let id, let words): "(\(item(id)).map { try \(has(words)) } ?? false)"
        case .rowIsIn(let id, let place):
            "(rows.indexPath(of: \(row(id))).map { rows.sections[$0.section].id == \(section(place)) } ?? false)"
        case .not(let other): "!(\(untried(other)))"
        case .and(let one, let other): "(\(untried(one))) && (\(untried(other)))"
        case .or(let one, let other): "(\(untried(one))) || (\(untried(other)))"
        }
    }

    private func has(_ words: RowCondition.Words) -> String {
        "has(\(SwiftText.literal(words.text)), $0, store.source)"
    }

    private func item(_ id: IdentifierText) -> String {
        "rows.indexPath(of: \(row(id))).flatMap { rows.item(at: $0) }"
    }

    /// The id that is meant: one that is in the list.
    private func section(_ text: IdentifierText) -> String {
        SwiftText.id(
            text.first { id in [list.end, list.start].contains { $0.sections.contains { $0.id == id } } ? id : nil }
                ?? text.ids[0])
    }

    private func row(_ text: IdentifierText) -> String {
        SwiftText.id(
            text.first { id in [list.end, list.start].contains { $0.indexPath(of: id) != nil } ? id : nil }
                ?? text.ids[0])
    }
}

extension RowCondition.Comparison {
    fileprivate var swift: String { self == .equal ? "==" : rawValue }
}
