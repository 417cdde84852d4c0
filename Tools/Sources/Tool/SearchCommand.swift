// `listory search`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Print the rows whose content has some words.",
        discussion: """
            The words may be anywhere in the texts and numbers of a content, in any order, in upper or lower case, with or \
            without accents. A line has the position [section, row], the box, the title and the id of a row. As json, each \
            row is one line, with the id of its section. To search what the rows were once, use log --text.

            Example:
              listory search todo.listory "oat milk"
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The words.")
    var words: String

    @OptionGroup var at: AtOption

    @Option(help: ArgumentHelp("Print at most this many rows.", valueName: "count"))
    var limit: Int?

    @OptionGroup var output: ReportOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
        if SearchWords(words).isEmpty { throw ValidationError("words: expected at least one, found none") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let style = output.color.style
        let bar = ProgressBar("searching")
        defer { bar.finish() }
        try output.pager.page {
            try SearchReport(at.snapshot(in: store), store.source)
                .print(SearchWords(words), limit: limit, output.format.value, style) {
                    bar.update($0)
                    try Standard.output.checkReader()
                } send: {
                    bar.finish()
                    try Standard.output.write($0)
                }
        }
        try store.close()
    }
}
