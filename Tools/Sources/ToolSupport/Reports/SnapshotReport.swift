// Prints the rows of a version, or some of them.
//
// Always holds: output is sent in parts, so the text of a long list is never completely in memory.

import ListModel

/// Prints a snapshot.
public struct SnapshotReport {
    private let snapshot: UntypedSnapshot
    private let source: any CommitSource
    /// The sections that are printed.
    private let sections: [UntypedSection]
    private let limit: Int

    /// So many bytes are sent at once: few enough that the first rows appear at once.
    private static let partSize = 1 << 13

    /// A report on a snapshot.
    ///
    /// - Parameters:
    ///   - source: where the content of its rows is read.
    ///   - section: the section to print; nil for all.
    ///   - limit: how many rows at most; nil for all.
    /// - Throws: ``ToolError`` if there is no such section.
    public init(
        _ snapshot: UntypedSnapshot, source: any CommitSource, section: IdentifierText? = nil, limit: Int? = nil
    ) throws {
        (self.snapshot, self.source, self.limit) = (snapshot, source, limit ?? .max)
        sections =
            section.map { wanted in snapshot.sections.filter { wanted.means($0.id) } } ?? Array(snapshot.sections)
        if let section, sections.isEmpty {
            throw ToolError(
                .refused, "section: expected one of version \(snapshot.version), found \"\(section.text.visible)\"")
        }
    }

    /// Calls `body` with the rows of a section, as long as there is no limit.
    private func forEachRow(
        of section: UntypedSection, _ left: inout Int, _ body: (UntypedRow) throws -> Void
    ) rethrows {
        for item in section.items {
            if left == 0 { return }
            left -= 1
            try body(item)
        }
    }

    /// Sections as headers, rows with a box and a title.
    public func text(_ style: TerminalStyle, send: ([UInt8]) throws -> Void) throws {
        var part: [UInt8] = []
        var left = limit
        for (offset, section) in sections.enumerated() {
            let blank = offset == 0 ? "" : "\n"
            part += Array("\(blank)\(style.bold(section.label))\n".utf8)
            try forEachRow(of: section, &left) { item in
                part += Array("\(try line(item, style))\n".utf8)
                try hand(on: &part, send)
            }
        }
        try send(part)
    }

    private func line(_ item: UntypedRow, _ style: TerminalStyle) throws -> String {
        let title = try source.title(of: item.content)
        let row = style.row(title, isChecked: item.isChecked)
        // Two blanks for each level of depth; a collapsed row is marked.
        return String(repeating: "  ", count: item.depth) + row + (item.isCollapsed ? style.faint(" …") : "")
    }

    /// The contents that are strings, one after another without separators: the text of an imported editing trace.
    public func raw(send: ([UInt8]) throws -> Void) throws {
        var part: [UInt8] = []
        var left = limit
        for section in sections {
            try forEachRow(of: section, &left) { item in
                if case .string(let text) = try source.value(of: item.content) { part += Array(text.utf8) }
                try hand(on: &part, send)
            }
        }
        try send(part)
    }

    /// One object with all sections and rows.
    public func json(send: ([UInt8]) throws -> Void) throws {
        var writer = JSONWriter()
        try writer.object { writer in
            writer.member("version", snapshot.version.rawValue)
            writer.member("hash", snapshot.stateHash.description)
            writer.key("sections")
            var left = limit
            try writer.array { writer in
                for section in sections { try json(section, &left, &writer, send) }
            }
        }
        writer.endLine()
        try send(writer.bytes)
    }

    private func json(
        _ section: UntypedSection, _ left: inout Int, _ writer: inout JSONWriter, _ send: ([UInt8]) throws -> Void
    ) throws {
        try writer.object { writer in
            writer.key("id")
            writer.write(section.id)
            writer.member("title", section.title)
            writer.key("items")
            try writer.array { writer in
                try forEachRow(of: section, &left) { item in
                    try writer.write(item, source)
                    guard writer.bytes.count > SnapshotReport.partSize else { return }
                    try send(writer.bytes)
                    writer.removeFirst(writer.bytes.count)
                }
            }
        }
    }

    private func hand(on part: inout [UInt8], _ send: ([UInt8]) throws -> Void) throws {
        guard part.count > SnapshotReport.partSize else { return }
        try send(part)
        part.removeAll(keepingCapacity: true)
    }
}

extension TerminalStyle {
    /// The box and the title of a row.
    func row(_ title: String, isChecked: Bool) -> String {
        isChecked ? "\(green("[x]")) \(faint(title))" : "[ ] \(title)"
    }
}

extension UntypedSection {
    /// The text of a header: the title, or the id of a section without a title.
    var label: String { (title.isEmpty ? id.plainText : title).shown }
}

extension JSONWriter {
    /// Writes a row with its content.
    public mutating func write(_ item: UntypedRow, _ source: any CommitSource) throws {
        try object { writer in
            writer.key("id")
            writer.write(item.id)
            writer.member("checked", item.isChecked)
            if item.depth > 0 { writer.member("depth", item.depth) }
            if item.isCollapsed { writer.member("collapsed", true) }
            writer.key("content")
            try writer.write(item.content, source)
        }
    }
}
