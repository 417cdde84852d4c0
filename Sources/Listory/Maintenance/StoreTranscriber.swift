// Writes a store from what was written down of the commits of another one.
//
// Always holds: there is a file at the target only when it is complete, verified and durable.

import LMDB
import ListModel

/// Writes a new store commit by commit, each with the events, the time and the place in the history that it had.
///
/// ```swift
/// try StoreTranscriber.write(to: "copy.listory") { copy in
///     for line in lines { try copy.append(line.transcript, line.events { copy.content($0) }) }
/// }
/// ```
public struct StoreTranscriber: ~Copyable {
    private var file: NewStoreFile
    private var commits: CommitTranscriber
    private var base = LogBase()

    private init(_ scratch: String, _ options: StoreOptions) throws {
        file = try NewStoreFile(at: scratch, options)
        commits = CommitTranscriber(ListState(NodePool(limits: NewStoreFile.limits, source: file.database)))
    }

    /// The last version that was written.
    public var version: Version { commits.state.version }

    /// Begins after a version whose commits were dropped. Without this, the first commit makes version 1.
    ///
    /// - Parameters:
    ///   - version: the oldest version.
    ///   - sections: its rows, with contents of ``content(_:)``.
    ///   - histories: what was written down of ``StoreProtocol/oldestHistories()``.
    /// - Throws: ``ListError/eventMismatch(what:expected:found:)`` if they cannot be those of the version.
    public mutating func begin(
        at version: Version, _ sections: [ListSection], histories: [HistoryTranscript]
    ) throws {
        try door {
            let contents = try commits.begin(at: version, sections, histories)
            (base.version, base.lastPacked) = (version, version)
            file.begin(after: base)
            _ = try file.putContents(Set(contents.keys)) { contents[$0] }
            try file.takeCheckpoint(of: &commits.state) { contents[$0] }
        }
    }

    /// A content that a row gets in the next commit.
    public mutating func content(_ bytes: [UInt8]) -> ContentReference { commits.content(bytes) }

    /// A content that a row gets in the next commit, and that was erased.
    ///
    /// - Parameters:
    ///   - length: how many bytes it had.
    ///   - hash: its ``ContentReference/hash``.
    /// - Returns: nil if the hash is not one.
    public func erasedContent(length: UInt32, hash: UInt64) -> ContentReference? {
        commits.erasedContent(length: length, hash: hash)
    }

    /// Writes the next commit.
    ///
    /// - Parameters:
    ///   - transcript: what was written down of it.
    ///   - events: its events. Contents that rows get are those of ``content(_:)``; contents of rows that go are not looked at.
    /// - Throws: ``ListError/eventMismatch(what:expected:found:)`` if it is not the next commit, an event does not fit the
    ///   rows, or the rows then have another hash.
    public mutating func append(_ transcript: CommitTranscript, _ events: [ListEvent]) throws {
        try door {
            // Without them, packing the commits and reading old versions would each time begin at the first commit.
            let distance = file.head.eventCount - (file.newest?.eventCount ?? 0)
            if distance >= UInt64(Compaction().checkpointSpacing) {
                try file.takeCheckpoint(of: &commits.state) { _ in nil }
            }
            let record = try commits.record(transcript, events)
            try record.withUnsafeBytes { try file.advance(over: $0, of: transcript.version) }
            file.add(record: record, of: transcript.version)
            try file.flushIfLarge()
        }
    }

    /// Writes a new store, verifies it and gives it its name.
    ///
    /// - Parameters:
    ///   - path: a file that does not exist.
    ///   - options: the capacity of nodes, and the greatest size of the file.
    ///   - body: appends the commits.
    /// - Throws: ``ListError/alreadyExists(path:)``; ``ListError/inUse(path:)`` if something else is just written there;
    ///   ``ListError/notPermitted(path:isReadOnly:)``; what `body` throws, and ``StoreVerification``. Then there is no file.
    @discardableResult
    public static func write(
        to path: String, options: StoreOptions = StoreOptions(), _ body: (inout StoreTranscriber) throws -> Void
    ) throws -> StoreVerification {
        try UntypedStore.making(path) { scratch in
            var transcriber = try StoreTranscriber(scratch, options)
            try body(&transcriber)
            try transcriber.finish()
            return try StoreVerification(path: scratch)
        }
    }

    private consuming func finish() throws {
        try file.flush()
        if version > base.version {
            commits.state.rebuild()
            try file.takeCheckpoint(of: &commits.state) { _ in nil }
        }
        if base.version > .empty { try file.put(base) }
        try file.close()
    }
}
