// The option of commands that use the history. Always holds: without it, they use the shared history.

import ArgumentParser

/// The origin whose history a command uses.
struct OriginOption: ParsableArguments {
    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "Who does it, in a store where everybody undoes their own. Without it, the history is the one that all share.",
            valueName: "name"))
    var name: String?
}
