// Prints the record of a commit.
//
// Always holds: the bytes are those that the log has, or had before they were packed.

import ListModel

/// Prints a record.
public struct RecordReport {
    private let commit: Commit
    private let source: any CommitSource
    private let hasBytes: Bool

    /// A report on the record of a commit.
    public init(_ commit: Commit, _ source: any CommitSource, hasBytes: Bool) {
        (self.commit, self.source, self.hasBytes) = (commit, source, hasBytes)
    }

    /// The header, a line for each event, and the bytes, 16 a line.
    public func text(_ style: TerminalStyle) throws -> String {
        var lines = [
            "\(style.bold("version \(commit.version)"))  \(LogReport.summary(commit))",
            "time      \(commit.time.text)", "state     \(commit.stateHash)",
            "checksum  \(String(commit.checksum, radix: 16))", "bytes     \(commit.record.count)",
        ]
        if let parent = commit.parent { lines.append("parent    \(parent)") }
        if let history = commit.history {
            lines.append(
                "history   \(history.undoCount) steps back, \(history.redoCount) forward, at \(history.position)")
        }
        let events = EventText(source: source)
        lines += try commit.events().flatMap { try events.lines($0) }.map { "    \($0)" }
        if hasBytes {
            for start in stride(from: 0, to: commit.record.count, by: 16) {
                let bytes = commit.record[start..<min(start + 16, commit.record.count)]
                let digits = bytes.map(RecordReport.digits).joined(separator: " ")
                let text = bytes.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
                let offset = String(start, radix: 16)
                lines.append(
                    String(repeating: "0", count: max(0, 8 - offset.count)) + offset + "  "
                        + digits + String(repeating: " ", count: 49 - digits.count) + text)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// The record as a line of JSON.
    public func json() throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.writeHeader(commit)
            writer.member("checksum", String(commit.checksum, radix: 16))
            writer.member("bytes", commit.record.count)
            if let parent = commit.parent { writer.member("parent", parent.rawValue) }
            writer.key("events")
            try writer.array { writer in
                for event in try commit.events() { try writer.write(event, source) }
            }
            if hasBytes { writer.member("hex", commit.record.map(RecordReport.digits).joined()) }
        }
    }
}
