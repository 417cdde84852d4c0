// `listory copy`. Always holds: there is a file at the target only when it is complete.

import ArgumentParser
import ToolSupport

struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a store, also while an app edits it, without verifying the copy.",
        discussion: """
            The copy is a store without the free pages of the old one. backup does the same, and then checks every record \
            and hash of the copy. The exit code is 1 if TARGET exists.

            Example:
              listory copy todo.listory experiment.listory
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The copy, a file that does not exist.", valueName: "target"), completion: .file())
    var target: String

    @OptionGroup var json: JSONOption

    func run() throws {
        let bar = ProgressBar("copying")
        defer { bar.finish() }
        let byteCount = try store.file.copy(to: target) { bar.update($0) }
        bar.finish()
        if json.isOn { try Standard.output.write(JSONWriter.line { $0.member("bytes", byteCount) }) }
    }
}
