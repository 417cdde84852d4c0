// `listory why`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a row is where it is, or is not shown.",
        discussion: """
            Prints where the row is, and the commits behind it: the one with which it came into the list, those that last \
            changed its content, checkmark and depth, those that last moved it or its section, the one that deleted it, and \
            what its content was before.

            Describe a view as an app shows it with the options, to learn what each part of it decides about the row. They \
            apply in the order in which they stand here. As json, it is one object.

            Example:
              listory why todo.listory 7
              listory why todo.listory 7 --unchecked --sort due --limit 20 --at 12
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The id of the row.")
    var id: String

    @OptionGroup var at: AtOption

    @Option(help: ArgumentHelp("The view shows this section; may be repeated.", valueName: "id"))
    var section: [String] = []

    @Flag(help: "The view hides the rows below collapsed rows.")
    var outline = false

    @Flag(help: "The view leaves out rows that are checked.")
    var unchecked = false

    @Option(
        help: ArgumentHelp(
            "The view leaves out rows whose content does not have this member, or title, with this value; may be repeated.",
            valueName: "member=value"))
    var filter: [String] = []

    @Option(help: ArgumentHelp("The view shows the rows with these words.", valueName: "words"))
    var search = ""

    @Option(
        help: ArgumentHelp(
            "The view has a section for each value of this member of the contents, or of title.", valueName: "member"))
    var group: String?

    @Option(
        help: ArgumentHelp("The view is sorted by this member of the contents, or by title.", valueName: "name"))
    var sort: String?

    @Flag(help: "The view is sorted backwards.")
    var descending = false

    @Option(help: ArgumentHelp("The view shows so many rows.", valueName: "count"))
    var limit: Int?

    @OptionGroup var output: ReportOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
        for filter in filter where ViewRequest.filter(filter) == nil {
            throw ValidationError("--filter: expected a member and a value like due=3, found \"\(filter.visible)\"")
        }
        if descending && sort == nil { throw ValidationError("--descending: expected --sort beside it") }
    }

    func run() throws {
        var view = ViewRequest()
        view.sections = section.map { IdentifierText($0) }
        (view.isOutline, view.isUnchecked, view.words) = (outline, unchecked, search)
        view.filters = filter.compactMap(ViewRequest.filter)
        view.groupKey = group
        (view.sortKey, view.isDescending, view.limit) = (sort, descending, limit)
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("looking")
        defer { bar.finish() }
        let report = try ExplanationReport(IdentifierText(id), in: store, at: at.version, through: view)
        bar.finish()
        try output.print(text: report.text, json: report.json)
        try store.close()
    }
}
