// The seam between a replica and the server that keeps the log of a list: see Docs/Design/Sync.md.

/// The log of one list, which several replicas share. An engine for a kind of server implements it.
///
/// An object belongs to one replica. It need not wake that replica for what the replica has appended itself.
///
/// All functions throw ``SharedLogError`` and nothing else. They may be called at any time, also at once from several tasks. If the task
/// of a call is cancelled, an engine may throw ``SharedLogError/unavailable(cause:)`` instead of waiting for the server.
public protocol SharedLog: Sendable {
    /// Where the log ends.
    nonisolated(nonsending) func end() async throws -> LogPosition

    /// Appends entries if the log ends at a position. Either all of them are appended or none; an engine whose server cannot do
    /// that may append a beginning of them, in order, before it throws.
    ///
    /// Throws ``SharedLogError/unavailable(cause:)`` if it is unknown whether the entries were appended. ``end()`` shows it later.
    ///
    /// - Parameters:
    ///   - entries: consecutive ones, of which the first follows the position.
    nonisolated(nonsending) func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult

    /// The entries after a number, in order and without a gap: at least one if there is one, and not more than fit into the bytes
    /// unless it is a single one. It may return fewer than fit, and only an empty result says that there are no more.
    ///
    /// Each entry has its own checksum and is linked to the one before it in the result. Whether the first one follows what the
    /// caller has is for the caller to check: see ``LogChain``.
    nonisolated(nonsending) func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry]

    /// Yields at once, and then whenever others may have appended, also when a connection is lost, and when
    /// it was made again. Ends when the log is closed.
    func changes() -> AsyncStream<Void>

    /// Whether there may be entries after one that was just read. It is false if the server has announced none. A reader that
    /// ``changes()`` has woken need not ask then: the stream yields when there are more.
    func mayHaveMore(after number: UInt64) -> Bool

    /// The snapshot that was offered last, if there is one.
    nonisolated(nonsending) func snapshot() async throws -> LogSnapshot?

    /// The position of that snapshot, without its bytes.
    nonisolated(nonsending) func snapshotPosition() async throws -> LogPosition?

    /// Keeps a snapshot instead of the one before. Throws ``SharedLogError/tooLarge(number:bytes:limit:)`` if it has more bytes than
    /// ``LogSnapshot/maximumBytes``, or than the server takes.
    nonisolated(nonsending) func offer(_ snapshot: LogSnapshot) async throws

    /// Ends the connections. Later calls throw ``SharedLogError/closed``.
    nonisolated(nonsending) func close() async
}

extension SharedLog {
    /// Without knowing, there may be more.
    public func mayHaveMore(after number: UInt64) -> Bool { true }
}

/// A position in a log: how many entries there are up to it, and which one is the last.
public struct LogPosition: Hashable, Sendable, CustomStringConvertible {
    /// The number of entries, which is also the number of the last one.
    public var number: UInt64
    /// The checksum of the last entry; 0 if there is none.
    public var checksum: UInt64

    /// The beginning of every log.
    public static let beginning = LogPosition(number: 0, checksum: 0)

    /// The largest number of an entry. PostgreSQL has no larger integers.
    public static let maximumNumber = UInt64(Int64.max)

    public init(number: UInt64, checksum: UInt64) {
        self.number = number
        self.checksum = checksum
    }

    public var description: String { "\(number) (checksum \(hexadecimal(checksum)))" }
}

/// What became of an attempt to append entries.
public enum AppendResult: Hashable, Sendable {
    /// All entries were appended.
    case appended
    /// Nothing was appended, because the log ends elsewhere.
    case behind(end: LogPosition)
}

/// A compacted copy of a store, with which a new replica begins.
public struct LogSnapshot: Hashable, Sendable {
    /// The position of the log that the copy stands for.
    public var position: LogPosition
    public var bytes: [UInt8]

    public init(position: LogPosition, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }

    /// The largest one that the engines write or read: it is in memory as a whole. A new replica of a larger list reads the log from the
    /// beginning, in parts.
    public static let maximumBytes = 1 << 30

    /// Throws ``SharedLogError/tooLarge(number:bytes:limit:)`` if it has more bytes than may be written.
    package func checkSize(limit: Int) throws {
        try LogSnapshot.checkSize(bytes.count, at: position.number, limit: limit)
    }

    /// As ``checkSize(limit:)``, of a snapshot that is not made yet.
    package static func checkSize(_ bytes: Int, at number: UInt64, limit: Int = LogSnapshot.maximumBytes) throws {
        guard bytes <= limit else { throw SharedLogError.tooLarge(number: number, bytes: bytes, limit: limit) }
    }

    /// Throws ``SharedLogError/damaged(_:expected:found:)`` if one that a server has is larger than any may be: it must not fill the memory of
    /// all who read.
    package static func checkStoredSize(_ bytes: Int, limit: Int) throws {
        guard bytes <= limit else {
            throw SharedLogError.damaged(.snapshot, expected: "at most \(limit) bytes", found: "\(bytes)")
        }
    }

    /// The size of the parts in which servers keep it: as much as a slow line takes in the time that they wait for it.
    package static let partBytes = 256 << 10

    /// The checksum of the bytes.
    package var digest: UInt64 { bytes.withUnsafeBytes { XXHash64.hash($0, seed: position.number) } }
}

/// A checksum as it is written in messages.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
