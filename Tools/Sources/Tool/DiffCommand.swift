// `listory diff`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what leads from one version to another.",
        discussion: """
            Without versions, that is what the newest commit changed; with one, it leads from there to the newest. The \
            second version may be the older one. Version 0 is the empty list, unless it \
            was dropped by compact. As text, a line begins with - for \
            what was deleted, + for what was inserted, → for what moved and ~ for what changed in itself; positions \
            are [section, row]. As json, the changeset is the one that exec would answer with.

            Example:
              listory diff todo.listory
              listory diff todo.listory 3 12
              listory diff todo.listory 2026-03-01 head
            """)

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "The version to begin with; without it, the one before the newest.", transform: { try VersionName($0) })
    var from: VersionName?

    @Argument(help: "The version to end with; without it, the newest.", transform: { try VersionName($0) })
    var to: VersionName?

    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("comparing")
        defer { bar.finish() }
        let new = try to?.snapshot(in: store) ?? store.snapshot
        let before = max(Version(max(new.version.rawValue, 1) - 1), store.oldestVersion)
        let old = try from?.snapshot(in: store) ?? store.snapshot(at: before)
        let style = output.color.style
        // Only what could be read is printed.
        func reading<Result>(_ body: () throws -> Result) throws -> Result { try old.reading { try new.reading(body) } }
        let report = try reading { DifferenceReport(from: old, to: new, source: store.source) }
        let json = output.format.value == .json ? report.json() : nil
        bar.finish()
        try output.pager.page {
            if let json { return try Standard.output.write(json) }
            try reading { try report.print(style) { try Standard.output.write($0) } }
        }
        try store.close()
    }
}
