// `listory import`. Always holds: an input that does not fit its format changes nothing.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

extension ImportFormat: ExpressibleByArgument {}

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a list or a recorded editing session.",
        discussion: """
            If there is no store, one is made. A gzip-compressed input is decompressed.

              markdown   headings become sections, items rows: - [ ] milk, 1. [x] bread; nested items are deeper
              lines      a row for each line, in a section "lines"
              jsonl      a row for each line: {"content":…}, and as wanted "id", "depth", "checked"
                         and "section"; any other JSON is itself the content
              editing-trace
                         {"startContent":…,"txns":[{"patches":[[position,deleted,"inserted"]]}]}
              log        what export prints; the store must not exist yet

            An import is one commit; ids that the input does not give count up from the greatest integer id in the \
            store. An editing trace is a commit for each transaction and a row for each Unicode scalar.

            Example:
              listory import todo.listory todo.md --format markdown
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("What to import; - is standard input.", valueName: "file"), completion: .file())
    var input: String

    @Option(help: ArgumentHelp("What the file holds.", valueName: "format"))
    var format: ImportFormat

    @Flag(help: "Undo what was typed without a pause in one step, as an app does, and not key by key.")
    var coalesce = false

    @Flag(help: "Print how long parsing, editing in memory and the rest of the wait for the disk took.")
    var timing = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        if format == .log && (coalesce || timing) {
            throw ValidationError("--format log: expected neither --coalesce nor --timing beside it")
        }
        if coalesce && format != .editingTrace {
            throw ValidationError("--coalesce: expected --format editing-trace beside it, found \(format.rawValue)")
        }
    }

    func run() throws {
        if format == .log { return try importLog() }
        var listImport = try ListImport(path: input, format: format)
        let store = try store.file.openOrCreate(coalescing: coalesce ? .standard : .never)
        let bar = ProgressBar("importing")
        defer { bar.finish() }
        try listImport.apply(to: store) { bar.update($0) }
        bar.finish()
        try json.write(report(listImport, store))
        // Nothing refers to its rows any more: closing can give the free pages of the file back.
        try store.close()
    }

    private func report(_ listImport: ListImport, _ store: UntypedStore) throws -> SummaryReport {
        var report = SummaryReport(try store.snapshot)
        if json.isOn {
            report.ignoredLines = listImport.ignoredLines
            if timing { report.seconds = listImport.seconds }
        } else if let first = listImport.ignoredLines.first {
            let count = listImport.ignoredLines.count
            let lines = count == 1 ? "line \(first)" : "\(count) lines from line \(first) on"
            Standard.error.tryWrite(Diagnostic.line("left out what is no item: \(lines)"))
        }
        if timing && !json.isOn { Standard.error.tryWrite(listImport.timing) }
        return report
    }

    private func importLog() throws {
        let bar = ProgressBar("importing")
        defer { bar.finish() }
        let found = try LogImport(path: input).write(to: store.path) { bar.update($0) }
        bar.finish()
        try Standard.output.write(
            json.isOn ? VerificationReport.json(.success(found)) : Array(VerificationReport.text(found).utf8))
    }
}
