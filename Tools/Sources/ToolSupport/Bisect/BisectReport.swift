// Prints a search for the first bad version.
//
// Always holds: the commit that made the first bad version is printed as `log` prints it; of skipped versions, the range.

import ListModel
import Listory

/// Prints a bisection.
public struct BisectReport {
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
        let isFound = found.lowerBound == found.upperBound
        var range = LogReport.Span()
        (range.first, range.last) = (VersionName(found.lowerBound), VersionName(found.upperBound))
        if format == .text {
            let line =
                isFound
                ? "version \(found.lowerBound) is the first bad one"
                : "one of the versions \(found.lowerBound) to \(found.upperBound) is the first bad one"
            try send(Array("\(style.bold(line))\n".utf8))
            try LogReport(store, format, style, send: send).print(range, limit: 20)
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("first", found.lowerBound.rawValue)
            writer.member("last", found.upperBound.rawValue)
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
        writer.endLine()
        try send(writer.bytes)
    }
}
