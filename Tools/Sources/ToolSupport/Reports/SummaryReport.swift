// Prints what a command has left in a store: its version, how many rows it has, and their hash.
//
// Always holds: what was left out is said in both formats.

import ListModel

/// A summary of the newest rows of a store that was written.
public struct SummaryReport {
    private let rows: UntypedSnapshot
    /// How many events were left out because this build does not know what they are.
    public var omittedEventCount = 0
    /// The lines of an input that were left out.
    public var ignoredLines: [Int] = []
    /// How long the parts of the work took, in seconds.
    public var seconds: [(name: String, seconds: Double)] = []

    /// A summary of rows.
    public init(_ rows: UntypedSnapshot) { self.rows = rows }

    /// The result as text.
    public var text: String {
        "version \(rows.version), \(rows.itemCount) items, hash \(rows.stateHash)\n"
            + SummaryReport.text(omittedEventCount: omittedEventCount)
    }

    /// The result as a line of JSON.
    public var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("version", rows.version.rawValue)
            writer.member("items", rows.itemCount)
            writer.member("hash", rows.stateHash.description)
            if omittedEventCount > 0 { writer.member("omittedEvents", omittedEventCount) }
            if !ignoredLines.isEmpty {
                writer.key("ignoredLines")
                writer.array { writer in for line in ignoredLines { writer.write(line) } }
            }
            if !seconds.isEmpty {
                writer.key("seconds")
                writer.write(.object(Dictionary(seconds.map { ($0.name, .number($0.seconds)) }) { $1 }))
            }
        }
    }

    /// A line about events that were left out; empty if none were.
    static func text(omittedEventCount: Int) -> String {
        omittedEventCount == 0 ? "" : "left out: \(EventCopy.text(omittedEventCount))\n"
    }
}
