// Runs the helper, which is built beside the tests.

import Foundation

/// A running helper.
final class HelperProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    init(_ arguments: String...) throws {
        try start(arguments)
    }

    init(arguments: [String]) throws {
        try start(arguments)
    }

    private func start(_ arguments: [String]) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        // The backtracer can outlive the process and hold its pipes.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
    }

    /// Waits until the helper ends; the lines it printed.
    func finish() throws -> [String] {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits for the first line.
    func firstLine() -> String {
        var line = ""
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != 0x0A {
            line.append(Character(UnicodeScalar(byte)))
        }
        return line
    }

    /// Whether the helper has not ended yet.
    var isRunning: Bool { process.isRunning }

    /// Ends the helper as a crash would.
    func killNow() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private struct Missing: Error {}

    private static func executable() throws -> URL {
        let places =
            [URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath(), Bundle.main.bundleURL]
            + Bundle.allBundles.map(\.bundleURL)
        let candidates = places.flatMap { place in
            [
                place.appendingPathComponent("LMDBTestHelper"),
                place.deletingLastPathComponent().appendingPathComponent("LMDBTestHelper"),
            ]
        }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else { throw Missing() }
        return found
    }
}
