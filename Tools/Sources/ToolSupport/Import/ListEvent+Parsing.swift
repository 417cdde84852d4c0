// Reads an event from JSON, as `export` writes it (`JSONWriter+Event.swift`).
//
// Always holds: what an event says of rows and contents that go is checked for its form only: the list knows them.

import ListModel

extension ListEvent {
    /// An event from its value.
    ///
    /// - Parameter content: makes a content of its value.
    /// - Throws: ``RequestError``.
    init(_ value: JSONValue, _ content: (JSONValue) -> ContentReference) throws {
        guard let members = value.members, members.count == 1, let (name, argument) = members.first else {
            throw RequestError.field("event", expected: "an object with one member, the event", found: value)
        }
        func fields(_ names: String...) throws -> RequestFields {
            try RequestFields(argument, name, allowing: names)
        }
        func rows(_ fields: RequestFields) throws -> ListRun<UntypedRow> {
            let rows = try fields.rows("items", content)
            guard let run = ListRun(rows) else {
                throw RequestError.field(fields.path("items"), expected: "at least one row", found: .array([]))
            }
            return run
        }
        func ids(_ fields: RequestFields) throws -> ListRun<UntypedID> {
            guard let run = ListRun(try fields.identifiers("ids")) else {
                throw RequestError.field(fields.path("ids"), expected: "at least one id", found: .array([]))
            }
            return run
        }
        switch name {
        case "itemsInserted":
            let fields = try fields("at", "items")
            self = .itemsInserted(at: try fields.place("at"), try rows(fields))
        case "itemsDeleted":
            let fields = try fields("at", "items")
            self = .itemsDeleted(at: try fields.place("at"), try rows(fields))
        case "itemsMoved":
            let fields = try fields("from", "to", "ids")
            self = .itemsMoved(from: try fields.place("from"), to: try fields.place("to"), try ids(fields))
        case "itemToggled":
            let fields = try fields("at", "id", "checked")
            self = .itemToggled(
                at: try fields.place("at"), try fields.identifier("id"), isChecked: try fields.bool("checked"))
        case "itemUpdated":
            let fields = try fields("at", "id", "old", "new")
            self = .itemUpdated(
                at: try fields.place("at"), try fields.identifier("id"), old: content(.null),
                new: content(try fields.value("new", expected: "a content")))
        case "itemsIndented":
            let fields = try fields("at", "by", "ids")
            self = .itemsIndented(at: try fields.place("at"), try ids(fields), by: try fields.depthChange("by"))
        case "itemCollapsed":
            let fields = try fields("at", "id", "collapsed")
            self = .itemCollapsed(
                at: try fields.place("at"), try fields.identifier("id"), isCollapsed: try fields.bool("collapsed"))
        case "sectionInserted":
            let fields = try fields("at", "section")
            self = .sectionInserted(at: try fields.natural("at"), try fields.section("section", content))
        case "sectionDeleted":
            let fields = try fields("at", "section")
            self = .sectionDeleted(at: try fields.natural("at"), try fields.section("section", content))
        case "sectionMoved":
            let fields = try fields("from", "to", "id")
            self = .sectionMoved(
                from: try fields.natural("from"), to: try fields.natural("to"), try fields.identifier("id"))
        case "sectionRenamed":
            let fields = try fields("at", "id", "old", "new")
            self = .sectionRenamed(
                at: try fields.natural("at"), try fields.identifier("id"), old: try fields.text("old"),
                new: try fields.text("new"))
        case "listReloaded":
            let fields = try fields("old", "new")
            self = .listReloaded(old: try fields.sections("old", content), new: try fields.sections("new", content))
        case "annotated":
            let fields = try fields("name", "value")
            self = .annotated(
                name: try fields.text("name"),
                value: RowContent.bytes(try fields.value("value", expected: "a content")))
        case "unrecognised":
            let fields = try fields("kind", "payload")
            let kind = try fields.natural("kind")
            guard let byte = UInt8(exactly: kind), byte > 128 else {
                throw RequestError.field(fields.path("kind"), expected: "129 to 255", found: .integer(Int64(kind)))
            }
            self = .unrecognised(
                kind: byte, payload: RowContent.bytes(try fields.value("payload", expected: "a content")))
        default: throw RequestError(.invalidRequest, "expected an event, found \"\(name.visible)\"")
        }
    }
}

extension RequestFields {
    /// An integer from 0 on.
    fileprivate func natural(_ field: String) throws -> Int {
        let number = try index(field)
        guard number >= 0 else {
            throw RequestError.field(path(field), expected: "at least 0", found: .integer(Int64(number)))
        }
        return number
    }

    /// An index path, without negative indices.
    fileprivate func place(_ field: String) throws -> ListIndexPath {
        let place = try indexPath(field)
        guard place.section >= 0, place.item >= 0 else {
            throw RequestError.field(path(field), expected: "indices from 0 on", found: try value(field, expected: ""))
        }
        return place
    }

    fileprivate func depthChange(_ field: String) throws -> Int {
        let change = try index(field)
        guard change != 0, abs(change) <= UntypedRow.maximumDepth else {
            throw RequestError.field(
                path(field), expected: "-\(UntypedRow.maximumDepth) to \(UntypedRow.maximumDepth), not 0",
                found: .integer(Int64(change)))
        }
        return change
    }

    fileprivate func rows(_ field: String, _ content: (JSONValue) -> ContentReference) throws -> [UntypedRow] {
        try array(field, of: "rows").enumerated().map { index, value in
            let fields = try RequestFields(
                value, "\(path(field))[\(index)]", expected: "id", "checked", "depth", "collapsed", "content")
            let depth = fields.has("depth") ? try fields.index("depth") : 0
            guard (0...UntypedRow.maximumDepth).contains(depth) else {
                throw RequestError.field(
                    fields.path("depth"), expected: "0 to \(UntypedRow.maximumDepth)", found: .integer(Int64(depth)))
            }
            return UntypedRow(
                id: try fields.identifier("id"), isChecked: try fields.bool("checked"),
                content: content(try fields.value("content", expected: "a content")), depth: depth,
                isCollapsed: try fields.has("collapsed") && fields.bool("collapsed"))
        }
    }

    fileprivate func section(_ field: String, _ content: (JSONValue) -> ContentReference) throws -> ListSection {
        try RequestFields.section(try value(field, expected: "a section"), path(field), content)
    }

    /// Sections with their rows.
    func sections(_ field: String, _ content: (JSONValue) -> ContentReference) throws -> [ListSection] {
        try array(field, of: "sections").enumerated().map { index, value in
            try RequestFields.section(value, "\(path(field))[\(index)]", content)
        }
    }

    private static func section(
        _ value: JSONValue, _ name: String, _ content: (JSONValue) -> ContentReference
    ) throws -> ListSection {
        let fields = try RequestFields(value, name, expected: "id", "title", "items")
        return ListSection(
            id: try fields.identifier("id"), title: try fields.text("title"), items: try fields.rows("items", content))
    }
}
