// What happened to rows: their histories, the commits that made them as they are, why they are where they are, and those that
// were deleted.
//
// Always holds: the index of touches answers; the log is not read through. An answer about the trash ends after some rows or
// some time.

import ListModel
import Listory
import ToolSupport

extension InspectedStore {
    /// `/api/history`.
    func history(_ query: Query, _ writer: inout JSONWriter) throws {
        let id = try query.id()
        let limit = try query.number("limit", 1...200, default: 50)
        let report = try RowHistoryReport(
            query.flag("section") ? .section(id) : .row(id), in: store, before: query.version("before"),
            limit: limit + 1)
        let lines = report.json().split(separator: UInt8(ascii: "\n"))
        writer.key("changes")
        writer.array { writer in
            for line in lines.prefix(limit) { writer.write(json: line) }
        }
        var next: Int64?
        if lines.count > limit,
            case .integer(let version)? = try JSONValue(parsing: lines[limit - 1]).members?["version"]
        {
            next = version
        }
        writer.writeNext(next)
    }

    /// `/api/blame`.
    func blame(_ query: Query, _ writer: inout JSONWriter) throws {
        if query.text("id") != nil {
            guard query.text("from") == nil, query.text("limit") == nil else {
                throw RequestError(.invalidRequest, "expected either id or a window, found both")
            }
        }
        let snapshot = try store.snapshot
        try snapshot.reading {
            let lines = snapshot.rows(in: .rowsWithHeaders)
            let paths =
                try query.text("id") == nil
                ? window(query, lines) : [query.id().path(in: snapshot, of: store)].compactMap(\.self)
            let rows = paths.compactMap { path in snapshot.item(at: path).map { (path, $0) } }
            let blames = try store.blame(ofRows: rows.map(\.1.id))
            writer.member("version", snapshot.version.rawValue)
            writer.key("rows")
            try writer.array { writer in
                for ((path, row), blame) in zip(rows, blames) {
                    try writer.object { writer in
                        writer.writePlace(path, lines)
                        writer.key("row")
                        try writer.object { try $0.writeMembers(of: row, source) }
                        for (name, commit) in blame.parts {
                            guard let commit else { continue }
                            writer.key(name)
                            writer.object { $0.write(membersOf: commit) }
                        }
                    }
                }
            }
        }
    }

    /// `/api/trash`.
    func trash(_ query: Query, _ writer: inout JSONWriter) throws {
        let limit = try query.number("limit", 1...1000, default: 50)
        let words = SearchWords(query.text("words") ?? "")
        let before = try query.version("before")?.version(in: store)
        let version = try store.version
        let (rows, next) = try trash(words, before: before, limit: limit + 1)
        writer.member("version", version.rawValue)
        writer.key("rows")
        try writer.array { writer in
            for row in rows.prefix(limit) {
                try writer.object { writer in
                    writer.key("row")
                    try writer.object { try $0.writeMembers(of: row.row, source) }
                    writer.write(id: row.sectionID, as: "section")
                    writer.member("title", row.sectionTitle.shown)
                    writer.member("last", row.lastVersion.rawValue)
                    writer.key("deleted")
                    writer.object { $0.write(membersOf: row.commit) }
                }
            }
        }
        writer.member("more", rows.count > limit)
        writer.writeNext(next?.rawValue)
    }

    /// Deleted rows with some words.
    ///
    /// - Returns: the rows, and the version before which the search has to continue, if the time was over. All rows that the
    ///   commit of that version deleted were looked at.
    private func trash(
        _ words: SearchWords, before: Version?, limit: Int
    ) throws -> (rows: [UntypedTrashedRow], next: Version?) {
        struct TimeIsOver: Error {}
        let budget = Budget(answerTime)
        while true {
            let count = store.replacementCount
            var rows: [UntypedTrashedRow] = []
            var last: Version?
            var isWhole = true
            do {
                _ = try store.trash(before: before, limit: limit) { row in
                    if let last, last != row.commit.version, !budget.isLeft { throw TimeIsOver() }
                    last = row.commit.version
                    guard
                        try words.isEmpty
                            || source.withShownContent(of: row.row.content, { words.match(content: $0) })
                    else { return false }
                    rows.append(row)
                    return true
                }
            } catch is TimeIsOver {
                isWhole = false
            }
            // Otherwise the store has begun again, so that some rows may be there twice.
            if store.replacementCount == count { return (rows, isWhole ? nil : last) }
        }
    }

    /// The parameters of `/api/why`.
    static let whyParameters = [
        "id", "at", "section", "outline", "unchecked", "filter", "search", "group", "sort", "descending", "limit",
    ]

    /// `/api/why`.
    func why(_ query: Query, _ writer: inout JSONWriter) throws {
        var view = ViewRequest()
        view.sections = query.texts("section").map { IdentifierText($0) }
        (view.isOutline, view.isUnchecked) = (try query.flag("outline"), try query.flag("unchecked"))
        view.filters = try query.texts("filter").map { text in
            if let filter = ViewRequest.filter(text) { return filter }
            throw RequestError(
                .invalidRequest, "filter: expected a member and a value like due=3, found \"\(text.shown)\"")
        }
        (view.words, view.sortKey) = (query.text("search") ?? "", query.text("sort"))
        view.groupKey = query.text("group")
        view.isDescending = try query.flag("descending")
        if query.text("limit") != nil { view.limit = try query.number("limit", 0...Int.max, default: 0) }
        let (id, version) = (try query.id(), try query.version("at"))
        guard let report = try ExplanationReport.ifKnown(id, in: store, at: version, through: view) else {
            writer.key("text")
            return writer.write(.array([]))
        }
        try writer.writeMembers(ofLine: report.json())
        writer.key("text")
        writer.write(.array(try report.text().split(separator: "\n").map { .string(String($0)) }))
    }

    /// The rows in a window of lines.
    private func window(_ query: Query, _ lines: LaidOutRows) throws -> [ListIndexPath] {
        let from = try query.number("from", 0...Int.max, default: 0)
        let limit = try query.number("limit", 1...200, default: 50)
        return lines.indices.clamped(to: from..<from + min(limit, .max - from)).compactMap { line in
            if case .item(let path) = lines.place(at: line) { path } else { nil }
        }
    }
}
