// What snapshots, sections and rows look like for people: in `print`, in a debugger, in the message of a failed test.

import ListModel

extension ListSnapshot: CustomStringConvertible, CustomReflectable {
    /// The version, then the sections and rows, one a line; of a long list the first hundred rows.
    public var description: String {
        core.text(sections, \.header, { $0.rows.lazy.map(\.description) })
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["version": version, "sections": Array(sections)], displayStyle: .struct)
    }
}

extension ListSnapshot.Section: CustomStringConvertible, CustomReflectable {
    /// The id, the title and the number of rows.
    public var description: String { "\(header) (\(rows.count) rows)" }

    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "title": title, "rows": Array(rows)], displayStyle: .struct)
    }

    /// The id and the title, if there is one.
    fileprivate var header: String {
        title.isEmpty ? "\(id)" : "\(id): \(title)"
    }
}

extension ListRow: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The checkmark and the item, indented by the depth: `[x] Milk`.
    ///
    /// Of an item without a description of its own it is the title, name or text, or else its first string.
    public var description: String { line { checkbox, item in checkbox + Self.text(of: item) } }

    /// The checkmark, the id and the whole item.
    public var debugDescription: String {
        line { checkbox, item in "\(checkbox)\(core.id): \(String(reflecting: item))" }
    }

    public var customMirror: Mirror {
        return Mirror(
            self,
            children: [
                "id": id, "isChecked": isChecked, "depth": depth, "isCollapsed": isCollapsed,
                "item": item ?? "unreadable",
            ],
            displayStyle: .struct)
    }

    private func line(_ text: (_ checkbox: String, Item) -> String) -> String {
        let checkbox = String(repeating: "  ", count: depth) + (isChecked ? "[x] " : "[ ] ")
        switch content {
        case .success(let item): return text(checkbox, item)
        case .failure(let error): return "\(checkbox)\(core.id): unreadable: \(error)"
        }
    }

    private static func text(of item: Item) -> String {
        if let item = item as? any CustomStringConvertible { return item.description }
        let strings = Mirror(reflecting: item).children.compactMap { child in
            (child.value as? String).map { (label: child.label ?? "", value: $0) }
        }
        let names = ["title", "name", "text"]
        let best = names.lazy.compactMap { name in strings.first { $0.label == name } }.first ?? strings.first
        return best?.value ?? "\(item)"
    }
}

extension ListUpdate: CustomStringConvertible, CustomReflectable {
    /// The commit, and what it changed.
    public var description: String { "\(cause): \(changeset)" }

    public var customMirror: Mirror {
        Mirror(self, children: ["cause": cause, "changeset": changeset.description], displayStyle: .struct)
    }
}
