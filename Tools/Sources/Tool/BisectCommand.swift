// `listory bisect`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct BisectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Find the commit after which something was wrong.",
        discussion: """
            Of a million versions, about twenty are looked at. With --where, a version is bad if its rows fulfil the \
            condition; with --run, if the program says so. Without --good and --bad, the search is between the oldest and \
            the newest version.

            The search follows the versions that led to the bad one, and leaves out branches that were left by an undo and a \
            new edit. If the good version is on such a branch, the search begins where the two part; that version has to be \
            good as well. Commits in no history (untracked) are searched like edits. So is the history of an origin: its \
            undos are commits like any other, and the order is that of the log. An undo, a redo or a go is the first bad \
            version only if it kept a commit of another history or of none, or skipped conflicts. The exit code is 1 if \
            the good version is bad, or the bad one good.

            Conditions: \(RowCondition.forms.joined(separator: " · ")); joined with and, or, not, and parentheses. Also \
            != <= >=. Text is found as search finds it.

            A program gets the rows as JSON on its standard input, as show --json prints them, and the version in the \
            variable LISTORY_VERSION. Its exit code says: 0 good, 125 cannot be judged, another one up to 124 bad; any other \
            ends the search.

            Example:
              listory bisect todo.listory --where 'section done contains "Milk"'
              listory bisect todo.listory --good 2026-03-01 --run './check-rows'
            """)

    @OptionGroup var store: StoreArgument

    @Option(
        help: ArgumentHelp("A version that is good.", valueName: "version"), transform: { try VersionName($0) })
    var good: VersionName?

    @Option(help: ArgumentHelp("A version that is bad.", valueName: "version"), transform: { try VersionName($0) })
    var bad: VersionName?

    @Option(
        name: .customLong("where"), help: ArgumentHelp("What is true of bad versions.", valueName: "condition"),
        transform: { try RowCondition($0) })
    var condition: RowCondition?

    @Option(
        name: .customLong("run"),
        help: ArgumentHelp("The program that judges versions, a command for the shell.", valueName: "command"))
    var program: String?

    @OptionGroup var format: FormatOption
    @OptionGroup var color: ColorOption

    func validate() throws {
        if (condition == nil) == (program == nil) {
            throw ValidationError("expected one of --where and --run, found \(program == nil ? "none" : "both")")
        }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true, isSearch: true)
        let judge = condition.map { Bisection.Judge.condition($0) } ?? .program(RowProgram(program ?? ""))
        try BisectReport(store, format.value, color.style) { try Standard.output.write($0) }
            .print(
                judge, good: try good?.version(in: store) ?? store.oldestVersion,
                bad: try bad?.version(in: store) ?? store.version)
        try store.close()
    }
}
