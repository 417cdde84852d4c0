// Prints a search for the first bad version.
//
// Always holds: the commit that made the first bad version is printed as `log` prints it; if versions were skipped, the newest
// of those that may be the first bad one, and how many there are.

import ListModel
import Listory

/// Prints a bisection.
public struct BisectReport {
    /// How many commits are printed if versions were skipped.
    private static let commitLimit = 20

    private let store: UntypedStore
    private let format: OutputFormat
    private let style: TerminalStyle
    private let send: ([UInt8]) throws -> Void

    /// A report on a search in a store.
    ///
    /// - Parameter send: receives the output, in parts.
    public init(
        _ store: UntypedStore, _ format: OutputFormat, _ style: TerminalStyle, send: @escaping ([UInt8]) throws -> Void
    ) {
        (self.store, self.format, self.style, self.send) = (store, format, style, send)
    }

    /// Searches between two versions.
    public func print(_ judge: Bisection.Judge, good: Version, bad: Version) throws {
        var bisection = Bisection(store, judge)
        let found = try bisection.run(good: good, bad: bad) { version, verdict in
            guard format == .text else { return }
            try send(Array("version \(version) is \(verdict)\n".utf8))
        }
        if format == .text { return try printText(found) }
        let line = JSONWriter.line { writer in
            writer.member("first", found.first.rawValue)
            writer.member("last", found.last.rawValue)
            writer.key("candidates")
            writer.array { writer in
                for version in found.runs.joined() { writer.write(version.rawValue) }
            }
            writer.key("judged")
            writer.array { writer in
                for (version, verdict) in bisection.judged {
                    writer.object { writer in
                        writer.member("version", version.rawValue)
                        writer.member("verdict", verdict.rawValue)
                    }
                }
            }
        }
        try send(line)
    }

    /// Which version it is, or may be, and the commits of these, the newest first.
    private func printText(_ found: VersionPath) throws {
        let (first, last, count) = (found.first, found.last, found.count)
        let line =
            if count == 1 {
                "version \(first) is the first bad one"
            } else if found.runs.count == 1 {
                "one of the versions \(first) to \(last) is the first bad one"
            } else {
                // Others between them did not lead to the bad version.
                "one of \(count) versions from \(first) to \(last) is the first bad one"
            }
        try send(Array("\(style.bold(line))\n".utf8))
        var left = BisectReport.commitLimit
        for run in found.runs.reversed() where left > 0 {
            var range = LogReport.Span()
            (range.first, range.last) = (VersionName(run.lowerBound), VersionName(run.upperBound))
            try LogReport(store, format, style, send: send).print(range, limit: left)
            left -= min(left, run.count)
        }
        guard count > BisectReport.commitLimit else { return }
        let more = Int(clamping: count) - BisectReport.commitLimit
        try send(Array("… and \(EventText.count(more, "version")) more, which --json lists\n".utf8))
    }
}
