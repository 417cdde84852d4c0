// Prints the processes that have a store open. Always holds: they are in the order of their numbers.

import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Prints processes.
public struct ProcessReport {
    private let processes: [(found: OtherProcess, program: String?)]

    /// A report on processes.
    public init(_ processes: [OtherProcess]) {
        self.processes = processes.sorted { $0.processID < $1.processID }.map {
            ($0, ProcessReport.program($0.processID))
        }
    }

    /// The name of the program that a process runs, where the system tells it in a file.
    private static func program(_ processID: Int32) -> String? {
        guard let name = try? String(contentsOfFile: "/proc/\(processID)/comm", encoding: .utf8) else { return nil }
        return String(name.prefix { !$0.isNewline })
    }

    /// A line for each process.
    public func text() -> String {
        if processes.isEmpty { return "no other process\n" }
        return processes.map { found, program in
            "\(found.processID)  \(found.isEditing ? "edits" : "reads")\(program.map { "  \($0.shown)" } ?? "")\n"
        }.joined()
    }

    /// Each process as a line of JSON.
    public func json() -> [UInt8] {
        processes.flatMap { found, program in
            JSONWriter.line { writer in
                writer.member("process", found.processID)
                writer.member("edits", found.isEditing)
                if let program { writer.member("program", program) }
            }
        }
    }
}
