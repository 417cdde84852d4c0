// Prints the differences of two versions.
//
// Always holds: a line names a deleted row by its content in the older version, all other rows by the newer one.

import ListModel

/// Prints the changeset between two snapshots.
public struct DifferenceReport {
    private let old: UntypedSnapshot
    private let new: UntypedSnapshot
    private let source: any CommitSource
    /// The changes between the two.
    public let changeset: Changeset

    /// A report on the changes between two snapshots.
    public init(from old: UntypedSnapshot, to new: UntypedSnapshot, source: any CommitSource) {
        self.old = old
        self.new = new
        self.source = source
        changeset = Changeset(from: old, to: new)
    }

    /// A line for each change.
    public func text(_ style: TerminalStyle) throws -> String {
        var text = ""
        try print(style) { text += $0 }
        return text
    }

    /// Prints a line for each change, some at a time.
    ///
    /// - Parameter send: receives the output, in parts.
    public func print(_ style: TerminalStyle, send: (String) throws -> Void) throws {
        var part = ""
        try forEachLine(style) { line in
            part += line + "\n"
            if part.utf8.count < DifferenceReport.partSize { return }
            try send(part)
            part = ""
        }
        try send(part)
    }

    /// About how many bytes are printed at a time.
    private static let partSize = 1 << 14

    private func forEachLine(_ style: TerminalStyle, _ body: (String) throws -> Void) throws {
        try body(style.bold("version \(old.version) → \(new.version)"))
        let sections = changeset.sections
        for index in sections.deleted { try body(style.red("- section \(index): \(old.sections[index].label)")) }
        for index in sections.inserted { try body(style.green("+ section \(index): \(new.sections[index].label)")) }
        for move in sections.moved {
            try body(style.blue("→ section \(move.from) to \(move.to): \(new.sections[move.to].label)"))
        }
        for index in sections.updated { try body(style.yellow("~ section \(index): \(new.sections[index].label)")) }
        let items = changeset.items
        for path in items.deleted { try body(style.red("- \(path) \(try row(old, path))")) }
        for path in items.inserted { try body(style.green("+ \(path) \(try row(new, path))")) }
        for move in items.moved { try body(style.blue("→ \(move.from) to \(move.to) \(try row(new, move.to))")) }
        for path in items.updated { try body(style.yellow("~ \(path) \(try row(new, path))")) }
        if changeset.isEmpty { try body("no difference") }
    }

    /// The changeset, as `exec` answers with it.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(.committed(new, changeset))
        return writer.bytes
    }

    private func row(_ snapshot: UntypedSnapshot, _ path: ListIndexPath) throws -> String {
        // A changeset names only positions that its snapshots have.
        guard let item = snapshot.item(at: path) else { return "" }
        let title = try source.title(of: item.content)
        let place = item.depth > 0 ? " (depth \(item.depth))" : ""
        return "\(item.isChecked ? "[x]" : "[ ]") \(title)\(place)\(item.isCollapsed ? " …" : "")"
    }
}
