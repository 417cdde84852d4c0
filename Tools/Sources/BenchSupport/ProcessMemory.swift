// What the kernel says about the memory of this process.
//
// Always holds: nothing is estimated; where there is no /proc, there is nil.

import Foundation

/// The resident memory of the process.
public struct ProcessMemory: Sendable {
    /// What belongs to the process alone: not the pages of mapped files.
    public let privateBytes: Int
    /// The pages of mapped files, which the system may take back whenever it likes.
    public let mappedBytes: Int
    /// The most that both ever were together.
    public let peakBytes: Int

    /// What it is now; nil where the kernel has no /proc/self/status.
    public static func current() -> ProcessMemory? {
        (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)).flatMap(ProcessMemory.init(status:))
    }

    /// What it is now, after what was freed has gone back to the system, so that later allocations show.
    public static func afterTrimming() -> ProcessMemory? {
        // Swift does not see the declaration of this function of the GNU C library; elsewhere there is none.
        if let symbol = dlsym(nil, "malloc_trim") {
            // SAFETY: malloc_trim(3) takes a size_t and returns an int.
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        return current()
    }

    /// What a status file of the kernel says.
    public init?(status: String) {
        var kibibytes: [Substring: Int] = [:]
        for line in status.split(separator: "\n") where line.hasSuffix(" kB") {
            let parts = line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
            kibibytes[parts[0]] = Int(parts[1])
        }
        guard let anonymous = kibibytes["RssAnon"], let file = kibibytes["RssFile"], let peak = kibibytes["VmHWM"]
        else { return nil }
        privateBytes = anonymous * 1_024
        mappedBytes = file * 1_024
        peakBytes = peak * 1_024
    }
}
