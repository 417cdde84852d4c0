// Keeps a store and a shared log together: see Docs/Design/Sync.md.
//
// One exchange reads what others have appended, makes the pending commits again on top of it, and sends them. All that has to survive is
// in the store, so an exchange may end anywhere, and the next one goes on.
//
// Always holds: what is confirmed in the store was in the log, with these bytes; nothing is sent behind a position that the log was not
// seen to end at.

@_spi(Sync) import Listory
import ListModel
import SharedLog

/// A store that follows a shared log.
///
/// ```swift
/// let store = try UntypedStore.open(at: path)
/// let log = try PostgresLog(url: url, list: "groceries")
/// let replica = try Replica(store, log)
/// try await replica.synchronize()
/// ```
///
/// The store is used as any other: an edit is made at once, and sent by the next exchange.
public actor Replica {
    /// The limits of an exchange.
    public struct Options: Sendable {
        /// About how many bytes of commits are read or sent at once.
        public var batchBytes = 1 << 20

        public init() {}
    }

    /// The store waits for its file.
    private let executor = ConnectionExecutor(label: "listory.replica")
    private let store: UntypedStore
    private let log: any SharedLog
    private let options: Options
    /// Whether the log was seen to continue what is confirmed here, since it was last unavailable.
    private var isChecked = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes the store a replica, if it is none.
    ///
    /// - Throws: ``ListError``: see ``UntypedStore/beginSharing()``.
    public init(_ store: UntypedStore, _ log: any SharedLog, options: Options = Options()) throws {
        self.store = store
        self.log = log
        self.options = options
        try store.beginSharing()
    }

    /// Exchanges commits with the log until both have the same.
    ///
    /// - Throws: ``SharedLogError`` if the log cannot be reached, ``SyncProblem`` if it is wrong, ``ListError`` for errors of the store.
    ///   What was exchanged before stays.
    public func synchronize() async throws {
        do {
            if !isChecked {
                try await check()
                isChecked = true
            }
            while true {
                while try await pull() {}
                if try await push() { return }
            }
        } catch {
            isChecked = false
            throw error
        }
    }

    // MARK: One exchange

    /// Reads some commits behind the confirmed end.
    ///
    /// - Returns: whether there may be more.
    private func pull() async throws -> Bool {
        let position = try position()
        let entries = try await log.entries(after: position.number, maximumBytes: options.batchBytes)
        if entries.isEmpty { return false }
        do { try LogChain.verify(entries, after: position) } catch {
            throw SyncProblem.unacceptable(number: position.number + 1, cause: error)
        }
        let records = entries.map(\.payload)
        // Own commits whose acknowledgement was lost.
        let count = try store.confirm(records)
        if count == records.count { return true }
        do { try store.receive(Array(records[count...])) } catch let error as UnacceptableRecord {
            throw SyncProblem.unacceptable(number: error.version.rawValue, cause: error.cause)
        }
        return true
    }

    /// Sends the first pending commits.
    ///
    /// - Returns: whether none are left.
    private func push() async throws -> Bool {
        let position = try position()
        let records = try store.pendingRecords(atMost: options.batchBytes)
        if records.isEmpty { return true }
        var end = position
        let entries = records.map { record in
            let entry = LogEntry(after: end, payload: record)
            end = entry.position
            return entry
        }
        if case .appended = try await log.append(entries, after: position) { _ = try store.confirm(records) }
        return false
    }

    /// The position of the log at the confirmed end.
    private func position() throws -> LogPosition {
        guard let confirmed = store.confirmed, confirmed.version > .empty else { return .beginning }
        return try position(at: confirmed.version.rawValue)
    }

    private func position(at number: UInt64) throws -> LogPosition {
        if number == 0 { return .beginning }
        let record = try store.sharedRecord(of: Version(number))
        return LogPosition(
            number: number, checksum: record.withUnsafeBytes { LogEntry.checksum(of: $0, number: number) })
    }

    // MARK: Whether the log continues what is here

    /// Compares the log with what is confirmed, and gives it back what it has lost.
    private func check() async throws {
        let own = try position()
        if own.number == 0 { return }
        let end = try await log.end()
        let common = min(end.number, own.number)
        if try await isSame(common) {
            // It has lost its end. Others may do the same just now: then the log is behind what this one thinks, and is looked at again.
            if common < own.number { try await offer(after: common, through: own.number) }
            return
        }
        guard try await isSame(1) else { throw SyncProblem.otherLog }
        var (low, high) = (UInt64(1), common)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if try await isSame(middle) { low = middle } else { high = middle }
        }
        throw SyncProblem.forked(after: low)
    }

    /// Whether the log has the same entry at a number as this replica.
    private func isSame(_ number: UInt64) async throws -> Bool {
        if number == 0 { return true }
        let entry = try await log.entries(after: number - 1, maximumBytes: 1).first
        return try entry?.position == position(at: number)
    }

    /// Appends confirmed commits again, as they are.
    private func offer(after number: UInt64, through last: UInt64) async throws {
        var next = number
        while next < last {
            let start = try position(at: next)
            var (entries, size, end) = ([LogEntry](), 0, start)
            while next < last, size < options.batchBytes {
                let entry = LogEntry(after: end, payload: try store.sharedRecord(of: Version(next + 1)))
                entries.append(entry)
                (end, next, size) = (entry.position, next + 1, size + entry.encodedCount)
            }
            if case .behind = try await log.append(entries, after: start) { return try await check() }
        }
    }
}
