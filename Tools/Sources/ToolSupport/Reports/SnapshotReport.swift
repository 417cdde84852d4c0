// Prints the rows of a version.
//
// Always holds: output is sent in parts, so the text of a long list is never completely in memory.

import ListModel

/// Prints a snapshot.
public struct SnapshotReport {
    private let snapshot: UntypedSnapshot
    private let source: any CommitSource

    private static let partSize = 1 << 16

    /// A report on a snapshot.
    ///
    /// - Parameter source: where the content of its rows is read.
    public init(_ snapshot: UntypedSnapshot, source: any CommitSource) {
        self.snapshot = snapshot
        self.source = source
    }

    /// Sections as headers, rows with a box and a title.
    public func text(_ style: TerminalStyle, send: ([UInt8]) throws -> Void) throws {
        var part: [UInt8] = []
        for (index, section) in snapshot.sections.enumerated() {
            let blank = index == 0 ? "" : "\n"
            part += Array("\(blank)\(style.bold(section.label))\n".utf8)
            for item in section.items {
                part += Array("\(try line(item, style))\n".utf8)
                try hand(on: &part, send)
            }
        }
        try send(part)
    }

    private func line(_ item: UntypedRow, _ style: TerminalStyle) throws -> String {
        let title = try source.title(of: item.content)
        let row = item.isChecked ? "\(style.green("[x]")) \(style.faint(title))" : "[ ] \(title)"
        // Two blanks for each level of depth; a collapsed row is marked.
        return String(repeating: "  ", count: item.depth) + row + (item.isCollapsed ? style.faint(" …") : "")
    }

    /// The contents that are strings, one after another without separators: the text of an imported editing trace.
    public func raw(send: ([UInt8]) throws -> Void) throws {
        var part: [UInt8] = []
        for section in snapshot.sections {
            for item in section.items {
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
            try writer.array { writer in
                for section in snapshot.sections { try json(section, &writer, send) }
            }
        }
        writer.endLine()
        try send(writer.bytes)
    }

    private func json(
        _ section: UntypedSection, _ writer: inout JSONWriter, _ send: ([UInt8]) throws -> Void
    ) throws {
        try writer.object { writer in
            writer.key("id")
            writer.write(section.id)
            writer.member("title", section.title)
            writer.key("items")
            try writer.array { writer in
                for item in section.items {
                    try writer.write(item, source)
                    guard writer.bytes.count > SnapshotReport.partSize else { continue }
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

extension UntypedSection {
    /// The text of a header: the title, or the id of a section without a title.
    var label: String { (title.isEmpty ? id.plainText : title).visible }
}

extension JSONWriter {
    /// Writes a row with its content.
    mutating func write(_ item: UntypedRow, _ source: any CommitSource) throws {
        try object { writer in
            writer.key("id")
            writer.write(item.id)
            writer.member("checked", item.isChecked)
            if item.depth > 0 { writer.member("depth", item.depth) }
            if item.isCollapsed { writer.member("collapsed", true) }
            writer.key("content")
            writer.write(try source.value(of: item.content))
        }
    }
}
