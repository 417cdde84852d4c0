// `listory projections`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct ProjectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections",
        abstract: "Print the states of projections that a store keeps.",
        discussion: """
            A projection is a value that an app folds from the events, such as a count or an index. A line for each has its \
            name, the version of its rules, the version of the list up to which it is folded, and its size. As json, each \
            projection is one line.

            Example:
              listory projections todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var format: FormatOption

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let report = ProjectionReport(try store.storedProjections())
        try format.write(text: report.text(), json: report.json())
        try store.close()
    }
}
