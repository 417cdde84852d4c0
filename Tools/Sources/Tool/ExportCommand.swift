// `listory export`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write down everything that ever happened to a store, as JSON lines.",
        discussion: """
            A line says what follows. Then each commit has a line, {"commit":{…}}, and after it each of its events, as \
            log --json prints them. import --format log makes a store of it with the same rows and the same hash at every \
            version: names, times, origins, branches, undo and redo, annotations included.

            Contents that are no JSON, or are written in another way than the tool writes JSON, are {"$base64":…} or \
            {"$utf8":…}; ids that are UUIDs are {"$uuid":…}. If compact has dropped history, the first line has the rows and \
            histories with which the log begins.

            Example:
              listory export todo.listory > todo.jsonl
              listory import copy.listory todo.jsonl --format log
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("exporting", beside: Standard.output)
        defer { bar.finish() }
        try ExportReport(store).print(progress: { bar.update($0) }, send: { try Standard.output.write($0) })
        try store.close()
    }
}
