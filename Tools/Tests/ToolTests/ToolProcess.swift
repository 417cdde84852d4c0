// The built tool as a child process.
//
// Always holds: it is the executable that was built with the tests, and it never outlives its test.

import Foundation
import TestSupport
import ToolSupport

/// A running `listory`.
final class ToolProcess {
    private let process = Process()
    private let (input, output, errors): (Pipe, Pipe, Pipe)
    private let isRead: Bool

    /// The output and the exit code of a command.
    struct Result {
        var status: ExitStatus?
        var output: String
        var errors: String

        /// The lines of the output as JSON.
        func json() throws -> [JSONValue] {
            try output.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
        }
    }

    private struct Missing: Error {}

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - tool: its executable; nil for the one that was built with the tests.
    ///   - isRead: whether somebody reads its output; otherwise the reader has gone before it starts.
    ///   - isBlocking: whether its reads of the input, and its writes of the output, wait.
    init(_ arguments: [String], of tool: URL? = nil, isRead: Bool = true, isBlocking: Bool = true) throws {
        self.isRead = isRead
        process.executableURL = try tool ?? ToolProcess.executable("listory")
        process.arguments = arguments
        // The backtracer can outlive the process and hold its pipes.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        (input, output, errors) = try startingAlone { [process] in
            let (input, output, errors) = (Pipe(), Pipe(), Pipe())
            (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
            if !isRead {
                // The handle instead of the pipe, whose other end `Process` would ask for.
                process.standardOutput = output.fileHandleForWriting
                try output.fileHandleForReading.close()
            }
            if !isBlocking {
                for end in [input.fileHandleForReading, output.fileHandleForWriting] {
                    _ = fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK)
                }
            }
            try withoutBlockedSignals { try process.run() }
            return (input, output, errors)
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Runs a command to its end.
    static func run(_ arguments: String..., input: String = "") throws -> Result {
        let tool = try ToolProcess(arguments)
        return try tool.finish(Data(input.utf8))
    }

    /// Sends the last input and waits for the end.
    func finish(_ data: Data = Data()) throws -> Result {
        // The tool may write more output than fits into a pipe before it has read everything.
        let writer = Thread { [input] in
            try? input.fileHandleForWriting.write(contentsOf: data)
            try? input.fileHandleForWriting.close()
        }
        writer.start()
        let text = try isRead ? output.fileHandleForReading.readToEnd() ?? Data() : Data()
        let diagnostics = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationReason == .exit ? ExitStatus(rawValue: process.terminationStatus) : nil,
            output: String(decoding: text, as: UTF8.self), errors: String(decoding: diagnostics, as: UTF8.self))
    }

    /// Sends a line and waits for its answer.
    func ask(_ line: String) throws -> JSONValue {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        return try readLine()
    }

    /// Waits for the next line of the output.
    func readLine() throws -> JSONValue {
        var answer: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { answer.append(byte) }
        return try JSONValue(parsing: answer)
    }

    /// Kills the tool, like a crash.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// A program that was built with the tests.
    static func executable(_ name: String) throws -> URL {
        let places =
            [URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath(), Bundle.main.bundleURL]
            + Bundle.allBundles.map(\.bundleURL)
        let candidates = places.flatMap { place in
            [
                place.appendingPathComponent(name),
                place.deletingLastPathComponent().appendingPathComponent(name),
            ]
        }
        guard let found = candidates.first(where: isProgram) else { throw Missing() }
        return found
    }

    private static func isProgram(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: url.path)
    }
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? { members?[name] }

    /// An element of an array.
    subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }
}
