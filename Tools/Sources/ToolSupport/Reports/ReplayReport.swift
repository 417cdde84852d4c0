// Folds a whole log again, and compares the rows after each commit with those that there were when it was made, or that
// another build has found.
//
// Always holds: the first difference ends the replay with an error that names the version.

import ListModel
import Listory

/// Replays a log.
public struct ReplayReport {
    private let store: UntypedStore

    /// A report on the log of a store.
    public init(_ store: UntypedStore) { self.store = store }

    /// Hashes that another build has printed: a version and a hash a line.
    public struct Hashes: Sendable {
        fileprivate let hashes: [UInt64: String]

        /// Reads the lines of a file, or of standard input.
        ///
        /// - Throws: ``ToolError`` if it cannot be read, ``ImportError`` for a line that has no hash.
        public init(path: String) throws {
            var hashes: [UInt64: String] = [:]
            for (number, text) in try InputLines(ImportInput(path: path).bytes) where !text.allSatisfy(\.isWhitespace) {
                let words = text.split(whereSeparator: \.isWhitespace)
                guard words.count == 2, let version = UInt64(words[0]), UInt64(words[1], radix: 16) != nil else {
                    throw ImportError(line: number, expected: "a version and a hash", found: text.shown)
                }
                hashes[version] = String(words[1])
            }
            self.hashes = hashes
        }
    }

    /// Replays the log.
    ///
    /// - Parameters:
    ///   - others: what the hashes have to be as well.
    ///   - printsHashes: whether each hash is printed.
    ///   - progress: called now and then with the share that is done, 0 to 1.
    ///   - send: receives the output, in parts.
    /// - Throws: `ListError.eventMismatch` for a hash that the log has otherwise, ``ToolError`` for one that the other build has
    ///   otherwise; an error of the log.
    public func print(
        _ others: Hashes?, printsHashes: Bool, _ format: OutputFormat, progress: (Double) -> Void,
        send: ([UInt8]) throws -> Void
    ) throws {
        let newest = try store.version
        var (commitCount, eventCount) = (0, 0)
        var part: [UInt8] = []
        try store.forEachReplayedCommit { commit, found in
            guard found == commit.stateHash else {
                throw ListError.eventMismatch(
                    what: "state hash of version \(commit.version)", expected: "\(commit.stateHash)", found: "\(found)")
            }
            if let others {
                let other = others.hashes[commit.version.rawValue]
                guard other == "\(found)" else {
                    throw ToolError(
                        .refused,
                        "replay: version \(commit.version): expected the hash \(other ?? "of another build, which has none"), "
                            + "found \(found)")
                }
            }
            commitCount += 1
            eventCount += commit.eventCount
            if commitCount % 1_024 == 0 { progress(Double(commit.version.rawValue) / Double(newest.rawValue)) }
            guard printsHashes else { return }
            part += line(commit.version, found, format)
            guard part.count > 1 << 16 else { return }
            try send(part)
            part.removeAll(keepingCapacity: true)
        }
        if let more = others?.hashes.keys.filter({ $0 > newest.rawValue }).min() {
            throw ToolError(
                .refused, "replay: expected a version \(more) as of the other build, found \(newest) to be the newest")
        }
        try send(part)
        if !printsHashes { try send(summary(newest, commitCount, eventCount, format)) }
    }

    private func line(_ version: Version, _ hash: StateHash, _ format: OutputFormat) -> [UInt8] {
        guard format == .json else { return Array("\(version) \(hash)\n".utf8) }
        return JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.member("hash", hash.description)
        }
    }

    private func summary(_ version: Version, _ commits: Int, _ events: Int, _ format: OutputFormat) -> [UInt8] {
        guard format == .json else {
            let text =
                "the same: version \(version), \(EventText.count(commits, "commit")), \(EventText.count(events, "event"))\n"
            return Array(text.utf8)
        }
        return JSONWriter.line { writer in
            writer.member("same", true)
            writer.member("version", version.rawValue)
            writer.member("commits", commits)
            writer.member("events", events)
        }
    }
}
