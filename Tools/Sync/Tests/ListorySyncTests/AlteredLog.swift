import SharedLog

import class MemoryLog.MemoryLog

/// A log on the way to which something happens to entries.
struct AlteredLog: SharedLog {
    let log: MemoryLog
    /// Throws if they do not arrive.
    var send: @Sendable ([LogEntry]) async throws -> Void = { _ in }
    /// How many arrive at once.
    var readCount = Int.max
    /// Changes what arrives.
    var receive: @Sendable ([LogEntry]) async throws -> [LogEntry] = { $0 }
    /// Where it says that it ends, for which reason it takes nothing; nil if it takes what is sent.
    var refusal: LogPosition?

    func end() async throws -> LogPosition { try await log.end() }
    func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult {
        try await send(entries)
        if let refusal { return .behind(end: refusal) }
        return try await log.append(entries, after: position)
    }
    func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
        try await receive(Array(log.entries(after: number, maximumBytes: maximumBytes).prefix(readCount)))
    }
    func changes() -> AsyncStream<Void> { log.changes() }
    /// Always false: a replica that was not woken must not rely on it.
    func mayHaveMore(after number: UInt64) -> Bool { false }
    func snapshot() async throws -> LogSnapshot? { try await log.snapshot() }
    func snapshotPosition() async throws -> LogPosition? { try await log.snapshotPosition() }
    func offer(_ snapshot: LogSnapshot) async throws { try await log.offer(snapshot) }
    func close() async { await log.close() }
}
