// `listory new`. Always holds: an existing file is not changed.

import ArgumentParser
import Listory
import ToolSupport

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make an empty store.",
        discussion: """
            A second file, with -lock after its name, will stand beside the store. If there is a file already, nothing \
            happens and the exit code is 1.

            Example:
              listory new todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try UntypedStore.create(at: store.path)
        let rows = try store.snapshot
        try store.close()
        if json.isOn { try json.write(SummaryReport(rows)) }
    }
}
