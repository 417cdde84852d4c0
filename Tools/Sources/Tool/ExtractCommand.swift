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
            checkmarks and the names of annotations stay, and origins are numbered. With --keep-contents nothing is redacted.

            With --where or --failing, only what is needed is copied: the first commit of the range after which something is \
            wrong, without the events and the rows without which it is wrong as well. Conditions and programs are those of \
            bisect; the version before the range must be good, and its last one bad. A program sees the rows as they are \
            copied, so without --keep-contents they are redacted.

            With --test, a file for Swift Testing is written too. Its test makes the new store with the library, and fails \
            as long as something is wrong.

            Events that this build of the tool does not know are left out, and the result says how many.

            Example:
              listory extract todo.listory head~20..head report.listory
              listory extract todo.listory first..head small.listory --where 'row 7 in done' --test SmallTests.swift
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The commits, the first and the last.", transform: { try VersionRange($0) })
    var range: VersionRange

    @Argument(
        help: ArgumentHelp("The new store, a file that does not exist.", valueName: "target"), completion: .file())
    var target: String

    @Flag(help: "Leave texts and contents as they are.")
    var keepContents = false

    @Option(
        name: .customLong("where"), help: ArgumentHelp("What is true of bad versions.", valueName: "condition"),
        transform: { try RowCondition($0) })
    var condition: RowCondition?

    @Option(
        name: .customLong("failing"),
        help: ArgumentHelp("The program that judges the rows, a command for the shell.", valueName: "command"))
    var program: String?

    @Option(help: ArgumentHelp("How long to look for less; by default 50.", valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp("Write a test into this file, which must not exist.", valueName: "file"),
        completion: .file())
    var test: String?

    @OptionGroup var json: JSONOption

    func validate() throws {
        if condition != nil && program != nil {
            throw ValidationError("expected one of --where and --failing, found both")
        }
        for (name, isGiven) in [("--test", test != nil), ("--seconds", seconds != nil)]
        where isGiven && condition == nil && program == nil {
            throw ValidationError("\(name): expected --where or --failing beside it, found none")
        }
        if let seconds, !(0...1e9).contains(seconds) {
            throw ValidationError("--seconds: expected 0 to 1,000,000,000, found \(seconds)")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let range = try range.commits(in: store)
        let judge = condition.map { Bisection.Judge.condition($0) } ?? program.map { .program(RowProgram($0)) }
        if let judge { try reduce(range, of: store, judge) } else { try copy(range, of: store) }
        try store.close()
    }

    private func copy(_ range: ClosedRange<Version>, of store: UntypedStore) throws {
        let bar = ProgressBar("extracting")
        defer { bar.finish() }
        var omittedCount = 0
        let found = try StoreFile(path: target).create { new in
            omittedCount = try Extraction.write(range, of: store, keepsContents: keepContents, to: new) {
                bar.update($0)
            }
        }
        bar.finish()
        var report = SummaryReport(found)
        report.omittedEventCount = omittedCount
        try json.write(report)
    }

    private func reduce(_ range: ClosedRange<Version>, of store: UntypedStore, _ judge: Bisection.Judge) throws {
        let bar = ProgressBar("reducing")
        defer { bar.finish() }
        try test.map(TestFile.requireNone)
        var summary: [UInt8] = []
        _ = try StoreFile(path: target).create { new in
            let found = try Reduction(
                range, of: store, judge, keepsContents: keepContents, limit: .seconds(seconds ?? 50)
            ) { bar.update($0) }
            try Extraction.write(found.list, to: new)
            if let test { try TestFile(found.list, judge).write(to: test) }
            summary = json.isOn ? found.json : Array(found.summary.utf8)
        }
        bar.finish()
        try Standard.output.write(summary)
    }
}
