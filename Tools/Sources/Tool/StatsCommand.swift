// `listory stats`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print how much a store holds.",
        discussion: """
            Steps are those that undo and redo can go in the history that all share.

            Example:
              listory stats todo.listory --format json
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var format: FormatOption

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let statistics = try store.statistics()
        try format.write(text: statistics.report, json: statistics.json)
        try store.close()
    }
}
