// `listory restore`. Always holds: when it has printed, what was asked for is as it was, and that is durable.

import ArgumentParser
import ToolSupport

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make the rows those of a version, or bring one row or section back.",
        discussion: """
            One commit does it, which can itself be undone; nothing that came after the version is forgotten. A row comes back \
            beside its former neighbours, a section with those of its rows that are not in the list now. Without a VERSION, they \
            are as they were before they were deleted. The exit code is 1 if there is no such version, row or section.

            Example:
              listory restore todo.listory 12
              listory restore todo.listory --row 7
              listory restore todo.listory 12 --section today
            """)

    @OptionGroup var options: ReversalOptions

    @Argument(help: "The version.", transform: { try VersionName($0) })
    var version: VersionName?

    @Option(help: ArgumentHelp("Only this row.", valueName: "id"))
    var row: String?

    @Option(help: ArgumentHelp("Only this section, with its rows.", valueName: "id"))
    var section: String?

    func validate() throws {
        if row != nil && section != nil { throw ValidationError("expected --row or --section, found both") }
        if version == nil && row == nil && section == nil {
            throw ValidationError("expected a version, --row or --section, found none")
        }
    }

    func run() throws { try options.run(request, showing: "restoring") }

    private var request: HistoryRequest {
        if let row { return .restoreRow(IdentifierText(row), version) }
        if let section { return .restoreSection(IdentifierText(section), version) }
        // Validation has found a version.
        return .restore(version!)
    }
}
