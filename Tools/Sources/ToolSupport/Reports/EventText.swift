// Describes events as text, for the log.
//
// Always holds: the text says what happened, where and to which row.

import ListModel

/// Describes events.
public struct EventText {
    let source: any CommitSource

    /// Describes events whose contents are read from a source.
    public init(source: any CommitSource) { self.source = source }

    /// The lines about an event.
    public func lines(_ event: ListEvent) throws -> [String] {
        switch event {
        case .itemsInserted(let path, let items): try rows("inserted", path, items)
        case .itemsDeleted(let path, let items): try rows("deleted", path, items)
        case .itemsMoved(let from, let to, let ids):
            ["moved \(from) to \(to): id \(ids.map(\.description).joined(separator: ", "))".shown]
        case .itemToggled(let path, let id, let isChecked):
            ["\(isChecked ? "checked" : "unchecked") \(path): id \(id)".shown]
        case .itemUpdated(let path, let id, let old, let new):
            ["updated \(path): \(try source.title(of: old)) → \(try source.title(of: new)) (id \("\(id)".shown))"]
        case .itemsIndented(let path, let ids, let change):
            [
                "\(change > 0 ? "indented" : "outdented") \(path) by \(abs(change)): id "
                    + ids.map(\.description).joined(separator: ", ").shown
            ]
        case .itemCollapsed(let path, let id, let isCollapsed):
            ["\(isCollapsed ? "collapsed" : "expanded") \(path): id \(id)".shown]
        case .sectionInserted(let index, let section): ["inserted section \(index): \(EventText.text(section))"]
        case .sectionDeleted(let index, let section): ["deleted section \(index): \(EventText.text(section))"]
        case .sectionMoved(let from, let to, let id): ["moved section \(from) to \(to): id \(id)".shown]
        case .sectionRenamed(let index, let id, let old, let new):
            ["renamed section \(index): \"\(old)\" → \"\(new)\" (id \(id))".shown]
        case .listReloaded(let old, let new):
            ["replaced everything: \(EventText.size(old)) → \(EventText.size(new))"]
        case .annotated(let name, let value):
            ["annotated \"\(name)\": \(value.withUnsafeBytes { RowContent.title($0) })".shown]
        case .unrecognised(let kind, let payload):
            ["event of the unknown kind \(kind), \(EventText.count(payload.count, "byte")): written by a newer version"]
        }
    }

    private func rows(_ verb: String, _ first: ListIndexPath, _ items: ListRun<UntypedRow>) throws -> [String] {
        try items.enumerated().map { index, item in
            let path = ListIndexPath(section: first.section, item: first.item + index)
            return "\(verb) \(path): \(try source.title(of: item.content)) (id \(item.id.description.shown))"
        }
    }

    private static func text(_ section: ListSection) -> String {
        "\"\(section.title)\" (id \(section.id), \(count(section.items.count, "row")))".shown
    }

    private static func size(_ sections: [ListSection]) -> String {
        let rows = sections.reduce(0) { $0 + $1.items.count }
        return "\(count(sections.count, "section")) with \(count(rows, "row"))"
    }

    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
