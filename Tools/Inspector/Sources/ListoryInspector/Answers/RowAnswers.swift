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
        let (id, snapshot) = (try query.id(), try store.snapshot)
        writer.member("version", snapshot.version.rawValue)
        let path = try path(of: id, in: snapshot)
        let row = try snapshot.showing { path.flatMap { snapshot.item(at: $0) } }
        writer.key("commits")
        guard let row, let blame = try store.blame(ofRows: [row.id]).first else { return writer.writeNull() }
        writer.object { $0.write(commits: blame.parts) }
    }

    /// `/api/trash`.
    func trash(_ query: Query, _ writer: inout JSONWriter) throws {
        let limit = try query.number("limit", 1...1000, default: 50)
        let words = SearchWords(query.text("words") ?? "")
        let before = try query.version("before")?.version(in: store)
        let version = try store.version
        let (rows, next, damage) = try trash(words, before: before, limit: limit + 1)
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
        if let damage { writer.write(damage: damage) }
        writer.writeNext(next?.rawValue)
    }

    /// Deleted rows with some words.
    ///
    /// - Returns: the rows, and the version before which the search has to continue, if the time was over. All rows that the
    ///   commit of that version deleted were looked at. Or the damage at which the search has ended.
    private func trash(
        _ words: SearchWords, before: Version?, limit: Int
    ) throws -> (rows: [UntypedTrashedRow], next: Version?, damage: (any Error)?) {
        struct TimeIsOver: Error {}
        let budget = Budget(answerTime)
        while true {
            let count = store.replacementCount
            var rows: [UntypedTrashedRow] = []
            var last: Version?
            var isWhole = true
            var damage: (any Error)?
            do {
                let found = try sound {
                    try store.trash(before: before, limit: limit) { row in
                        if let last, last != row.commit.version, !budget.isLeft { throw TimeIsOver() }
                        last = row.commit.version
                        guard try words.isEmpty || has(words, row.row) else { return false }
                        rows.append(row)
                        return true
                    }
                }
                if case .failure(let error) = found { damage = error }
            } catch is TimeIsOver {
                isWhole = false
            }
            // Otherwise the store has begun again, so that some rows may be there twice.
            if store.replacementCount == count { return (rows, isWhole ? nil : last, damage) }
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
}
