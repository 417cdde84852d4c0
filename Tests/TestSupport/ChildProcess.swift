// Starts the test helpers, which are built beside the tests, reads their output, and kills them.

import Foundation
import Synchronization

private let starting = Mutex(())

/// Makes pipes and starts a program with them, while nobody else does: a program that starts just then inherits the pipes, also those with
/// which `Process` notices the end of another one, which then seems to run as long as the heir.
public func startingAlone<Result: Sendable>(_ body: () throws -> sending Result) rethrows -> Result {
    try starting.withLock { _ in try body() }
}

/// Starts a program that receives all signals: the threads of a pool, on which tests run, block them, and a program inherits that.
public func withoutBlockedSignals<Result>(_ body: () throws -> sending Result) rethrows -> sending Result {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
}

/// A helper process.
public final class ChildProcess: @unchecked Sendable {
    // @unchecked Sendable: used by one test at a time; `Process` itself is not declared Sendable.

    private let process = Process()
    private let output: Pipe

    /// Starts an executable of this package.
    public init(_ name: String, _ arguments: [String]) throws {
        process.executableURL = ChildProcess.folderOfProducts.appendingPathComponent(name)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        // A backtracer would outlive the process and hold its pipe.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        output = try startingAlone { [process] in
            let output = Pipe()
            process.standardOutput = output
            process.standardInput = Pipe()
            try process.run()
            return output
        }
    }

    /// The folder in which the tests and the helpers were built.
    public static var folderOfProducts: URL {
        #if os(macOS)
        Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
        #else
        Bundle.main.bundleURL
        #endif
    }

    /// Waits for some output and returns it; empty when the process has ended.
    public func read() -> String {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Waits for the first line.
    public func firstLine() -> String {
        var line = ""
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != 0x0A {
            line.append(Character(UnicodeScalar(byte)))
        }
        return line
    }

    /// Whether the process has not ended yet.
    public var isRunning: Bool { process.isRunning }

    /// Waits for the end, and returns the lines of the output.
    public func lines() -> [String] { finish().output.split(separator: "\n").map(String.init) }

    /// Kills the process at once, waits for its end, and returns the output that was not read yet.
    @discardableResult
    public func kill() -> String {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Stops the process until ``proceed()``, wherever it is.
    public func stop() { Foundation.kill(process.processIdentifier, SIGSTOP) }

    /// Lets a stopped process go on.
    public func proceed() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// Waits for the end, and returns the exit code and the output.
    public func finish() -> (code: Int32, output: String) {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
