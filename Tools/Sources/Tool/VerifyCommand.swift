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
            every node of the checkpoints. If something is wrong, the rest of the file is searched as well, to say how \
            much salvage would save. With --quick the store is only opened, as an app opens it, and its newest rows are \
            read.

            The exit code is 0 if nothing is wrong, 4 if the store is damaged, 3 if it is missing, something else, or of \
            a newer version, 1 if it is just being compacted or repaired, 5 if reading failed or this process may not \
            read it.

            Example:
              listory verify todo.listory
            """)

    @OptionGroup var store: StoreArgument

    @Flag(name: .customLong("quick"), help: "Only open the store and read its newest rows.")
    var isQuick = false

    @OptionGroup var format: FormatOption

    func run() throws {
        let bar = ProgressBar("verifying")
        defer { bar.finish() }
        let file = store.file
        if isQuick {
            let outcome = Result { try file.check() }
            bar.finish()
            if format.value == .json { try Standard.output.write(QuickReport.json(outcome)) }
            let found = try outcome.get()
            if format.value == .text { try Standard.output.write(found.text) }
            return
        }
        let outcome = Result { try file.verify { bar.update($0) } }
        let survey = file.survey(after: outcome)
        bar.finish()
        if format.value == .json { try Standard.output.write(VerificationReport.json(outcome, survey)) }
        if case .failure(let cause) = outcome, let survey { throw DamagedStore(cause: cause, survey: survey) }
        let found = try outcome.get()
        if format.value == .text { try Standard.output.write(VerificationReport.text(found)) }
    }
}
