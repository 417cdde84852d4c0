// `listory inspect`. Always holds: the tool itself has no web server; it becomes the program that has one.

import ArgumentParser
import ToolSupport

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a store and its past in a browser.",
        discussion: """
            Serves a page to browsers on this machine, and prints the link that opens it. The link works once. The page shows \
            the list at any version, what changed, the log, the history of each row, and follows an app that is writing. \
            It ends when it is interrupted. As json, the link is {"link":…}.

            The page is served by the program listory-inspect, which stands beside this tool or in one of the folders of \
            PATH.

            Example:
              listory inspect todo.listory
              listory inspect todo.listory --port 8080 --allow-write
            """)

    @OptionGroup var store: StoreArgument

    @Flag(help: "The page may edit the list, undo and redo.")
    var allowWrite = false

    @Option(
        help: ArgumentHelp(
            "The port on which the page is served; 0 for any that is free. Without it, one that follows from the store's path.",
            valueName: "port"))
    var port: UInt16?

    @Flag(help: "End when the input ends, for programs that start this one.")
    var untilInputEnds = false

    @OptionGroup var json: JSONOption

    func run() throws {
        var arguments: [String] = []
        if let port { arguments += ["--port", "\(port)"] }
        if allowWrite { arguments.append("--allow-write") }
        if untilInputEnds { arguments.append("--until-input-ends") }
        if json.isOn { arguments.append("--json") }
        arguments += ["--", store.path]
        try CompanionProgram.become("listory-inspect", arguments, package: "Tools/Inspector")
    }
}
