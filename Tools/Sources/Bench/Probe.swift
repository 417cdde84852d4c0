// Measurements that need a process of their own: this program starts itself, and the new process does one thing only.
//
// Always holds: a probe prints its result as one line of JSON and nothing else; the command line of the benchmarks is
// not even read in it, so that nothing but the library is on the clock.

import BenchSupport
import Foundation
import ListModel

/// What a fresh process is asked to do.
enum Probe {
    /// Opens a store, reads the first rows, and toggles the row of an id.
    case opening(path: String, id: Int64)
    /// Loads all rows of a store that has no checkpoints.
    case memory(path: String)
    /// Opens a store, and undoes and redoes a step.
    case history(path: String)

    private static let flag = "--probe"

    /// A process that measures failed; what it had to say is on the standard error.
    struct Failed: Error, CustomStringConvertible {
        let status: Int32
        var description: String { "a measuring process failed with status \(status)" }
    }

    /// What a command line asks for; nil if it asks for no probe.
    init?(_ arguments: [String]) {
        guard arguments.count > 3, arguments[1] == Probe.flag else { return nil }
        switch (arguments[2], arguments.count) {
        case ("opening", 5):
            guard let id = Int64(arguments[4]) else { return nil }
            self = .opening(path: arguments[3], id: id)
        case ("memory", 4): self = .memory(path: arguments[3])
        case ("history", 4): self = .history(path: arguments[3])
        default: return nil
        }
    }

    private var arguments: [String] {
        switch self {
        case .opening(let path, let id): [Probe.flag, "opening", path, String(id)]
        case .memory(let path): [Probe.flag, "memory", path]
        case .history(let path): [Probe.flag, "history", path]
        }
    }

    /// Does what was asked for, in the new process.
    ///
    /// - Parameter start: when this process began.
    func carryOut(since start: ContinuousClock.Instant) throws {
        let result: Data
        switch self {
        case .opening(let path, let id):
            result = try JSONEncoder().encode(OpeningProbe(path: path, id: .integer(id), since: start))
        case .memory(let path): result = try JSONEncoder().encode(MemoryProbe(path: path))
        case .history(let path): result = try JSONEncoder().encode(HistoryProbe(path: path))
        }
        FileHandle.standardOutput.write(result + Data("\n".utf8))
    }

    /// Starts a process that does it, and waits for what it finds out.
    func result<Result: Decodable>(_ type: Result.Type) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return try JSONDecoder().decode(type, from: data)
    }
}
