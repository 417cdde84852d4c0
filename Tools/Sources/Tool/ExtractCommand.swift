// `listory extract`. Always holds: the old store is only read; there is a file at the target only when it is complete.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Make a store of some commits, without what the rows say.",
        discussion: """
            A RANGE is VERSION..VERSION, the first and the last commit, or one VERSION. The first commit of the new store \
            inserts the rows that there were before; the commits of the range follow, with their events and times, all as \
            edits. Texts are redacted: each letter becomes x, each digit 0, each number 0; ids, the keys of contents, \
            checkmarks and the names of annotations stay. With --keep-contents nothing is redacted.

            Example:
              listory extract todo.listory head~20..head report.listory
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The commits, the first and the last.", transform: { try VersionRange($0) })
    var range: VersionRange

    @Argument(help: ArgumentHelp("The new store, a file that does not exist.", valueName: "target"))
    var target: String

    @Flag(help: "Leave texts and contents as they are.")
    var keepContents = false

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let range = try range.commits(in: store)
        var bar = ProgressBar("extracting")
        defer { bar.finish() }
        let found = try StoreFile(path: target).create { new in
            try Extraction(store, keepsContents: keepContents).write(range, to: new) { bar.update($0) }
        }
        bar.finish()
        try Standard.output.write(
            "version \(found.version), \(found.itemCount) items, hash \(found.stateHash)\n")
        try store.close()
    }
}
