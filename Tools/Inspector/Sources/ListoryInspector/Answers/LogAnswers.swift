// The commits: pages of the log, one commit with its events, and how the versions lie in time.
//
// Always holds: a page of the log ends after some commits or some time, whatever its filter lets through.

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
        let text = EventText(source: source)
        try writer.array { writer in
            for event in try commit.events().dropFirst(skip).prefix(limit) {
                let (beginning, omitted) = event.shortened(to: 100, contentBytes: 1 << 20)
                try writer.object { writer in
                    writer.key("event")
                    try writer.write(beginning, source)
                    writer.key("text")
                    writer.write(.array(try text.lines(beginning).map { .string($0) }))
                    writer.member("omitted", omitted)
                }
            }
        }
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
            // The first version of the log is a bucket of its own, so that its time is there.
            var start = first
            for number in 0...count {
                let end = number == 0 ? first : first + (last - first).dividing(number, by: count)
                if end < start { continue }
                try writer.object { writer in
                    writer.member("first", start)
                    writer.member("last", end)
                    writer.member("time", try time(of: Version(end)).text)
                }
                start = end + 1
            }
        }
        writer.key("checkpoints")
        let checkpoints = try store.checkpoints()
        writer.array { writer in
            let step = max(1, (checkpoints.count + 999) / 1000)
            for index in stride(from: 0, to: checkpoints.count, by: step) {
                writer.object { writer in
                    writer.member("version", checkpoints[index].version.rawValue)
                    writer.member("rows", checkpoints[index].itemCount)
                    writer.member("events", checkpoints[index].eventCount)
                }
            }
        }
        try writeBranches(&writer)
    }
}

extension UInt64 {
    /// The number times a part of a whole.
    fileprivate func dividing(_ part: UInt64, by whole: UInt64) -> UInt64 {
        let product = multipliedFullWidth(by: part)
        return whole.dividingFullWidth(product).quotient
    }
}
