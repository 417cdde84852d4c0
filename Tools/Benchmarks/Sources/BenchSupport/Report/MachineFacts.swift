// The machine and the versions of a measurement, without which figures have no meaning.

import Foundation
import RawLMDB

/// The machine and the versions that figures depend on.
public struct MachineFacts: Encodable, Sendable {
    public let coreCount: Int
    public let processor: String
    public let swiftVersion: String
    public let lmdbVersion: String
    public let isOptimized: Bool

    /// The machine of this process.
    public static func current() -> MachineFacts {
        MachineFacts(
            coreCount: ProcessInfo.processInfo.activeProcessorCount, processor: processorName, swiftVersion: swift,
            // SAFETY: LMDB returns a constant string that ends with a zero.
            lmdbVersion: String(cString: raw_lmdb_version()), isOptimized: isOptimizedBuild)
    }

    /// The facts as lines of a table's head.
    public var lines: [String] {
        let build = isOptimized ? "release build" : "DEBUG BUILD: the figures mean nothing"
        return ["\(coreCount) × \(processor)", "Swift \(swiftVersion), \(lmdbVersion), \(build)"]
    }

    /// The kernel's name of the processor; "unknown" if it has none.
    private static var processorName: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
        return name ?? "unknown processor"
    }

    private static var swift: String {
        #if swift(>=6.4)
        "6.4 or newer"
        #elseif swift(>=6.3)
        "6.3"
        #elseif swift(>=6.2)
        "6.2"
        #else
        "older than 6.2"
        #endif
    }

    private static var isOptimizedBuild: Bool {
        #if DEBUG
        false
        #else
        true
        #endif
    }
}
