// `listory backup`. Always holds: there is a file at the target only when it is complete and verified.

import ArgumentParser
import ToolSupport

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a store, also while an app edits it, and verify the copy.",
        discussion: """
            The copy has every commit that was saved before the command began. It gets its name when it is verified and \
            on the disk. The exit code is 1 if TARGET exists, 4 if the store is damaged, 3 if it is missing or something \
            else, 5 if reading or writing failed; then there is no file at TARGET.

            Example:
              listory backup todo.listory backups/todo-2026-03-01.listory
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The copy, a file that does not exist.", valueName: "target"), completion: .file())
    var target: String

    @OptionGroup var format: FormatOption

    func run() throws {
        let bar = ProgressBar("copying")
        defer { bar.finish() }
        let found = try store.file.backup(to: target) { bar.update($0) }
        bar.finish()
        try format.write(text: VerificationReport.text(found), json: VerificationReport.json(.success(found)))
    }
}
