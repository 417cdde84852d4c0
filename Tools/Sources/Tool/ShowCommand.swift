// `listory show`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the rows, of the newest version or of an older one.",
        discussion: """
            As text, sections are headers and rows have a box and their title; json is one object with everything; \
            raw is the contents that are strings, one after another with nothing between. With --row it is one row with its \
            whole content.

            A VERSION is \(VersionNameError.expected). A time is in UTC unless it ends with an offset like +02:00, and \
            means the newest version then, or the oldest that there is.

            Example:
              listory show todo.listory --at 12 --format json
              listory show todo.listory --at 2026-03-01T12:30 --section today
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, raw
    }

    @OptionGroup var store: StoreArgument
    @OptionGroup var at: AtOption

    @Option(help: ArgumentHelp("Only the rows of this section.", valueName: "id"))
    var section: String?

    @Option(help: ArgumentHelp("Only this row.", valueName: "id"))
    var row: String?

    @Option(help: ArgumentHelp("Print at most this many rows.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("How the rows are printed.", valueName: "format"))
    var format: Format = .text

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var isJSON = false

    @OptionGroup var color: ColorOption
    @OptionGroup var pager: PagerOption

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
        if isJSON && format == .raw { throw ValidationError("expected one of --json and --format raw, found both") }
        if row != nil && (section != nil || limit != nil || format == .raw) {
            throw ValidationError("--row: expected neither --section nor --limit nor raw beside it")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let style = color.style
        try pager.page { try print(store, style) }
        try store.close()
    }

    private func print(_ store: UntypedStore, _ style: TerminalStyle) throws {
        if let row {
            let found = try RowReport(IdentifierText(row), in: store, at: at.version)
            try Standard.output.write(isJSON || format == .json ? found.json() : Array(found.text().utf8))
        } else {
            let rows = try at.snapshot(in: store)
            try rows.reading {
                let report = try SnapshotReport(
                    rows, source: store.source, section: section.map { IdentifierText($0) }, limit: limit)
                switch isJSON ? .json : format {
                case .text: try report.text(style) { try Standard.output.write($0) }
                case .json: try report.json { try Standard.output.write($0) }
                case .raw: try report.raw { try Standard.output.write($0) }
                }
            }
        }
    }
}
