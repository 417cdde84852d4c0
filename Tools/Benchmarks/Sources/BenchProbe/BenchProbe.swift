// A program that makes one measurement, for figures that need a fresh process.
//
// Always holds: it links only the library and its dependencies, so time and memory are those of a program that uses a
// list. It prints one line of JSON, after all measurements.

import ProbeSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum BenchProbe {
    static func main() async {
        let start = MonotonicClock.now
        guard let probe = Probe(CommandLine.arguments.dropFirst()) else {
            fail("it is started by bench, which tells it what to measure")
        }
        do { print(try await result(of: probe, since: start)) } catch { fail("\(error)") }
    }

    /// Makes the measurement.
    ///
    /// - Parameter start: the time when this process began.
    /// - Returns: the results as JSON.
    private static func result(of probe: Probe, since start: Double) async throws -> String {
        switch probe {
        case .opening(let path, let id):
            try json(OpeningResult(measuring: path, toggling: .integer(id), since: start))
        case .memory(let path): try json(MemoryResult(measuring: path))
        case .history(let path): try json(HistoryResult(measuring: path))
        case .neighbour(let path, let count): try json(await NeighbourResult(measuring: path, updateCount: count))
        case .command(let program, let arguments): try json(CommandResult(measuring: program, arguments))
        }
    }

    private static func json(_ result: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
    }

    /// Prints on standard error why there is no result, and ends the process.
    private static func fail(_ reason: String) -> Never {
        let line = Array("\(Probe.program): \(reason)\n".utf8)
        // If this fails too, the error cannot be reported.
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
