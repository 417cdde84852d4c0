// The argument that every command has. Always holds: it is the first one.

import ArgumentParser
import ToolSupport

/// The store of a command.
struct StoreArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The file of the store.", valueName: "store"), completion: .file())
    var path: String

    var file: StoreFile { StoreFile(path: path) }
}
