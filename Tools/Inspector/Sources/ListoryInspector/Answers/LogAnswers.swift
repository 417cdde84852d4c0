// The commits: pages of the log, one commit with its events, and how the versions lie in time.
//
// Always holds: a page of the log ends after some commits or some time, whatever its filter lets through; the events of a commit end
// after some contents; a commit that cannot be read says why, and the others are written as always.

import ListModel
import Listory
import ToolSupport

extension InspectedStore {
    /// The parameters of `/api/log`.
    static let logParameters = [
        "before", "limit", "from", "to", "since", "until", "cause", "kind", "row", "section", "origin", "name", "text",
    ]

    /// `/api/log`.
    func log(_ query: Query, _ writer: inout JSONWriter) throws {
        var lines: [UInt8] = []
        var report = LogReport(store, .json, TerminalStyle.plain) { lines += $0 }
        report.detail = .counts
        report.showsDamage = true
        report.filter.causes = try query.names("cause", of: LogFilter.causeNames)
        report.filter.kinds = try query.names("kind", of: ListEvent.kindNames)
        report.filter.row = query.text("row").map { IdentifierText($0) }
        report.filter.section = query.text("section").map { IdentifierText($0) }
        report.filter.origin = query.text("origin")
        report.filter.name = query.text("name").map { SearchWords($0) }
        report.filter.text = query.text("text").map { SearchWords($0) }
        var range = LogReport.Span()
        (range.since, range.until) = (try query.time("since"), try query.time("until"))
        range.first = try query.version("from")
        let limit = try query.number("limit", 1...200, default: 50)
        let newest = try store.version
        let before = try query.version("before")?.version(in: store).rawValue ?? .max
        let end = try query.version("to")?.version(in: store) ?? newest
        let last = min(Version(max(before, 1) - 1), end)
        var next: Version?
        if last > store.oldestVersion {
            range.last = VersionName(last)
            let budget = Budget(answerTime)
            next = try report.print(range, limit: limit) { _ in budget.isLeft }
        }
        writer.key("commits")
        writer.write(lines: lines)
        writer.writeNext(next?.rawValue)
    }

    /// An answer has no more events when it has so many bytes of them. The page asks for the others.
    private static let eventBytes = 1 << 20

    /// `/api/commit`.
    func commit(_ query: Query, _ writer: inout JSONWriter) throws {
        let commit = try store.commit(query.requiredVersion("version").version(in: store))
        let skip = try query.number("skip", 0...Int.max, default: 0)
        let limit = try query.number("limit", 1...200, default: 100)
        writer.writeHeader(commit)
        writer.member("checksum", String(commit.checksum, radix: 16))
        writer.member("bytes", commit.record.count)
        if let parent = commit.parent { writer.member("parent", parent.rawValue) }
        writer.member("count", commit.eventCount)
        writer.key("events")
        try writer.array { writer in
            let start = writer.bytes.count
            for event in try commit.events().dropFirst(skip).prefix(limit) {
                if writer.bytes.count - start > Self.eventBytes { break }
                try writer.object { try write(event, &$0) }
            }
        }
    }

    /// Writes the beginning of an event. It may have contents of commits that are damaged.
    private func write(_ event: ListEvent, _ writer: inout JSONWriter) throws {
        let (beginning, omitted) = event.shortened(to: 100, contentBytes: 1 << 20)
        let shown = ShownSource(source: source)
        writer.key("event")
        try writer.write(beginning, shown)
        writer.key("text")
        writer.write(.array(try EventText(source: shown).lines(beginning).map { .string($0) }))
        writer.member("omitted", omitted)
    }

    /// `/api/timeline`.
    func timeline(_ query: Query, _ writer: inout JSONWriter) throws {
        let count = UInt64(try query.number("buckets", 1...1000, default: 200))
        let (first, last) = (store.oldestVersion.next.rawValue, try store.version.rawValue)
        writer.member("first", first)
        writer.member("last", last)
        writer.key("buckets")
        try writer.array { writer in
            guard first <= last else { return }
            // With a power of two, most buckets end where they did before the last commits, and the times there are kept.
            var size: UInt64 = 1
            while last / size - first / size >= count { size *= 2 }
            // The first version of the log is a bucket of its own, so that its time is there.
            var (start, end) = (first, first)
            while start <= last {
                try writer.object { writer in
                    writer.member("first", start)
                    writer.member("last", end)
                    writer.key("time")
                    let found = try sound { try time(of: Version(end)) }
                    if let time = found.value { writer.write(time.text) } else { writer.writeNull() }
                }
                (start, end) = (end + 1, min(last, (end / size + 1) * size))
            }
        }
        try writeBranches(&writer)
    }
}
