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
        var lines = [style.bold("version \(old.version) → \(new.version)")]
        let sections = changeset.sections
        lines += sections.deleted.map { style.red("- section \($0): \(old.sections[$0].label)") }
        lines += sections.inserted.map { style.green("+ section \($0): \(new.sections[$0].label)") }
        lines += sections.moved.map { style.blue("→ section \($0.from) to \($0.to): \(new.sections[$0.to].label)") }
        lines += sections.updated.map { style.yellow("~ section \($0): \(new.sections[$0].label)") }
        let items = changeset.items
        lines += try items.deleted.map { style.red("- \($0) \(try row(old, $0))") }
        lines += try items.inserted.map { style.green("+ \($0) \(try row(new, $0))") }
        lines += try items.moved.map { style.blue("→ \($0.from) to \($0.to) \(try row(new, $0.to))") }
        lines += try items.updated.map { style.yellow("~ \($0) \(try row(new, $0))") }
        if changeset.isEmpty { lines.append("no difference") }
        return lines.joined(separator: "\n") + "\n"
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
