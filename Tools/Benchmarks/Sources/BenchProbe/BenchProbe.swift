// A program that does one thing with a list and says what it took, for measurements that need a process of their own.
//
// Always holds: it links the library, what the library needs, and nothing else, so that the time and the memory are those
// of a program that uses a list; one line of JSON is printed, after everything was measured.

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
    static func main() {
        let start = MonotonicClock.now
        guard let probe = Probe(CommandLine.arguments.dropFirst()) else {
            fail("it is started by bench, which tells it what to measure")
        }
        do { print(try result(of: probe, since: start)) } catch { fail("\(error)") }
    }

    /// Does what was asked for.
    ///
    /// - Parameter start: when this process began.
    /// - Returns: what it found out, as JSON.
    private static func result(of probe: Probe, since start: Double) throws -> String {
        switch probe {
        case .opening(let path, let id):
            try json(OpeningResult(measuring: path, toggling: .integer(id), since: start))
        case .memory(let path): try json(MemoryResult(measuring: path))
        case .history(let path): try json(HistoryResult(measuring: path))
        }
    }

    private static func json(_ result: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
    }

    /// Says on the standard error why there is no result, and ends the process.
    private static func fail(_ reason: String) -> Never {
        let line = Array("\(Probe.program): \(reason)\n".utf8)
        // Nobody is left to be told if this fails, too.
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
