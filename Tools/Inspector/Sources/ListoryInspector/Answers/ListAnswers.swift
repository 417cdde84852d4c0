// The list at a version: windows of its lines, single rows, search.
//
// A section is a line, and its rows are lines below it, so that a page can show a part of a long list.
//
// Always holds: of a row in a window only the beginning is written, however long its content is; a row that cannot be read says why,
// and the others are written as always.

import ListModel
import Listory
import ToolSupport

extension InspectedStore {
    /// `/api/rows`.
    func rows(_ query: Query, _ writer: inout JSONWriter) throws {
        let snapshot = try snapshot(query.version("at"))
        let from = try query.number("from", 0...Int.max, default: 0)
        let limit = try query.number("limit", 1...500, default: 100)
        try snapshot.showing {
            let lines = snapshot.rows(in: .rowsWithHeaders)
            writer.member("version", snapshot.version.rawValue)
            writer.member("hash", snapshot.stateHash.description)
            writer.member("rows", snapshot.itemCount)
            writer.member("sections", snapshot.sectionCount)
            writer.member("total", lines.count)
            writer.member("from", from)
            writer.key("lines")
            try writer.array { writer in
                for line in lines.indices.clamped(to: from..<from + min(limit, .max - from)) {
                    try writer.object { try writeLine(line, lines, &$0) }
                }
            }
        }
    }

    private func writeLine(_ line: Int, _ lines: LaidOutRows, _ writer: inout JSONWriter) throws {
        switch lines.place(at: line) {
        case .header(let index):
            writer.member("section", index)
            writer.writeMembers(of: lines.snapshot.sections[index])
        case .item(let path):
            guard case .item(let row) = lines[line] else { return }
            writer.key("at")
            writer.write(path)
            try writer.writeMembers(of: row, source)
        }
    }

    /// `/api/find`.
    func find(_ query: Query, _ writer: inout JSONWriter) throws { try find(query, &writer) { _, _, _ in } }

    /// `/api/row`.
    func row(_ query: Query, _ writer: inout JSONWriter) throws {
        try find(query, &writer) { row, section, writer in
            writer.write(id: section.id, as: "section")
            writer.key("row")
            try writer.object { writer in
                try writer.writeMembers(of: row, source)
                let content = try sound { try source.withShownContent(of: row.content, RowContent.value) }
                if let content = content.value {
                    writer.key("content")
                    writer.write(content)
                }
            }
        }
    }

    /// Writes where a row is, and if it is somewhere, what `body` writes of it and its section.
    private func find(
        _ query: Query, _ writer: inout JSONWriter,
        _ body: (UntypedRow, UntypedSection, inout JSONWriter) throws -> Void
    ) throws {
        let (id, snapshot) = (try query.id(), try snapshot(query.version("at")))
        let path = try path(of: id, in: snapshot)
        writer.member("version", snapshot.version.rawValue)
        try snapshot.showing {
            if let path, let row = snapshot.item(at: path) {
                writer.write(id: row.id)
                writer.writePlace(path, snapshot.rows(in: .rowsWithHeaders))
                try body(row, snapshot.sections[path.section], &writer)
            } else {
                for name in ["at", "line"] {
                    writer.key(name)
                    writer.writeNull()
                }
            }
        }
    }

    /// `/api/search`.
    func search(_ query: Query, _ writer: inout JSONWriter) throws {
        let snapshot = try snapshot(query.version("at"))
        let words = SearchWords(try query.required("words", "words"))
        let limit = try query.number("limit", 1...200, default: 50)
        let from = try query.number("from", 0...Int.max, default: 0)
        try snapshot.showing {
            let lines = snapshot.rows(in: .rowsWithHeaders)
            let budget = Budget(answerTime)
            var (line, left) = (min(from, lines.count), limit)
            writer.member("version", snapshot.version.rawValue)
            writer.key("rows")
            try writer.array { writer in
                for row in lines[line...] {
                    if left == 0 || (line % 256 == 0 && line > from && !budget.isLeft) { break }
                    if case .item(let row) = row, try has(words, row) {
                        left -= 1
                        try writer.object { writer in
                            guard case .item(let path) = lines.place(at: line) else { return }
                            writer.write(id: snapshot.sections[path.section].id, as: "section")
                            writer.writePlace(path, lines)
                            writer.key("row")
                            try writer.object { try $0.writeMembers(of: row, source) }
                        }
                    }
                    line += 1
                }
            }
            writer.writeNext(line < lines.count ? line : nil)
        }
    }

    /// Whether a row has some words; not if it cannot be read.
    func has(_ words: SearchWords, _ row: UntypedRow) throws -> Bool {
        try sound { try source.withShownContent(of: row.content) { words.match(content: $0) } }.value ?? false
    }
}

extension JSONWriter {
    /// Writes an id so that an edit finds the row again: a UUID is not its text.
    mutating func write(id: UntypedID, as name: String = "id") {
        key(name)
        if case .uuid(let uuid) = id { object { $0.member("$uuid", uuid.uuidString) } } else { write(id) }
    }

    /// Writes the members of a section.
    mutating func writeMembers(of section: UntypedSection) {
        write(id: section.id)
        member("title", section.title.shown)
        member("count", section.items.count)
    }

    /// Writes the members of a row, of its content only the beginning, or why it cannot be read.
    mutating func writeMembers(of row: UntypedRow, _ source: any CommitSource) throws {
        write(id: row.id)
        member("checked", row.isChecked)
        if row.depth > 0 { member("depth", row.depth) }
        if row.isCollapsed { member("collapsed", true) }
        let title = try sound { try source.title(of: row.content) }
        member("title", title.value ?? "")
        member("bytes", row.content.length)
        if case .failure(let damage) = title { write(damage: damage) }
    }

    /// Writes where a row is: its index path, and its line.
    mutating func writePlace(_ path: ListIndexPath, _ lines: LaidOutRows) {
        key("at")
        write(path)
        if let line = lines.offset(of: path) { member("line", line) }
    }

    /// Writes the member `next`: where the next page begins.
    mutating func writeNext(_ next: (some BinaryInteger)?) {
        key("next")
        if let next { write(next) } else { writeNull() }
    }
}
