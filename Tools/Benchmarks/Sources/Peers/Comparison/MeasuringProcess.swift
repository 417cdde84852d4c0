// Starts the processes that measure.
//
// Always holds: one process runs at a time, and this one waits for it. Its files are in a temporary folder, which is
// removed afterwards, unless other jobs need them.

import Foundation
import ProbeSupport

/// Starts a measuring process.
struct MeasuringProcess {
    let python: String
    let script: String
    let recording: String
    let folder: String

    /// A measuring process has failed; its messages are on standard error.
    struct Failed: Error, CustomStringConvertible {
        let name: String
        let status: Int32
        var description: String { "\(name) failed with status \(status)" }
    }

    /// Takes one sample.
    ///
    /// - Parameter list: a folder with a list that was built before; nil for a new folder.
    func values(_ job: Job, list: String? = nil) throws -> Values {
        let place = list ?? "\(folder)/files"
        if list == nil { try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false) }
        // If removing fails, the results are still right; only the disk fills up.
        defer { if list == nil { try? FileManager.default.removeItem(atPath: place) } }
        let spawn = MonotonicClock.now
        let output =
            job.contender.isPython
            ? try run(python, pythonArguments(job), job.name)
            : try run(executable, job.order(folder: place).arguments, job.name)
        var values = try Measurement.values(output)
        if let ready = values.removeValue(forKey: .readyAt) { values[.fromSpawn] = ready - spawn }
        return values
    }

    /// The versions of the contenders, as far as they report them.
    func versions() -> [String] {
        let code = "from importlib.metadata import version as v; print('Loro', v('loro') + ', pycrdt', v('pycrdt'))"
        let python = try? run(self.python, ["-c", code], "python")
        return ["SQLite \(SQLiteRows.version) through GRDB 7.10"]
            + (python.map { [String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines)] } ?? [])
    }

    private func pythonArguments(_ job: Job) -> [String] {
        [
            script, job.workload.rawValue, job.contender.rawValue, "--recording", recording, "--size", String(job.size),
            "--count", String(job.count),
        ]
    }

    /// This program.
    private var executable: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    private func run(_ program: String, _ arguments: [String], _ name: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(name: name, status: process.terminationStatus) }
        return data
    }
}
