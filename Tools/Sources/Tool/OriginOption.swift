// The option of commands that walk the history. Always holds: without it, the history is the one that all share.

import ArgumentParser

/// Whose history a command is about.
struct OriginOption: ParsableArguments {
    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "Who does it, in a store where everybody undoes their own. Without it, the history is the one that all share.",
            valueName: "name"))
    var name: String?
}
