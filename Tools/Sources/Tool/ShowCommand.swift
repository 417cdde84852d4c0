// `listory show`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the rows, of the newest version or of an older one.",
        discussion: """
            As text, sections are headers and rows have a box and their title; json is one object with everything; \
            raw is the contents that are strings, one after another with nothing between.

            A DATE is 2026-03-01, which means its beginning in UTC, or 2026-03-01T12:30:00Z, with a fraction or \
            another offset as wanted; the rows are those of the newest version then, or of the oldest that there is.

            Example:
              listory show todo.listory --at 12 --format json
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, raw
    }

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("The version or the date to print; the newest without it.", valueName: "version|date"))
    var at: VersionOrDate?

    @Option(help: ArgumentHelp("How the rows are printed.", valueName: "format"))
    var format: Format = .text

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let snapshot = try at.map { try $0.snapshot(in: store) } ?? store.snapshot
        let report = SnapshotReport(snapshot, source: store.source)
        switch format {
        case .text: try report.text(Standard.style) { try Standard.output.write($0) }
        case .json: try report.json { try Standard.output.write($0) }
        case .raw: try report.raw { try Standard.output.write($0) }
        }
        try store.close()
    }
}

extension VersionOrDate: ExpressibleByArgument {
    /// A version or a date from a command line.
    public init?(argument: String) { self.init(argument) }
}
