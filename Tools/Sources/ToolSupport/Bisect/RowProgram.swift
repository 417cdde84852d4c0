// A program that says whether the rows of a version are good, by its exit code, as `git bisect run` has it.
//
// Always holds: the program reads the rows as one JSON object, as `show --json` prints them; what it prints goes to standard
// error.

import Foundation
import ListModel
import Listory

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
        let file = FileManager.default.temporaryDirectory.appending(path: "listory-\(UUID().uuidString).json")
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw ToolError(.inputOutput, "program: \(file.path) cannot be written")
        }
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        try rows.reading { try SnapshotReport(rows, source: source).json { try handle.write(contentsOf: $0) } }
        try handle.seek(toOffset: 0)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["LISTORY_VERSION": "\(rows.version)"]) { $1 }
        process.standardInput = handle
        process.standardOutput = FileHandle.standardError
        do { try process.run() } catch {
            throw ToolError(
                .inputOutput, "program: the shell cannot be run: \((error as NSError).localizedDescription)")
        }
        process.waitUntilExit()
        let code = process.terminationStatus
        guard process.terminationReason == .exit, code <= RowProgram.skip else {
            let end = process.terminationReason == .exit ? "the exit code \(code)" : "the signal \(code)"
            throw ToolError(
                .refused,
                "program: version \(rows.version): expected an exit code from 0 to 125 of the program, found \(end)")
        }
        return code == 0 ? .good : code == RowProgram.skip ? .skipped : .bad
    }
}
