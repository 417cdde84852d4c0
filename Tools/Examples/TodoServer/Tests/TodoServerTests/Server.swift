// The program in a process of its own, as a user starts it.
//
// Always holds: it ends with the object, and with the process of the tests, whose end is the end of its input.

import Foundation
import TestSupport

/// A failure of the tests' own means.
struct Trouble: Error, CustomStringConvertible {
    let description: String
}

/// A running server.
final class Server: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.
    private let process = Process()
    private let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    /// The port on which it listens; 0 if it ended before it did.
    let port: UInt16

    /// Starts the program on any free port.
    convenience init(_ file: String) throws {
        try self.init(arguments: ["--port", "0", "--until-input-ends", file])
        if port == 0 { throw Trouble(description: "the server did not start: \(finish())") }
    }

    init(arguments: [String]) throws {
        process.executableURL = ChildProcess.folderOfProducts.appendingPathComponent("todo-server")
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try startingAlone { [process] in try withoutBlockedSignals { try process.run() } }
        var line = ""
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
            line.append(Character(UnicodeScalar(byte)))
        }
        port = line.split(separator: ":").last.flatMap { UInt16($0.dropLast()) } ?? 0
    }

    deinit { kill() }

    /// Ends its input.
    func endInput() throws { try input.fileHandleForWriting.close() }

    /// Asks it to end.
    func interrupt() { Foundation.kill(process.processIdentifier, SIGTERM) }

    /// Kills it at once.
    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits for its end; a server that does not end is killed, and its exit code is then 9.
    ///
    /// - Returns: the exit code, and what it wrote about problems.
    @discardableResult
    func finish() -> (code: Int32, errors: String) {
        let number = process.processIdentifier
        let force = DispatchWorkItem { Foundation.kill(number, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: force)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        force.cancel()
        return (process.terminationStatus, text)
    }
}
