// The tool `listory`: its subcommands, and how they report errors.
//
// Always holds: only results go to standard output; an error is one line on standard error, JSON if the command was asked
// for JSON, and one of the documented exit codes.

import ArgumentParser
import CAllocator
import ToolSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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

            A VERSION may be given as \(VersionNameError.expected).

            Exit codes:
            \(ExitStatus.allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n"))
            """,
        version: ToolVersion.current,
        subcommands: [
            NewCommand.self, EditCommand.self, ExecCommand.self, ShowCommand.self, SearchCommand.self, LogCommand.self,
            DiffCommand.self, HistoryCommand.self, BlameCommand.self, WhyCommand.self, TrashCommand.self,
            InspectCommand.self, SyncCommand.self, PlayCommand.self, BisectCommand.self, UndoCommand.self,
            RedoCommand.self,
            BranchesCommand.self, GoCommand.self, EarlierCommand.self, LaterCommand.self, RevertCommand.self,
            RestoreCommand.self,
            NameCommand.self, StatsCommand.self, CheckpointsCommand.self, ProjectionsCommand.self, RecordCommand.self,
            WhoCommand.self,
            ImportCommand.self, ExportCommand.self, ExtractCommand.self, VerifyCommand.self, ReplayCommand.self,
            CompactCommand.self, EraseCommand.self, RepairCommand.self, SalvageCommand.self, BackupCommand.self,
            CopyCommand.self, ManualCommand.self, DemoCommand.self,
        ])

    static func main() {
        Standard.ignoreBrokenPipes()
        allocator_return_large_blocks()
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
            let text = message(for: error)
            if asksForJSON {
                try? Standard.error.write(Diagnostic.json(usage: text))
            } else {
                Standard.error.tryWrite(Diagnostic.line(text + " (see listory help)"))
            }
            endProcess(.usage)
        default:
            Diagnostic.write(error, asJSON: asksForJSON)
            endProcess(ExitStatus(error))
        }
    }

    /// Whether the command line asks for JSON, even if it cannot be understood.
    private static var asksForJSON: Bool {
        let arguments = CommandLine.arguments.prefix { $0 != "--" }
        return arguments.contains("--json") || arguments.contains("--format=json")
            || zip(arguments, arguments.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }
}

// The name of the function of the C library is that of a member of every command.
private func endProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }
