// `listory record`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Print the record of one commit: its header, its events, its bytes.",
        discussion: """
            The record is what stands in the log, as the description of the file format says; that of a packed commit is \
            made again as it was.

            Example:
              listory record todo.listory 12 --hex
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The version that the commit made.", transform: { try VersionName($0) })
    var version: VersionName

    @Flag(help: "Print the bytes as well.")
    var hex = false

    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let report = RecordReport(try store.commit(version.version(in: store)), store.source, hasBytes: hex)
        try output.print(text: report.text, json: report.json)
        try store.close()
    }
}
