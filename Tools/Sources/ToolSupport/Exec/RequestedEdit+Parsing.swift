// Parses the edit of a request.
//
// Always holds: fields that contradict one another, or have no meaning together, are refused; no hidden rule chooses
// between them.

import ListModel

extension RequestedEdit {
    /// The edit of a request.
    ///
    /// - Parameters:
    ///   - name: the name of the request.
    ///   - argument: its value.
    /// - Throws: ``RequestError``.
    init(_ name: String, _ argument: JSONValue) throws {
        switch name {
        case "insert": self = try RequestedEdit.insert(argument)
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
        case "reload", "apply":
            let fields = try RequestFields(argument, name, expected: "sections")
            let sections = try fields.array("sections", of: "sections").enumerated().map { index, value in
                let path = "\(fields.path("sections"))[\(index)]"
                return try RequestFields(value, path, expected: "id", "title", "items").newSection()
            }
            self = name == "reload" ? .reload(sections) : .applyRows(sections)
        case "moveSubtree", "deleteSubtree", "indent", "outdent", "changeDepth", "collapse", "expand":
            self = try RequestedEdit.outline(name, argument)
        case "insertSection", "deleteSection", "moveSection", "renameSection":
            self = try RequestedEdit.section(name, argument)
        default:
            throw RequestError(
                .unknownRequest,
                "expected one of \(ExecRequest.names.joined(separator: ", ")), found \"\(name.visible)\"")
        }
    }

    private static func section(_ name: String, _ argument: JSONValue) throws -> RequestedEdit {
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

    private static func insert(_ argument: JSONValue) throws -> RequestedEdit {
        let fields = try RequestFields(
            argument, "insert",
            expected: "id", "content", "checked", "depth", "collapsed", "items", "section", "at", "before", "after",
            "path", "outline")
        let items: [NewRow]
        if fields.has("items") {
            for field in ["id", "content", "checked", "depth", "collapsed"] where fields.has(field) {
                throw RequestError(.invalidRequest, "\(fields.path(field)): expected inside of items")
            }
            items = try fields.newItems()
        } else {
            items = [try fields.newItem()]
        }
        guard fields.has("outline") else {
            return .insert(items, at: try fields.itemDestination(path: "path"))
        }
        for field in ["section", "at", "before", "after", "path"] where fields.has(field) {
            throw RequestError(.invalidRequest, "\(fields.path(field)): expected inside of outline")
        }
        return .insertInOutline(items, at: try fields.outlineDestination("outline"))
    }

    private static func outline(_ name: String, _ argument: JSONValue) throws -> RequestedEdit {
        switch name {
        case "moveSubtree":
            let fields = try RequestFields(argument, name, expected: "id", "outline")
            return .moveSubtree(try fields.identifier("id"), to: try fields.outlineDestination("outline"))
        case "deleteSubtree":
            let fields = try RequestFields(argument, name, expected: "id", "ids")
            let isOne = try fields.only(of: "id", "ids") == "id"
            return .deleteSubtrees(try isOne ? [fields.identifier("id")] : fields.identifiers("ids"))
        case "indent": return .indent(try RequestFields(argument, name, expected: "id").identifier("id"))
        case "outdent": return .outdent(try RequestFields(argument, name, expected: "id").identifier("id"))
        case "changeDepth":
            let fields = try RequestFields(argument, name, expected: "id", "ids", "path", "count", "by")
            return .changeDepth(try fields.itemSelection(), by: try fields.index("by"))
        default:
            let fields = try RequestFields(argument, name, expected: "id", "recursively")
            let recursively = fields.has("recursively") ? try fields.bool("recursively") : false
            return .setCollapsed(name == "collapse", for: try fields.identifier("id"), recursively: recursively)
        }
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

    /// The place in an outline of `root`, `firstChild`, `lastChild`, `before` or `after` in an object.
    fileprivate func outlineDestination(_ field: String) throws -> OutlineDestination {
        let value = try value(field, expected: "a place in an outline")
        let fields = try RequestFields(
            value, path(field), expected: "root", "firstChild", "lastChild", "before", "after")
        let name = try fields.only(of: "root", "firstChild", "lastChild", "before", "after")
        let id = try fields.identifier(name)
        return switch name {
        case "root": .root(ofSection: id)
        case "firstChild": .firstChild(of: id)
        case "lastChild": .lastChild(of: id)
        case "before": .before(id)
        default: .after(id)
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

    fileprivate func newItem() throws -> NewRow {
        NewRow(
            id: try identifier("id"), isChecked: has("checked") ? try bool("checked") : false,
            content: RowContent.bytes(try value("content", expected: "a content")),
            depth: has("depth") ? try index("depth") : 0,
            isCollapsed: has("collapsed") ? try bool("collapsed") : false)
    }

    fileprivate func newItems() throws -> [NewRow] {
        try array("items", of: "rows").enumerated().map { index, value in
            try RequestFields(
                value, "\(path("items"))[\(index)]", expected: "id", "content", "checked", "depth", "collapsed"
            ).newItem()
        }
    }

    fileprivate func newSection() throws -> NewSection {
        NewSection(
            id: try identifier("id"), title: has("title") ? try text("title") : "",
            items: has("items") ? try newItems() : [])
    }
}
