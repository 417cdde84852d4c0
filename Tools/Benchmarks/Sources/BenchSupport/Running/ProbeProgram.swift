// Starts a process that makes a measurement, and waits for its result.
//
// Always holds: one process runs at a time, and this one does nothing meanwhile unless it is told to; errors of a measuring
// process are on standard error.

import Foundation
import ProbeSupport

/// The program that makes measurements.
public struct ProbeProgram: Sendable {
    private let path: String

    /// The program was not built.
    public struct Missing: Error, CustomStringConvertible {
        let path: String

        public var description: String {
            "there is no program to measure with at \(path): build the product \(Probe.program) as this one was built"
        }
    }

    /// A measuring process has failed.
    public struct Failed: Error, CustomStringConvertible {
        let status: Int32

        public var description: String { "a measuring process failed with status \(status)" }
    }

    /// The program at a path, which must exist.
    public init(path: String) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing(path: path) }
        self.path = path
    }

    /// The program beside the running one, where the package manager puts both.
    public static func besideThisProgram() throws -> ProbeProgram {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        return try ProbeProgram(path: program.deletingLastPathComponent().appendingPathComponent(Probe.program).path)
    }

    /// Starts a process for a measurement, and waits for its result.
    ///
    /// - Parameter meanwhile: called again and again as long as the process runs.
    public func result<Result: Decodable>(
        of probe: Probe, as type: Result.Type, meanwhile: (() throws -> Void)? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = probe.arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        while let meanwhile, process.isRunning { try meanwhile() }
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return try JSONDecoder().decode(type, from: data)
    }
}
