// `listory verify`. Always holds: it changes nothing.

import ArgumentParser
import Listory
import ToolSupport

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every page, record and hash of a store.",
        discussion: """
            The whole log is replayed, and the rows after every commit are compared with their hash; so is \
            every node of the checkpoints. The exit code is 4 if the store is damaged, 3 if it is missing, something \
            else, or of a newer version.

            Example:
              listory verify todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var format: FormatOption

    func run() throws {
        var bar = ProgressBar("verifying")
        defer { bar.finish() }
        let outcome = Result { try store.file.verify { bar.update($0) } }
        bar.finish()
        if format.value == .json { try Standard.output.write(VerificationReport.json(outcome)) }
        let found = try outcome.get()
        if format.value == .text { try Standard.output.write(VerificationReport.text(found)) }
    }
}
