// Prints which commits changed a row, or made rows as they are.
//
// Always holds: texts of others are harmless for a terminal.

import ListModel
import Listory

/// Prints the commits that changed a row or a section.
public struct RowHistoryReport {
    /// Whose history it is.
    public enum Subject {
        case row(IdentifierText)
        case section(IdentifierText)
    }

    private let changes: [RowChange]

    /// A report on a row or a section.
    ///
    /// - Throws: ``ToolError`` if there never was one of that id.
    public init(_ subject: Subject, in store: UntypedStore, before name: VersionName?, limit: Int?) throws {
        let version = try name?.version(in: store)
        func find(_ id: IdentifierText, _ what: String, _ history: (UntypedID, Version?, Int) throws -> [RowChange])
            throws -> [RowChange]
        {
            func isKnown(_ id: UntypedID) throws -> UntypedID? { try history(id, nil, 1).isEmpty ? nil : id }
            guard let known = try id.first(isKnown) else {
                throw ToolError(.refused, "\(what): expected one that the log has, found \"\(id.text.visible)\"")
            }
            return try history(known, version, limit ?? .max)
        }
        switch subject {
        case .row(let id): changes = try find(id, "row") { try store.history(ofRow: $0, before: $1, limit: $2) }
        case .section(let id):
            changes = try find(id, "section") { try store.history(ofSection: $0, before: $1, limit: $2) }
        }
    }

    /// Prints the commits that changed a row or a section, some at a time, the newest first.
    ///
    /// - Parameters:
    ///   - limit: how many at most; nil for all.
    ///   - send: receives the output, in parts.
    /// - Throws: ``ToolError`` if there never was one of that id, and what `send` throws.
    public static func print(
        _ subject: Subject, in store: UntypedStore, before name: VersionName?, limit: Int?, _ format: OutputFormat,
        _ style: TerminalStyle, send: ([UInt8]) throws -> Void
    ) throws {
        var (left, before) = (limit ?? .max, name)
        while true {
            let part = min(left, partSize)
            let report = try RowHistoryReport(subject, in: store, before: before, limit: part)
            try send(format == .json ? report.json() : Array(report.text(style).utf8))
            left -= part
            guard left > 0, report.changes.count == part, let last = report.changes.last else { return }
            before = VersionName(last.commit.version)
        }
    }

    /// How many commits are in memory at a time.
    private static let partSize = 1_024

    /// A line for each commit.
    public func text(_ style: TerminalStyle = .plain) -> String {
        changes.map { "\($0.commit.line(style))  \($0.kinds)\n" }.joined()
    }

    /// A line of JSON for each commit.
    public func json() -> [UInt8] {
        changes.flatMap { change in
            JSONWriter.line { writer in
                writer.write(membersOf: change.commit)
                writer.key("kinds")
                writer.write(.array("\(change.kinds)".split(separator: ", ").map { .string(String($0)) }))
            }
        }
    }
}

/// Prints the commits that made rows as they are.
public struct BlameReport {
    private let rows: [(path: ListIndexPath, row: UntypedRow, blame: RowBlame)]
    private let source: any CommitSource

    /// A report on rows of a version.
    ///
    /// - Parameters:
    ///   - name: the version; nil for the newest.
    ///   - section: only the rows of this section; nil for all.
    ///   - skipped: how many rows are left out at the beginning.
    ///   - limit: how many are printed at most.
    /// - Throws: ``ToolError`` if there is no such section; `ListError` if there is no such version.
    public init(
        _ store: UntypedStore, at name: VersionName?, section: IdentifierText?, _ skipped: Int, _ limit: Int
    ) throws {
        let snapshot = try name?.snapshot(in: store) ?? store.snapshot
        var found: [(ListIndexPath, UntypedRow)] = []
        var left = skipped
        try snapshot.reading {
            let sections = snapshot.sections.enumerated().filter { section?.means($0.element.id) ?? true }
            if let section, sections.isEmpty {
                throw ToolError(.refused, "section: expected one of the list, found \"\(section.text.visible)\"")
            }
            for (index, section) in sections {
                let first = min(left, section.items.count)
                left -= first
                for item in first..<first + min(section.items.count - first, limit - found.count) {
                    found.append((ListIndexPath(section: index, item: item), section.items[item]))
                }
            }
        }
        let blames = try store.blame(ofRows: found.map(\.1.id), at: snapshot.version)
        rows = zip(found, blames).map { ($0.0, $0.1, $1) }
        source = store.source
    }

    /// The rows, and the commits below each.
    public func text(_ style: TerminalStyle = .plain) throws -> String {
        try rows.map { path, row, blame in
            let text = style.row(try source.title(of: row.content), isChecked: row.isChecked)
            let head = "\(path) \(text) (id \(row.id.description.shown))\n"
            let commits = blame.parts.filter { $0.0 == "inserted" || $0.1 != nil }
            return head
                + commits.map { "    \($0.0)  \($0.1?.line(style) ?? "before the log begins")\n" }.joined()
        }.joined()
    }

    /// A line of JSON for each row.
    public func json() throws -> [UInt8] {
        try rows.flatMap { path, row, blame in
            try JSONWriter.line { writer in
                writer.key("at")
                writer.write(path)
                writer.key("row")
                try writer.write(row, source)
                writer.write(commits: blame.parts)
            }
        }
    }
}

extension RowBlame {
    /// The commits, with their names.
    public var parts: [(String, CommitInfo?)] {
        [
            ("inserted", inserted), ("updated", updated), ("toggled", toggled), ("outlined", outlined),
            ("moved", moved), ("deleted", deleted),
        ]
    }
}

extension CommitInfo {
    /// Version, time, name, and who made it.
    func line(_ style: TerminalStyle) -> String {
        "\(style.bold("\(version)"))  \(time.text)  \"\(name.shown)\"" + (origin.isEmpty ? "" : " by \(origin.shown)")
            + (cause == .edit ? "" : " (\(cause))")
    }
}
