// Writes down the whole log of a store, so that `import --format log` makes the same store of it.
//
// The first line says what follows, the last line that nothing is missing. Between them each commit has a line, and each of
// its events has one.
//
// Always holds: ids, contents, names and times are written so that exactly they are read again.

import ListModel
import Listory

/// Writes down a log.
public struct ExportReport {
    /// The number of the format. It changes if what was written before is read in another way.
    static let format = 1
    private let store: UntypedStore

    /// A report on the log of a store.
    public init(_ store: UntypedStore) { self.store = store }

    /// Writes the lines.
    ///
    /// - Parameters:
    ///   - progress: called now and then with the share that is done, 0 to 1.
    ///   - send: receives the output, in parts.
    /// - Throws: ``ToolError`` if history was dropped, so that the log has no beginning; an error of the log.
    public func print(progress: (Double) -> Void, send: ([UInt8]) throws -> Void) throws {
        let newest = try store.snapshot
        guard store.oldestVersion == .empty else {
            throw ToolError(
                .refused,
                "export: expected a log from its beginning, found one from version \(store.oldestVersion.next) on: "
                    + "the history before was dropped by compact")
        }
        var writer = JSONWriter(isExact: true)
        line("listory", &writer) { writer in
            writer.member("format", ExportReport.format)
            writer.member("version", newest.version.rawValue)
        }
        if newest.version > .empty {
            try store.forEachCommit(in: store.oldestVersion.next...newest.version) { commit in
                try write(commit, &writer)
                guard writer.bytes.count > 1 << 16 else { return }
                try send(writer.bytes)
                writer.removeFirst(writer.bytes.count)
                progress(Double(commit.version.rawValue) / Double(newest.version.rawValue))
            }
        }
        line("end", &writer) { writer in
            writer.member("version", newest.version.rawValue)
            writer.member("hash", newest.stateHash.description)
        }
        try send(writer.bytes)
    }

    private func line(_ name: String, _ writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
        writer.object { writer in
            writer.key(name)
            writer.object(body)
        }
        writer.endLine()
    }

    private func write(_ commit: Commit, _ writer: inout JSONWriter) throws {
        line("commit", &writer) { writer in
            writer.writeHeader(commit)
            writer.key("place")
            writer.array { writer in
                for number in CommitTranscript(commit).place { writer.write(number) }
            }
            writer.member("events", commit.eventCount)
        }
        for event in try commit.events() {
            try writer.write(event, store.source)
            writer.endLine()
        }
    }
}
