// Prints the rows that were deleted.
//
// Always holds: texts of others are harmless for a terminal.

import ListModel
import Listory

/// Prints the rows of the trash.
public struct TrashReport {
    private let rows: [UntypedTrashedRow]
    private let source: any CommitSource

    /// A report on the rows that were deleted last.
    ///
    /// - Parameters:
    ///   - name: only rows that commits before this version took away; nil for all.
    ///   - limit: how many at most; nil for all.
    ///   - words: only rows whose content has them.
    ///   - progress: called with the part of the log that was looked at, 0 to 1.
    public init(
        _ store: UntypedStore, before name: VersionName?, limit: Int?, containing words: SearchWords = SearchWords(),
        progress: (Double) -> Void = { _ in }
    ) throws {
        source = store.source
        let before = try name?.version(in: store)
        let (oldest, newest) = (store.oldestVersion.rawValue, try (before ?? store.version).rawValue)
        rows = try store.trash(before: before, limit: limit ?? .max) { [source] row in
            progress(Double(newest - row.commit.version.rawValue) / Double(max(1, newest - oldest)))
            return try words.isEmpty || source.withContent(of: row.row.content) { words.match(content: $0) }
        }
    }

    /// A line for each row.
    public func text(_ style: TerminalStyle = .plain) throws -> String {
        try rows.map { row in
            let text = style.row(try source.title(of: row.row.content), isChecked: row.row.isChecked)
            let section = row.sectionTitle.isEmpty ? row.sectionID.description.shown : "\"\(row.sectionTitle.shown)\""
            return "\(row.commit.line(style))  \(text) (id \(row.row.id.description.shown)) in \(section)\n"
        }.joined()
    }

    /// A line of JSON for each row.
    public func json() throws -> [UInt8] {
        var writer = JSONWriter()
        for row in rows {
            try writer.object { writer in
                writer.key("row")
                try writer.write(row.row, source)
                writer.key("section")
                writer.write(row.sectionID)
                writer.member("title", row.sectionTitle)
                writer.key("deleted")
                writer.object { $0.write(membersOf: row.commit) }
            }
            writer.endLine()
        }
        return writer.bytes
    }
}
