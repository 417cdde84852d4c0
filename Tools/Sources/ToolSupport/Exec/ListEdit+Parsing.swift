// From the member of a request to the edit it asks for.
//
// Always holds: fields that contradict one another, or mean nothing together, are refused and not resolved by a rule
// that nobody knows.

import ListModel

extension ListEdit {
    /// The edit of a request.
    ///
    /// - Parameters:
    ///   - name: the name of the request.
    ///   - argument: what it is about.
    /// - Throws: ``RequestError``.
    init(_ name: String, _ argument: JSONValue) throws {
        switch name {
        case "insert": self = try ListEdit.insert(argument)
        case "delete":
            let fields = try RequestFields(argument, name, expected: "id", "ids", "path", "count")
            self = .delete(try fields.itemSelection())
        case "move":
            let fields = try RequestFields(
                argument, name,
                expected: "id", "ids", "path", "count", "section", "at", "before", "after", "to")
            self = .move(try fields.itemSelection(), to: try fields.itemDestination(path: "to"))
        case "toggle":
            let fields = try RequestFields(argument, name, expected: "id", "ids", "path", "count")
            self = .toggle(try fields.itemSelection())
        case "check":
            let fields = try RequestFields(argument, name, expected: "id", "ids", "path", "count", "checked")
            self = .check(try fields.itemSelection(), isChecked: try fields.bool("checked"))
        case "update":
            let fields = try RequestFields(argument, name, expected: "id", "path", "content")
            let content = RowContent.bytes(try fields.value("content", expected: "a content"))
            self =
                try fields.only(of: "id", "path") == "id"
                ? .update(fields.identifier("id"), content: content)
                : .updateAt(fields.indexPath("path"), content: content)
        case "reload":
            let fields = try RequestFields(argument, name, expected: "sections")
            self = .reload(
                try fields.array("sections", of: "sections").enumerated().map { index, value in
                    let path = "\(fields.path("sections"))[\(index)]"
                    return try RequestFields(value, path, expected: "id", "title", "items").newSection()
                })
        case "insertSection", "deleteSection", "moveSection", "renameSection":
            self = try ListEdit.section(name, argument)
        default:
            throw RequestError(
                .unknownRequest,
                "expected one of \(ExecRequest.names.joined(separator: ", ")), found \"\(name.visible)\"")
        }
    }

    private static func section(_ name: String, _ argument: JSONValue) throws -> ListEdit {
        switch name {
        case "insertSection":
            let fields = try RequestFields(
                argument, name, expected: "id", "title", "items", "at", "before", "after")
            return .insertSection(try fields.newSection(), at: try fields.sectionDestination())
        case "deleteSection":
            if let id = argument.identifier { return .deleteSection(id) }
            return .deleteSection(try RequestFields(argument, name, expected: "id").identifier("id"))
        case "moveSection":
            let fields = try RequestFields(argument, name, expected: "id", "at", "before", "after")
            return .moveSection(try fields.identifier("id"), to: try fields.sectionDestination())
        default:
            let fields = try RequestFields(argument, name, expected: "id", "title")
            return .renameSection(try fields.identifier("id"), title: try fields.text("title"))
        }
    }

    private static func insert(_ argument: JSONValue) throws -> ListEdit {
        let fields = try RequestFields(
            argument, "insert",
            expected: "id", "content", "checked", "items", "section", "at", "before", "after", "path")
        guard fields.has("items") else {
            return .insert([try fields.newItem()], at: try fields.itemDestination(path: "path"))
        }
        for field in ["id", "content", "checked"] where fields.has(field) {
            throw RequestError(.invalidRequest, "\(fields.path(field)): expected inside of items")
        }
        return .insert(try fields.newItems(), at: try fields.itemDestination(path: "path"))
    }
}

extension RequestFields {
    /// The rows of `id`, `ids`, or `path` and `count`.
    fileprivate func itemSelection() throws -> ItemSelection {
        try require("path", with: "count")
        switch try only(of: "id", "ids", "path") {
        case "id": return .item(try identifier("id"))
        case "ids": return .items(try identifiers("ids"))
        default:
            let path = try indexPath("path")
            guard has("count") else { return .at(path) }
            let count = try index("count")
            guard count >= 0 else {
                throw RequestError.field(self.path("count"), expected: "at least 0", found: .integer(Int64(count)))
            }
            return .run(path, count: count)
        }
    }

    /// The place of `section` and `at`, `before`, `after`, or a field that holds an index path.
    fileprivate func itemDestination(path: String) throws -> ItemDestination {
        try require("section", with: "at")
        switch try only(of: "section", "before", "after", path) {
        case "section":
            let section = try identifier("section")
            return has("at") ? .section(section, at: try index("at")) : .end(ofSection: section)
        case "before": return .before(try identifier("before"))
        case "after": return .after(try identifier("after"))
        default: return .at(try indexPath(path))
        }
    }

    /// The place of `at`, `before` or `after`; the end without any of them.
    fileprivate func sectionDestination() throws -> SectionDestination {
        guard has("at") || has("before") || has("after") else { return .end }
        switch try only(of: "at", "before", "after") {
        case "at": return .at(try index("at"))
        case "before": return .before(try identifier("before"))
        default: return .after(try identifier("after"))
        }
    }

    fileprivate func newItem() throws -> NewItem {
        NewItem(
            id: try identifier("id"), isChecked: has("checked") ? try bool("checked") : false,
            content: RowContent.bytes(try value("content", expected: "a content")))
    }

    fileprivate func newItems() throws -> [NewItem] {
        try array("items", of: "rows").enumerated().map { index, value in
            try RequestFields(value, "\(path("items"))[\(index)]", expected: "id", "content", "checked").newItem()
        }
    }

    fileprivate func newSection() throws -> NewSection {
        NewSection(
            id: try identifier("id"), title: has("title") ? try text("title") : "",
            items: has("items") ? try newItems() : [])
    }
}
