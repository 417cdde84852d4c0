// Prints the rows whose content has some words.
//
// Always holds: rows are printed as they are found, in their order.

import ListModel
import Listory

/// Searches the rows of a version.
public struct SearchReport {
    private let snapshot: UntypedSnapshot
    private let source: any CommitSource

    /// A report on the rows of a snapshot.
    public init(_ snapshot: UntypedSnapshot, _ source: any CommitSource) {
        (self.snapshot, self.source) = (snapshot, source)
    }

    /// Prints the rows that have the words.
    ///
    /// - Parameters:
    ///   - limit: how many at most; nil for all.
    ///   - progress: called from time to time with the part that is done, 0 to 1; ends the search if it throws.
    public func print(
        _ words: SearchWords, limit: Int?, _ format: OutputFormat, _ style: TerminalStyle = .plain,
        progress: (Double) throws -> Void = { _ in }, send: ([UInt8]) throws -> Void
    ) throws {
        try snapshot.reading { try printRows(words, limit ?? .max, format, style, progress, send) }
    }

    private func printRows(
        _ words: SearchWords, _ limit: Int, _ format: OutputFormat, _ style: TerminalStyle,
        _ progress: (Double) throws -> Void, _ send: ([UInt8]) throws -> Void
    ) throws {
        var (left, done) = (limit, 0)
        for (index, section) in snapshot.sections.enumerated() {
            for (offset, row) in section.items.enumerated() {
                if left == 0 { return }
                done += 1
                if done % 256 == 0 { try progress(Double(done) / Double(snapshot.itemCount)) }
                guard try source.withShownContent(of: row.content, { words.match(content: $0) }) else { continue }
                left -= 1
                let path = ListIndexPath(section: index, item: offset)
                try send(format == .json ? json(row, path, section) : Array(line(row, path, style).utf8))
            }
        }
    }

    private func line(_ row: UntypedRow, _ path: ListIndexPath, _ style: TerminalStyle) throws -> String {
        let text = style.row(try source.title(of: row.content), isChecked: row.isChecked)
        return "\(style.bold("\(path)")) \(text) (id \(row.id.description.shown))\n"
    }

    private func json(_ row: UntypedRow, _ path: ListIndexPath, _ section: UntypedSection) throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.key("section")
            writer.write(section.id)
            writer.key("at")
            writer.write(path)
            writer.key("row")
            try writer.write(row, source)
        }
    }
}
