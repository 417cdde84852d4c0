// Prints the rows that were deleted.
//
// Always holds: texts of others are harmless for a terminal.

import ListModel
import Listory

/// Prints the rows of the trash.
public struct TrashReport {
    private let source: any CommitSource
    private let format: OutputFormat
    private let style: TerminalStyle

    /// Prints the rows that were deleted, each as soon as it is found, the last deleted first.
    ///
    /// - Parameters:
    ///   - store: one that only reads: of another one, rows may be printed again when a commit of another process comes first.
    ///   - name: only rows that commits before this version took away; nil for all.
    ///   - limit: how many at most; nil for all.
    ///   - words: only rows whose content has them.
    ///   - progress: called with the part of the log that was looked at, 0 to 1; ends the search if it throws.
    ///   - send: receives the output, a line for each row.
    /// - Throws: what `progress` and `send` throw; an error of the log.
    public static func print(
        _ store: UntypedStore, before name: VersionName? = nil, limit: Int? = nil,
        containing words: SearchWords = SearchWords(), _ format: OutputFormat, _ style: TerminalStyle = .plain,
        progress: (Double) throws -> Void = { _ in }, send: ([UInt8]) throws -> Void
    ) throws {
        let report = TrashReport(source: store.source, format: format, style: style)
        let before = try name?.version(in: store)
        let newest = try Double((before ?? store.version).rawValue)
        let span = max(1, newest - Double(store.oldestVersion.rawValue))
        var left = limit ?? .max
        if left == 0 { return }
        do {
            // None is kept, because there may be very many.
            _ = try store.trash(before: before) { row in
                // A commit that has come since may be newer than the newest: then this is less than 0.
                try progress((newest - Double(row.commit.version.rawValue)) / span)
                guard
                    try words.isEmpty
                        || report.source.withShownContent(of: row.row.content, { words.match(content: $0) })
                else { return false }
                try send(format == .json ? report.json(row) : Array(report.text(row).utf8))
                left -= 1
                if left <= 0 { throw Enough() }
                return false
            }
        } catch is Enough {}
    }

    /// Ends a search, because no more rows are wanted.
    private struct Enough: Error {}

    private func text(_ row: UntypedTrashedRow) throws -> String {
        let text = style.row(try source.title(of: row.row.content), isChecked: row.row.isChecked)
        let section = row.sectionTitle.isEmpty ? row.sectionID.description.shown : "\"\(row.sectionTitle.shown)\""
        return "\(row.commit.line(style))  \(text) (id \(row.row.id.description.shown)) in \(section)\n"
    }

    private func json(_ row: UntypedTrashedRow) throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.key("row")
            try writer.write(row.row, source)
            writer.key("section")
            writer.write(row.sectionID)
            writer.member("title", row.sectionTitle)
            writer.key("deleted")
            writer.object { $0.write(membersOf: row.commit) }
        }
    }
}
