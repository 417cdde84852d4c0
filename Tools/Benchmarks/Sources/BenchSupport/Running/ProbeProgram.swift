// Starting a process that takes a measurement, and waiting for what it finds out.
//
// Always holds: one runs at a time, and this process does nothing else meanwhile; what a measuring process has to say of
// a failure is on the standard error.

import Foundation
import ProbeSupport

/// The built program that carries out probes.
public struct ProbeProgram: Sendable {
    private let path: String

    /// The program was not built.
    public struct Missing: Error, CustomStringConvertible {
        let path: String

        public var description: String {
            "there is no program to measure with at \(path): build the product \(Probe.program) as this one was built"
        }
    }

    /// A measuring process did not end well.
    public struct Failed: Error, CustomStringConvertible {
        let status: Int32

        public var description: String { "a measuring process failed with status \(status)" }
    }

    /// The program at a path, which has to be there.
    public init(path: String) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing(path: path) }
        self.path = path
    }

    /// The program that lies beside the one that asks, where the package manager puts both.
    public static func besideThisProgram() throws -> ProbeProgram {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        return try ProbeProgram(path: program.deletingLastPathComponent().appendingPathComponent(Probe.program).path)
    }

    /// Starts a process that does what the probe says, and waits for what it finds out.
    public func result<Result: Decodable>(of probe: Probe, as type: Result.Type) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = probe.arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return try JSONDecoder().decode(type, from: data)
    }
}
