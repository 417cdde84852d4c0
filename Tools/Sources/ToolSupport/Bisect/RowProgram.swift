// A program that says whether the rows of a version are good, by its exit code, as `git bisect run` has it.
//
// Always holds: the program reads the rows as one JSON object, as `show --json` prints them; what it prints goes to standard
// error.

import ListModel
import Listory

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program that looks at the rows of a version.
public struct RowProgram: Sendable {
    /// The exit code that means: this version cannot be judged.
    public static let skip: Int32 = 125
    let command: String

    /// A command for the shell.
    public init(_ command: String) { self.command = command }

    /// What the program says of the rows: 0 is good, 125 skipped, anything else up to 124 bad.
    ///
    /// - Throws: ``ToolError`` if it cannot be run, was killed, or ends with another code: then it says nothing of the rows.
    func judge(_ rows: UntypedSnapshot, _ source: any CommitSource) throws -> Bisection.Verdict {
        let ending: ChildProcess.Ending
        do {
            let file = try OpenFile.temporary()
            try rows.reading { try SnapshotReport(rows, source: source).json { try file.write($0) } }
            try file.rewind()
            ending = try ChildProcess(
                ["/bin/sh", "-c", command], variables: ["LISTORY_VERSION": "\(rows.version)"], input: file.descriptor,
                output: STDERR_FILENO
            ).wait()
        } catch let error as SystemError {
            throw ToolError(.inputOutput, "program: it cannot be run with the rows: \(error)")
        }
        switch ending {
        case .exit(0): return .good
        case .exit(RowProgram.skip): return .skipped
        case .exit(..<RowProgram.skip): return .bad
        case .exit(let code): throw refusal(rows.version, "the exit code \(code)")
        case .signal(let number): throw refusal(rows.version, "the signal \(number)")
        }
    }

    private func refusal(_ version: Version, _ found: String) -> ToolError {
        ToolError(
            .refused, "program: version \(version): expected an exit code from 0 to 125 of the program, found \(found)")
    }
}
