// `listory diff`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what leads from one version to another.",
        discussion: """
            The second version may be the older one. Version 0 is the empty list, unless it \
            was dropped by compact. As text, a line begins with - for \
            what was deleted, + for what was inserted, → for what moved and ~ for what changed in itself; positions \
            are [section, row]. As json, the changeset is the one that exec would answer with.

            Example:
              listory diff todo.listory 3 12
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The version to begin with.")
    var from: UInt64

    @Argument(help: "The version to end with.")
    var to: UInt64

    @OptionGroup var format: FormatOption

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let report = DifferenceReport(
            from: try store.snapshot(at: Version(from)), to: try store.snapshot(at: Version(to)), source: store.source)
        switch format.value {
        case .text: try Standard.output.write(report.text(Standard.style))
        case .json: try Standard.output.write(report.json())
        }
        try store.close()
    }
}
