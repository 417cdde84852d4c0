// `listory replay`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Fold the whole log again, and compare the rows with those that there were.",
        discussion: """
            After each commit, the hash of the rows is compared with the one that the commit has. With --hashes, each \
            version and its hash is a line; --against compares with such lines of another build of the tool. The exit code is \
            4 if a hash is not that of the log, 1 if it is not that of the other build.

            Example:
              old/listory replay todo.listory --hashes > hashes
              new/listory replay todo.listory --against hashes
            """)

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print each version and its hash.")
    var hashes = false

    @Option(
        help: ArgumentHelp("Compare with the hashes in this file; - is standard input.", valueName: "file"),
        completion: .file())
    var against: String?

    @OptionGroup var format: FormatOption

    func run() throws {
        let others = try against.map { try ReplayReport.Hashes(path: $0) }
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("replaying")
        defer { bar.finish() }
        try ReplayReport(store).print(
            others, printsHashes: hashes, format.value, progress: { bar.update($0) },
            send: {
                if !$0.isEmpty { bar.finish() }
                try Standard.output.write($0)
            })
        try store.close()
    }
}
