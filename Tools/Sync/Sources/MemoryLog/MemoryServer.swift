import SharedLog
import Synchronization

/// The shared log of one list in the memory of this process, for tests and simulations. It has no clock, no chance and no threads:
/// the same calls lead to the same results.
///
/// Replicas reach it through a ``MemoryLog`` each. Its own functions are those of a server that loses or changes what it has.
public final class MemoryServer: Sendable {
    private struct State {
        /// The bytes of the entries, as an engine would keep them on a server.
        var entries: [[UInt8]] = []
        var snapshot: LogSnapshot?
        /// The connections, in the order in which they were made.
        var connections: [ChangeBroadcast] = []
    }

    private let state: Mutex<State>
    /// The largest number of bytes of an entry, with its header.
    public let maximumEntryBytes: Int
    /// The largest number of bytes of a snapshot.
    public let maximumSnapshotBytes: Int

    public convenience init(maximumEntryBytes: Int = .max, maximumSnapshotBytes: Int = LogSnapshot.maximumBytes) {
        self.init(State(), maximumEntryBytes: maximumEntryBytes, maximumSnapshotBytes: maximumSnapshotBytes)
    }

    private init(_ state: State, maximumEntryBytes: Int, maximumSnapshotBytes: Int) {
        self.maximumEntryBytes = maximumEntryBytes
        self.maximumSnapshotBytes = maximumSnapshotBytes
        self.state = Mutex(state)
    }

    /// How many entries there are.
    public var count: UInt64 { state.withLock { UInt64($0.entries.count) } }

    // MARK: What may happen to a server

    /// Forgets all entries behind a number.
    public func truncate(to number: UInt64) {
        state.withLock { $0.entries.removeLast(max(0, $0.entries.count - Int(clamping: number))) }
        wake()
    }

    /// Puts another entry at a number, which need not follow the one before it.
    public func replace(_ number: UInt64, payload: [UInt8], link: UInt64) {
        replace(number, bytes: LogEntry(number: number, link: link, payload: payload).encoded())
    }

    /// Puts any bytes at the place of an entry.
    public func replace(_ number: UInt64, bytes: [UInt8]) {
        state.withLock { $0.entries[Int(number) - 1] = bytes }
        wake()
    }

    /// Flips a bit of an entry; bits are counted from the first of its bytes, and again from there behind the last one.
    public func flipBit(_ bit: Int, of number: UInt64) {
        state.withLock { state in
            let place = bit % (state.entries[Int(number) - 1].count * 8)
            state.entries[Int(number) - 1][place / 8] ^= 1 << UInt8(place % 8)
        }
        wake()
    }

    /// A second server that has the same entries up to a number, and goes on without this one.
    public func fork(at number: UInt64) -> MemoryServer {
        var copied = state.withLock { $0 }
        copied.entries.removeLast(max(0, copied.entries.count - Int(clamping: number)))
        copied.connections = []
        return MemoryServer(
            copied, maximumEntryBytes: maximumEntryBytes, maximumSnapshotBytes: maximumSnapshotBytes)
    }

    /// Removes the snapshot.
    public func removeSnapshot() { state.withLock { $0.snapshot = nil } }

    // MARK: What a connection asks for

    func connect(_ connection: ChangeBroadcast) { state.withLock { $0.connections.append(connection) } }

    func disconnect(_ connection: ChangeBroadcast) {
        state.withLock { $0.connections.removeAll { $0 === connection } }
    }

    private func wake() {
        // Not under the lock, because a reader that is woken may call the server.
        for connection in state.withLock({ $0.connections }) { connection.yield() }
    }

    func end(upTo visible: UInt64) throws -> LogPosition {
        try state.withLock { state in
            try MemoryServer.end(of: state, count: min(state.entries.count, Int(clamping: visible)))
        }
    }

    private static func end(of state: State, count: Int) throws -> LogPosition {
        if count == 0 { return .beginning }
        let bytes = state.entries[count - 1]
        return try LogEntry(encoded: bytes, number: UInt64(count)).position
    }

    /// Appends the first of the entries if the log ends at a position.
    func append(_ entries: [LogEntry], after position: LogPosition, first count: Int) throws -> AppendResult {
        let result = try state.withLock { state -> AppendResult in
            let end = try MemoryServer.end(of: state, count: state.entries.count)
            guard end == position else { return .behind(end: end) }
            state.entries.append(contentsOf: entries.prefix(count).map { $0.encoded() })
            return .appended
        }
        if result == .appended, count > 0, !entries.isEmpty { wake() }
        return result
    }

    func entries(after number: UInt64, maximumBytes: Int, upTo visible: UInt64) throws -> [LogEntry] {
        try state.withLock { state in
            let count = min(state.entries.count, Int(clamping: visible))
            var result: [LogEntry] = []
            var bytes = 0
            var index = Int(clamping: number)
            while index < count {
                bytes += state.entries[index].count
                guard bytes <= maximumBytes || result.isEmpty else { break }
                result.append(try LogEntry(encoded: state.entries[index], number: UInt64(index) + 1))
                index += 1
            }
            return result
        }
    }

    var snapshot: LogSnapshot? {
        get { state.withLock { $0.snapshot } }
        set { state.withLock { $0.snapshot = newValue } }
    }
}
