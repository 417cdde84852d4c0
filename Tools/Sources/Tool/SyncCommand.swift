// `listory sync`. Always holds: the tool itself has no clients of servers; it becomes the program that has them.

import ArgumentParser

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Keep a store and a shared log together.",
        discussion: """
            Several devices keep one list: each has a store, and between them stands a log on a PostgreSQL or a NATS server. \
            A store that was never synchronised sends all its commits; a file that is not there is made from the log. \
            "listory sync --help-all" prints the options of the program listory-sync, which stands beside this tool or in \
            one of the folders of PATH. A server on another machine has to prove its name; --help-all says how.

            Example:
              listory sync todo.listory --with 'postgresql://anna@example.org/lists?sslrootcert=ca.pem' --list groceries
              listory sync todo.listory --with tls://example.org --list groceries --follow
              listory sync status todo.listory
              listory sync verify todo.listory --with tls://example.org --list groceries
              listory sync cluster
            """)

    @Argument(parsing: .captureForPassthrough, help: "The arguments of listory-sync.")
    var arguments: [String] = []

    // It is among the arguments, unless it stands before all of them.
    @OptionGroup var json: JSONOption

    func run() throws {
        var arguments = arguments == ["--help-all"] ? ["--help"] : arguments
        // After `--` it would be no flag.
        if json.isOn { arguments.insert("--json", at: arguments.firstIndex(of: "--") ?? arguments.endIndex) }
        try CompanionProgram.become("listory-sync", arguments, package: "Tools/Sync")
    }
}
