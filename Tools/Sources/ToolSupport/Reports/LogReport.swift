// Prints the log, commit by commit.
//
// Always holds: commits are printed in the order of their versions. The log is read in parts, and contents are read
// between parts, because both need the file.

import Foundation
import ListModel
import Listory

/// Prints commits with their events.
public struct LogReport {
    private let store: UntypedStore

    /// How many commits are in memory at a time.
    private static let partSize: UInt64 = 256

    /// A report on the log of a store.
    public init(_ store: UntypedStore) {
        self.store = store
    }

    /// Prints the commits of a range.
    ///
    /// - Parameters:
    ///   - first: the first version; nil for the oldest commit that the log has.
    ///   - last: the last version; nil for the newest.
    ///   - limit: how many commits at most: the newest of the range.
    ///   - send: receives the output, in parts.
    /// - Throws: `ListError.unknownVersion`, `ListError.droppedVersion`, an error of the log, and what `send` throws.
    public func print(
        from first: UInt64?, to last: UInt64?, limit: Int?, _ format: OutputFormat, _ style: TerminalStyle,
        send: ([UInt8]) throws -> Void
    ) throws {
        let newest = try store.version
        let oldest = store.oldestVersion
        for version in [first, last].compactMap(\.self).map({ Version($0) }) {
            if version == .empty || version > newest { throw ListError.unknownVersion(version, head: newest) }
            // The commit of the oldest version was dropped too.
            if version <= oldest { throw ListError.droppedVersion(version, oldest: oldest) }
        }
        let last = last ?? newest.rawValue
        let limit = UInt64(clamping: limit ?? .max)
        var next = max(first ?? oldest.next.rawValue, last >= limit ? last - limit + 1 : 1)
        while next <= last {
            var part: [Commit] = []
            let end = min(last, next + LogReport.partSize - 1)
            try store.forEachCommit(in: Version(next)...Version(end)) { part.append($0) }
            try send(part.flatMap { try format == .text ? Array(text($0, style).utf8) : json($0) })
            next = end + 1
        }
    }

    /// A commit as text, with a line for each event.
    private func text(_ commit: Commit, _ style: TerminalStyle) throws -> String {
        let (word, preposition) = commit.cause.words
        let cause = commit.cause.target.map { "\(word) \(preposition) \($0)" } ?? word
        let origin = commit.origin.isEmpty ? "" : " by \(commit.origin.visible)"
        let version = style.bold("version \(commit.version)")
        var text = "\(version)  \(commit.time.text)  \(cause)  \"\(commit.name.visible)\"\(origin)"
        text += LogReport.marks(commit).map { "  \($0)" }.joined() + "\n"
        let events = EventText(source: store.source)
        for event in try commit.events() {
            for line in try events.lines(event) { text += "    \(line)\n" }
        }
        return text
    }

    /// The special properties of a commit in the history.
    private static func marks(_ commit: Commit) -> [String] {
        var marks: [String] = []
        if commit.continuesStep { marks.append("continues the step") }
        switch commit.tracking {
        case .shared: break
        case .own: marks.append("own history")
        case .untracked: marks.append("untracked")
        }
        if commit.isDiscardable { marks.append("discardable") }
        return marks
    }

    /// A commit as one line of JSON.
    private func json(_ commit: Commit) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.object { writer in
            writer.member("version", commit.version.rawValue)
            writer.member("time", commit.time.text)
            let (word, preposition) = commit.cause.words
            writer.member("cause", word)
            if let target = commit.cause.target { writer.member(preposition, target.rawValue) }
            writer.member("name", commit.name)
            writer.member("origin", commit.origin)
            if commit.continuesStep { writer.member("continuesStep", true) }
            switch commit.tracking {
            case .shared: break
            case .own: writer.member("tracking", "own")
            case .untracked: writer.member("tracking", "untracked")
            }
            if commit.isDiscardable { writer.member("discardable", true) }
            writer.member("hash", commit.stateHash.description)
            writer.key("events")
            try writer.array { writer in
                for event in try commit.events() { try writer.write(event, store.source) }
            }
        }
        writer.endLine()
        return writer.bytes
    }
}

extension Commit.Cause {
    /// The word for a cause, and the preposition before the version that it refers to.
    fileprivate var words: (word: String, preposition: String) {
        switch self {
        case .edit: ("edit", "of")
        case .undo: ("undo", "of")
        case .redo: ("redo", "of")
        case .go: ("go", "to")
        case .revert: ("revert", "of")
        case .restore: ("restore", "of")
        }
    }
}

extension Timestamp {
    /// The time in ISO 8601, in UTC, to the microsecond.
    var text: String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let borrowed: Int64 = rest < 0 ? 1 : 0
        let date = Date(timeIntervalSince1970: Double(seconds - borrowed))
        let fraction = String(rest + borrowed * 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(date.formatted(.iso8601).dropLast()).\(zeros)\(fraction)Z"
    }
}
