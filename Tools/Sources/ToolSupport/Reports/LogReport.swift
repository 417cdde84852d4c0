// Prints the log, commit by commit, the newest first.
//
// Always holds: only as much of the log is read as is printed, or as the filter has to look at; of a row, only the commits
// that changed it. It is read in parts, and contents are read between parts, because both need the file. In memory are a part of
// about 16 MiB and one commit, which is as large as the list if it reloads it; with `follow`, all commits that are printed at once.

import ListModel
import Listory

/// Prints commits with their events.
public struct LogReport {
    /// How much is printed of a commit.
    public enum Detail: Sendable {
        /// A line for it, and a line for each row of each event.
        case everything
        /// As everything, without most rows of an event that has very many, and most events of such a commit.
        case events
        /// A line for it, and how many rows were inserted, deleted, moved, updated.
        case counts
        /// A line.
        case line
    }

    /// A part of the log.
    public struct Span: Sendable {
        /// The first and the last version; nil for the oldest and the newest.
        public var first, last: VersionName?
        /// The times between which commits were made.
        public var since, until: Timestamp?

        /// The whole log.
        public init() {}
    }

    /// How commits are printed.
    public var detail = Detail.events
    /// Which commits are printed.
    public var filter = LogFilter()
    /// Whether the tree of commits is drawn beside them.
    public var hasGraph = false
    /// Whether, as JSON, a commit that damage keeps from being read, printed or judged by the filter is a line that says so. Otherwise the
    /// report ends there with an error; it always does if the filter asks for a row whose history is damaged.
    public var showsDamage = false
    private let store: UntypedStore
    private let format: OutputFormat
    private let style: TerminalStyle
    private let send: ([UInt8]) throws -> Void

    /// How many rows of an event are printed, how many bytes of their contents, and how many events of a commit.
    private static let (rowLimit, contentLimit, eventLimit) = (20, 1 << 16, 100)

    /// How many commits are in memory at a time, how many if some of them are damaged, and how many bytes of them, but at least one.
    private static let (partSize, damagedSize, partBytes) = (UInt64(256), UInt64(16), 16 << 20)

    /// A commit, or why it cannot be read.
    private typealias Entry = (version: Version, commit: Result<Commit, any Error>)

    /// A report on the log of a store.
    ///
    /// - Parameter send: receives the output, in parts.
    public init(
        _ store: UntypedStore, _ format: OutputFormat, _ style: TerminalStyle, send: @escaping ([UInt8]) throws -> Void
    ) {
        (self.store, self.format, self.style, self.send) = (store, format, style, send)
    }

    /// Prints the commits of a range, the newest first.
    ///
    /// - Parameters:
    ///   - limit: how many at most; nil for all.
    ///   - goesOn: asked after each part of the log, and each commit that is shown as damaged, whether to look at what is before it; it
    ///     gets what part of the range was looked at, 0 to 1.
    /// - Returns: the version before which other commits of the range may follow; nil if there are no more.
    /// - Throws: `ListError.unknownVersion`, `ListError.droppedVersion`, an error of the log, and what `goesOn` and
    ///   `send` throw.
    @discardableResult
    public func print(
        _ range: Span = Span(), limit: Int? = nil, while goesOn: (Double) throws -> Bool = { _ in true }
    ) throws -> Version? {
        var graph = CommitGraph(oldest: store.oldestVersion)
        let names = VersionNames(store)
        return try forEach(range, limit: limit, while: goesOn) { version, commit in
            switch try unlessDamaged({ try output(commit.get(), names, &graph) }) {
            case .success(let output): try send(output)
            case .failure(let damage): try send(output(version, damage))
            }
        }
    }

    /// Prints the newest commits, the oldest of them first, and then each commit when it is made, until the process or the
    /// store ends.
    public func follow(limit: Int?) throws {
        let updates = try store.updates()
        let newest = updates.initial.version
        // A new store has no commits, and one whose history was dropped has none left.
        if newest > store.oldestVersion {
            var range = Span()
            range.last = VersionName(newest)
            try printForward(range, limit: limit)
        }
        try waiting {
            for await update in updates {
                var range = Span()
                range.first = VersionName(update.versions.lowerBound)
                range.last = VersionName(update.versions.upperBound)
                try printForward(range, limit: nil)
            }
        }
    }

    private func printForward(_ range: Span, limit: Int?) throws {
        var commits: [Commit] = []
        try forEach(range, limit: limit) { try commits.append($0.commit.get()) }
        var graph = CommitGraph(oldest: .empty)
        let names = VersionNames(store)
        for commit in commits.reversed() { try send(output(commit, names, &graph)) }
    }

    /// Calls `body` with the commits of a range that the filter lets through, the newest first, and with the damage that is shown.
    ///
    /// - Returns: the version before which others may follow.
    @discardableResult
    private func forEach(
        _ range: Span, limit: Int?, while goesOn: (Double) throws -> Bool = { _ in true },
        _ body: (Entry) throws -> Void
    ) throws -> Version? {
        guard let (first, last) = try bounds(range), first <= last else { return nil }
        var left = limit ?? .max
        var next = last + 1
        var sections: [UntypedID]?
        let share = { (start: UInt64) in Double(last - start + 1) / Double(last - first + 1) }
        try forEachPart(first, last, limit: left) { part, start in
            for (version, commit) in part where left > 0 {
                let found: Result<Commit, any Error>
                switch try unlessDamaged({ try admits(commit.get(), range, &sections) }) {
                case .success(false): continue
                case .success(true): found = commit
                case .failure(let damage):
                    found = .failure(damage)
                    sections = nil
                }
                left -= 1
                next = version.rawValue
                try body((version, found))
                // Damage may be found only after many other commits were read.
                if case .failure = found, try !goesOn(share(next)) { return false }
            }
            if left == 0 { return false }
            next = start
            return try goesOn(share(start))
        }
        return next > first ? Version(next) : nil
    }

    /// What `body` returns, or the damage that it has met, if that is shown.
    private func unlessDamaged<Value>(_ body: () throws -> Value) throws -> Result<Value, any Error> {
        do { return .success(try body()) } catch {
            guard showsDamage, ListError.saysDamage(error) else { throw error }
            return .failure(error)
        }
    }

    /// Whether the filter and the times of a range let a commit through.
    ///
    /// - Parameter sections: the ids of the sections after the commit, nil if they are not known; afterwards those before it. Kept only if
    ///   a section is asked for.
    private func admits(_ commit: Commit, _ range: Span, _ sections: inout [UntypedID]?) throws -> Bool {
        var ids = sections ?? []
        if filter.section != nil, sections == nil {
            ids = try store.snapshot(at: commit.version).sections.map(\.id)
        }
        // The filter first: it also takes back what the commit did to the sections.
        let isAdmitted = try filter.admits(commit, store.source, &ids)
        // Of a row, there are others between this commit and the one before.
        sections = filter.row == nil ? ids : nil
        if let since = range.since, commit.time < since { return false }
        if let until = range.until, commit.time > until { return false }
        return isAdmitted
    }

    /// Calls `body` with the commits that have to be looked at, some at a time, the newest first, while it returns true. It also
    /// gets the version up to which the log was looked at.
    private func forEachPart(
        _ first: UInt64, _ last: UInt64, limit: Int, _ body: ([Entry], UInt64) throws -> Bool
    ) throws {
        if limit == 0 { return }
        // Most often only a few are wanted.
        var size = min(UInt64(clamping: limit), LogReport.partSize)
        var end = last
        while end >= first {
            var start = end - first >= size ? end - size + 1 : first
            var count = Int(end - start + 1)
            let part: [Entry]
            if let row = filter.row {
                let changes = try row.ids.flatMap { id in
                    try store.history(ofRow: id, before: Version(end + 1), limit: Int(size)).map(\.commit.version)
                }
                let versions = Set(changes.filter { $0.rawValue >= first }).sorted(by: >).prefix(Int(size))
                (count, start) = (versions.count, versions.count < size ? first : versions.last?.rawValue ?? first)
                part = try commits(versions)
            } else {
                part = try commits(start, end)
            }
            // If it ended early, most likely the next one has to be as short.
            if part.count < count, let last = part.last {
                (start, size) = (last.version.rawValue, UInt64(part.count))
            } else {
                size = min(2 * size, LogReport.partSize)
            }
            guard try body(part, start), start > first else { return }
            end = start - 1
        }
    }

    /// The commits from one version to another, the newest first, or only the first of these.
    private func commits(_ start: UInt64, _ end: UInt64) throws -> [Entry] {
        struct IsTooLong: Error {}
        let isTooLong: Bool
        do {
            var (part, bytes): ([Entry], Int) = ([], 0)
            try store.forEachCommit(in: Version(start)...Version(end)) { commit in
                bytes += commit.record.count
                if bytes > LogReport.partBytes { throw IsTooLong() }
                part.append((commit.version, .success(commit)))
            }
            return part.reversed()
        } catch {
            isTooLong = error is IsTooLong
            guard isTooLong || (showsDamage && ListError.saysDamage(error)) else { throw error }
        }
        // Each one that is damaged may take some milliseconds, and nobody is asked meanwhile whether to go on.
        let count = isTooLong ? LogReport.partSize : LogReport.damagedSize
        return try commits((start...end).reversed().prefix(Int(count)).map { Version($0) })
    }

    /// Commits one by one, or as many of these as may be in memory, but at least one. Reading a range of them is faster.
    private func commits(_ versions: some Sequence<Version>) throws -> [Entry] {
        var (part, bytes): ([Entry], Int) = ([], 0)
        for version in versions where bytes <= LogReport.partBytes {
            let commit = try unlessDamaged { try store.commit(version) }
            if case .success(let commit) = commit { bytes += commit.record.count }
            part.append((version, commit))
        }
        return part
    }

    /// The first and the last version of a range; nil if there are none.
    private func bounds(_ range: Span) throws -> (UInt64, UInt64)? {
        let (newest, oldest) = (try store.version, store.oldestVersion)
        let named = [try range.first?.firstCommit(in: store), try range.last?.lastCommit(in: store)]
        if range.first != nil && named[0] == nil || range.last != nil && named[1] == nil { return nil }
        for version in named.compactMap(\.self) {
            if version == .empty || version > newest { throw ListError.unknownVersion(version, head: newest) }
            // The commit of the oldest version was dropped too.
            if version <= oldest { throw ListError.droppedVersion(version, oldest: oldest) }
        }
        var (first, last) = (named[0] ?? oldest.next, named[1] ?? newest)
        // The clock may have gone back, so that earlier commits have later times; these are then found by the time of each.
        if let since = range.since {
            first = max(first, try store.version(at: Timestamp(microseconds: since.microseconds - 1)).next)
        }
        if let until = range.until { last = min(last, try store.version(at: until)) }
        return first <= last ? (first.rawValue, last.rawValue) : nil
    }

    private func output(_ commit: Commit, _ names: VersionNames, _ graph: inout CommitGraph) throws -> [UInt8] {
        let names = names.of(commit.version)
        if format == .json { return try json(commit, names) }
        var lines = try text(commit, names)
        guard hasGraph else { return Array((lines.joined(separator: "\n") + "\n").utf8) }
        let (joins, marks, below, ends) = graph.draw(commit)
        lines[0] = marks + lines[0]
        for index in lines.indices.dropFirst() { lines[index] = below + lines[index] }
        return Array(((joins + lines + ends).joined(separator: "\n") + "\n").utf8)
    }

    /// The line of a version whose commit cannot be read.
    private func output(_ version: Version, _ damage: any Error) -> [UInt8] {
        JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.member("unreadable", Diagnostic.text(damage))
        }
    }

    /// A commit as text: a line for it, and lines below.
    private func text(_ commit: Commit, _ names: [String]) throws -> [String] {
        let version = style.bold("version \(commit.version)")
        var line = "\(version)  \(commit.time.text)  \(LogReport.summary(commit))"
        if !names.isEmpty { line += "  named " + names.map { "\"\($0.shown)\"" }.joined(separator: ", ") }
        switch detail {
        case .line: return [line]
        case .counts: return [line, "    \(try EventCounts(commit.events()).text)"]
        case .events, .everything:
            let (text, events) = (EventText(source: store.source), try commit.events())
            var lines = [line]
            for event in shown(events) {
                let (event, omitted) = shown(event)
                lines += try text.lines(event).map { "    \($0)" }
                if omitted > 0 { lines.append("    … and \(EventText.count(omitted, "row")) more (--full)") }
            }
            let omitted = events.count - shown(events).count
            if omitted > 0 { lines.append("    … and \(EventText.count(omitted, "event")) more (--full)") }
            return lines
        }
    }

    private func shown(_ events: [ListEvent]) -> ArraySlice<ListEvent> {
        detail == .everything ? events[...] : events.prefix(LogReport.eventLimit)
    }

    private func shown(_ event: ListEvent) -> (ListEvent, omitted: Int) {
        if detail == .everything { return (event, 0) }
        return event.shortened(to: LogReport.rowLimit, contentBytes: LogReport.contentLimit)
    }

    /// Why a commit was made, what it is called, and who made it.
    static func summary(_ commit: Commit) -> String {
        let (word, preposition) = commit.cause.words
        let cause = commit.cause.target.map { "\(word) \(preposition) \($0)" } ?? word
        let origin = commit.origin.isEmpty ? "" : " by \(commit.origin.shown)"
        return "\(cause)  \"\(commit.name.shown)\"\(origin)" + marks(commit).map { "  \($0)" }.joined()
    }

    /// The special properties of a commit in the history.
    private static func marks(_ commit: Commit) -> [String] {
        var marks: [String] = []
        if commit.continuesStep { marks.append("continues the step") }
        switch commit.tracking {
        case .shared: break
        case .own: marks.append("own history")
        case .untracked: marks.append("untracked")
        }
        if commit.isDiscardable { marks.append("discardable") }
        return marks
    }

    /// A commit as one line of JSON.
    private func json(_ commit: Commit, _ names: [String]) throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.writeHeader(commit)
            if !names.isEmpty {
                writer.key("names")
                writer.array { writer in for name in names { writer.write(name) } }
            }
            switch detail {
            case .line: break
            case .counts:
                writer.key("counts")
                writer.write(try EventCounts(commit.events()))
            case .events, .everything:
                let events = try commit.events()
                writer.key("events")
                var omittedRows = 0
                try writer.array { writer in
                    for event in shown(events) {
                        let (event, omitted) = shown(event)
                        try writer.write(event, store.source)
                        omittedRows += omitted
                    }
                }
                if omittedRows > 0 { writer.member("omittedRows", omittedRows) }
                let omitted = events.count - shown(events).count
                if omitted > 0 { writer.member("omittedEvents", omitted) }
            }
        }
    }
}
