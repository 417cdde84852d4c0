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

    func run() throws {
        try UntypedStore.create(at: store.path).close()
    }
}
