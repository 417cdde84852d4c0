// The tool `listory`: its subcommands, and how they report errors.
//
// Always holds: only results go to standard output; an error is one line on standard error and one of the documented
// exit codes.

import ArgumentParser
import Foundation
import ToolSupport

@main
struct ListoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listory",
        abstract: "A list with a history.",
        discussion: """
            A store is a file that holds a list and everything that ever happened to it. The tool opens the store of \
            any app, without knowing the app's types.

            Example:
              listory new todo.listory
              echo '{"insertSection":{"id":"today"}}' | listory exec todo.listory
              listory show todo.listory

            Exit codes:
            \(ExitStatus.allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n"))
            """,
        version: ToolVersion.current,
        subcommands: [
            NewCommand.self, ExecCommand.self, ShowCommand.self, LogCommand.self, DiffCommand.self, PlayCommand.self,
            UndoCommand.self,
            RedoCommand.self, BranchesCommand.self, GoCommand.self, EarlierCommand.self, LaterCommand.self,
            RevertCommand.self, RestoreCommand.self, StatsCommand.self, ImportCommand.self, VerifyCommand.self,
            CompactCommand.self, RepairCommand.self, SalvageCommand.self, BackupCommand.self, DemoCommand.self,
        ])

    static func main() {
        Standard.ignoreBrokenPipes()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(error)
        }
    }

    /// Prints an error and ends the process.
    private static func end(_ error: any Error) -> Never {
        switch exitCode(for: error) {
        case .success:
            // Asking for help or the version is no error.
            exit(withError: error)
        case .validationFailure:
            Standard.error.tryWrite(Diagnostic.line(message(for: error) + " (see listory help)"))
            Foundation.exit(ExitStatus.usage.rawValue)
        default:
            Diagnostic.line(error).map(Standard.error.tryWrite)
            Foundation.exit(ExitStatus(error).rawValue)
        }
    }
}
