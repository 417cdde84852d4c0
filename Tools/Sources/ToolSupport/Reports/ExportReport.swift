// Writes down the whole log of a store, so that `import --format log` makes the same store of it.
//
// The first line says what follows, the last line that nothing is missing. Between them each commit has a line, and each of
// its events has one.
//
// If earlier commits were dropped, the first line also has the rows that they had made.
//
// Always holds: ids, contents, names and times are written so that exactly they are read again.

import ListModel
import Listory

/// Writes down a log.
public struct ExportReport {
    private let store: UntypedStore

    /// A report on the log of a store.
    public init(_ store: UntypedStore) { self.store = store }

    /// Writes the lines.
    ///
    /// - Parameters:
    ///   - progress: called now and then with the share that is done, 0 to 1.
    ///   - send: receives the output, in parts.
    /// - Throws: an error of the log.
    public func print(progress: (Double) -> Void, send: ([UInt8]) throws -> Void) throws {
        let newest = try store.snapshot
        var writer = JSONWriter(isExact: true)
        try line("listory", &writer) { writer in
            writer.member("format", LogImport.format)
            writer.member("version", newest.version.rawValue)
            if store.oldestVersion > .empty { try writeBase(&writer) }
        }
        if newest.version > store.oldestVersion {
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

    private func line(
        _ name: String, _ writer: inout JSONWriter, _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        try writer.object { writer in
            writer.key(name)
            try writer.object(body)
        }
        writer.endLine()
    }

    /// Writes the rows that dropped commits had made, and the histories then.
    private func writeBase(_ writer: inout JSONWriter) throws {
        writer.key("base")
        try writer.object { writer in
            writer.member("version", store.oldestVersion.rawValue)
            writer.key("histories")
            let histories = try store.oldestHistories()
            writer.array { writer in
                for history in histories {
                    writer.object { writer in
                        if let origin = history.origin { writer.member("origin", origin) }
                        writer.key("numbers")
                        writer.write(history.numbers)
                    }
                }
            }
            writer.key("sections")
            let rows = try store.snapshot(at: store.oldestVersion)
            try rows.reading {
                try writer.array { writer in
                    for section in rows.sections {
                        let items = Array(section.items)
                        try writer.write(ListSection(id: section.id, title: section.title, items: items), store.source)
                    }
                }
            }
        }
    }

    private func write(_ commit: Commit, _ writer: inout JSONWriter) throws {
        line("commit", &writer) { writer in
            writer.writeHeader(commit)
            writer.key("place")
            writer.write(CommitTranscript(commit).place)
            writer.member("events", commit.eventCount)
        }
        for event in try commit.events() {
            try writer.write(event, store.source)
            writer.endLine()
        }
    }
}

extension JSONWriter {
    /// Writes numbers as an array.
    fileprivate mutating func write(_ numbers: [UInt64]) {
        array { writer in
            for number in numbers { writer.write(number) }
        }
    }
}
