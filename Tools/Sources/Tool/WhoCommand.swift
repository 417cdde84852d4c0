// `listory who`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct WhoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who",
        abstract: "Print which other processes have a store open.",
        discussion: """
            A line for each has its number, whether it edits or only reads and, on Linux, the name of its program. As \
            json, each process is one line.

            Example:
              listory who todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var format: FormatOption

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let report = ProcessReport(try store.otherProcesses())
        try format.write(text: report.text(), json: report.json())
        try store.close()
    }
}
