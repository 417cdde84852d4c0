// `listory demo`, which also runs without arguments. Always holds: it works in a temporary folder, and removes it.

import ArgumentParser
import ToolSupport

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what the project is for: edits, undo, the past, a crash and the recovery.",
        discussion: """
            Takes some seconds, and leaves nothing behind.

            Example:
              listory demo
            """)

    @Option(help: ArgumentHelp("Write to a store until killed; for the demo's own child.", visibility: .private))
    var writer: String?

    @OptionGroup var json: JSONOption

    func run() throws {
        if let writer { try DemoWriter.run(path: writer) }
        let executable = ThisProgram.path ?? CommandLine.arguments[0]
        let demo = try Demo(style: Standard.style()) { Standard.output.tryWrite($0 + "\n") }
        try demo.run { [executable, "demo", "--writer", $0] }
    }
}
