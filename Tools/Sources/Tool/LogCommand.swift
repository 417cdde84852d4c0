// `listory log`. Always holds: it changes nothing; commits come in order, the newest first.

import ArgumentParser
import ListModel
import ToolSupport

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print what happened, commit by commit, the newest first.",
        discussion: """
            A commit is an edit, or an undo, redo, go, revert or restore of another. Marks tell that it continues the \
            step before it, is in the history of its origin or in none (untracked), or does not matter to the user \
            (discardable). As json, each commit is one line. In a compacted store the log begins after the oldest version; \
            the exit code is 1 for a version before.

            With --graph, a column is a branch: ● is a revision, · a commit that is none (an undo, redo or go, or \
            untracked). ◉ is where a history stood after the newest commit that is printed: the shared history, and that of \
            each origin that has its own. ╵ ends the column of a revision that has none before it.

            A commit is printed if each of the filters fits it or one of its events. Kinds of events: \
            \(ListEvent.kindNames.joined(separator: ", ")).

            Example:
              listory log todo.listory --limit 3
              listory log todo.listory --row 7 --since 2026-03-01 --oneline
              listory log todo.listory --follow
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("The first version to print.", valueName: "version"),
        transform: { try VersionName($0) })
    var from: VersionName?

    @Option(
        help: ArgumentHelp("The last version to print.", valueName: "version"), transform: { try VersionName($0) })
    var to: VersionName?

    @Option(help: ArgumentHelp("Only commits made at this time or later.", valueName: "date"), transform: time)
    var since: Timestamp?

    @Option(help: ArgumentHelp("Only commits made at this time or earlier.", valueName: "date"), transform: time)
    var until: Timestamp?

    @OptionGroup var limit: LimitOption

    @Option(
        help: ArgumentHelp(
            "Only commits of this cause: \(LogFilter.causeNames.joined(separator: ", ")).", valueName: "cause"),
        completion: .list(LogFilter.causeNames))
    var cause: [String] = []

    @Option(
        help: ArgumentHelp("Only commits with an event of this kind.", valueName: "kind"),
        completion: .list(ListEvent.kindNames))
    var kind: [String] = []

    @Option(help: ArgumentHelp("Only commits that changed this row.", valueName: "id"))
    var row: String?

    @Option(help: ArgumentHelp("Only commits that change this section or rows in it.", valueName: "id"))
    var section: String?

    @Option(help: ArgumentHelp("Only commits of this origin.", valueName: "name"))
    var origin: String?

    @Option(help: ArgumentHelp("Only commits with these words in their name.", valueName: "words"))
    var name: String?

    @Option(help: ArgumentHelp("Only commits with these words in a content or title.", valueName: "words"))
    var text: String?

    @Flag(help: "A line for each commit, without its events.")
    var oneline = false

    @Flag(help: "How much each commit changed, instead of its events.")
    var stat = false

    @Flag(help: "Print all rows and events of a commit, also if they are very many.")
    var full = false

    @Flag(help: "Draw the branches.")
    var graph = false

    @Flag(help: "Print the newest last, and then each commit when it is made, also by another process.")
    var follow = false

    @OptionGroup var output: ReportOptions

    private static func time(_ text: String) throws -> Timestamp {
        if let time = CompactionRequest.time(text) { return time }
        throw ValidationError("expected a date like 2026-03-01 or 2026-03-01T12:30, found \"\(text.visible)\"")
    }

    private var filter: LogFilter {
        var filter = LogFilter()
        (filter.causes, filter.kinds, filter.origin) = (cause, kind, origin)
        (filter.row, filter.section) = (row.map { IdentifierText($0) }, section.map { IdentifierText($0) })
        (filter.name, filter.text) = (name.map { SearchWords($0) }, text.map { SearchWords($0) })
        return filter
    }

    func validate() throws {
        for (option, values, names) in [
            ("--cause", cause, LogFilter.causeNames), ("--kind", kind, ListEvent.kindNames),
        ] {
            guard let unknown = values.first(where: { !names.contains($0) }) else { continue }
            throw ValidationError("\(option): expected one of \(names.joined(separator: ", ")), found \(unknown)")
        }
        if [oneline, stat, full].count(where: \.self) > 1 {
            throw ValidationError("expected one of --oneline, --stat and --full, found several")
        }
        let isRange = from != nil || to != nil || since != nil || until != nil
        if follow && (isRange || graph) {
            throw ValidationError("--follow: expected neither a range nor --graph beside it")
        }
        if graph && (!filter.isEmpty || output.format.value == .json) {
            throw ValidationError("--graph: expected neither a filter nor json beside it")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("searching")
        defer { bar.finish() }
        var report = LogReport(store, output.format.value, output.color.style) {
            bar.finish()
            try Standard.output.write($0)
        }
        report.filter = filter
        report.detail = oneline ? .line : stat ? .counts : full ? .everything : .events
        report.hasGraph = graph
        var range = LogReport.Span()
        (range.first, range.last, range.since, range.until) = (from, to, since, until)
        if follow {
            try report.follow(limit: limit.count)
        } else {
            try output.pager.page {
                try report.print(range, limit: limit.count) { part in
                    bar.update(part)
                    try Standard.output.checkReader()
                    return true
                }
            }
        }
        try store.close()
    }
}
