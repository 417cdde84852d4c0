import SharedLog
import Synchronization

/// A replica's connection to a ``MemoryServer``.
///
/// Before each call, a function of the test decides whether a fault happens. It may wait, so that a simulation can let time pass.
public final class MemoryLog: SharedLog {
    /// A call of a replica.
    public enum Call: Hashable, Sendable {
        case end
        case append(count: Int, after: LogPosition)
        case entries(after: UInt64)
        case snapshot, snapshotPosition
        case offer(LogPosition)
    }

    /// What goes wrong in a call.
    public enum Fault: Hashable, Sendable {
        /// The request does not reach the server: nothing happens.
        case requestLost
        /// The server does what it was asked for, but its answer is lost.
        case answerLost
        /// The server appends only so many of the entries, and no answer comes. Other calls: as ``answerLost``.
        case partial(Int)
        /// The call is answered by a server that has only so many entries yet: ``end()`` and reading show no more of them.
        case stale(UInt64)
        /// The server refuses the call.
        case refused(SharedLogError.Refusal)
    }

    public let server: MemoryServer
    private let fault: @Sendable (Call) async -> Fault?
    private let isClosed = Atomic(false)
    private let broadcast = ChangeBroadcast()

    /// - Parameter fault: which fault happens in a call, if any.
    public init(_ server: MemoryServer, fault: @escaping @Sendable (Call) async -> Fault? = { _ in nil }) {
        self.server = server
        self.fault = fault
        server.connect(broadcast)
    }

    deinit { server.disconnect(broadcast) }

    public func end() async throws -> LogPosition {
        try await run(.end) { visible in try server.end(upTo: visible) }
    }

    public func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult {
        try LogChain.verify(entries, after: position)
        if let large = entries.first(where: { $0.encodedCount > server.maximumEntryBytes }) {
            throw SharedLogError.tooLarge(
                number: large.number, bytes: large.encodedCount, limit: server.maximumEntryBytes)
        }
        let fault = try await begin(.append(count: entries.count, after: position))
        let count = if case .partial(let part) = fault { min(part, entries.count) } else { entries.count }
        let result = try server.append(entries, after: position, first: count)
        try finish(fault)
        return result
    }

    public func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
        let entries = try await run(.entries(after: number)) { visible in
            try server.entries(after: number, maximumBytes: maximumBytes, upTo: visible)
        }
        try LogChain.verify(entries, afterNumber: number)
        return entries
    }

    public func changes() -> AsyncStream<Void> { broadcast.stream() }

    public func mayHaveMore(after number: UInt64) -> Bool { server.count > number }

    public func snapshot() async throws -> LogSnapshot? {
        try await run(.snapshot) { _ in server.snapshot }
    }

    public func snapshotPosition() async throws -> LogPosition? {
        try await run(.snapshotPosition) { _ in server.snapshot?.position }
    }

    public func offer(_ snapshot: LogSnapshot) async throws {
        try snapshot.checkSize(limit: server.maximumSnapshotBytes)
        try await run(.offer(snapshot.position)) { _ in server.snapshot = snapshot }
    }

    public func close() async {
        isClosed.store(true, ordering: .relaxed)
        server.disconnect(broadcast)
        broadcast.finish()
    }

    // MARK: Faults

    private func run<Result>(
        _ call: Call, _ body: (_ visible: UInt64) throws -> Result
    ) async throws -> Result {
        let fault = try await begin(call)
        let visible = if case .stale(let number) = fault { number } else { UInt64.max }
        let result = try body(visible)
        try finish(fault)
        return result
    }

    private func begin(_ call: Call) async throws -> Fault? {
        guard !isClosed.load(ordering: .relaxed) else { throw SharedLogError.closed }
        let fault = await fault(call)
        switch fault {
        case .requestLost: throw SharedLogError.unavailable(cause: "the request was lost")
        case .refused(let refusal): throw SharedLogError.refused(refusal, cause: "as the test wants it")
        case .answerLost, .partial, .stale, nil: return fault
        }
    }

    private func finish(_ fault: Fault?) throws {
        switch fault {
        case .answerLost, .partial: throw SharedLogError.unavailable(cause: "the answer was lost")
        default: return
        }
    }
}
