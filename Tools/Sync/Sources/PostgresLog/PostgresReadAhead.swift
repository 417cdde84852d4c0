// What the listener reads as soon as it is notified, for a log that has read everything before: the log then need not ask the server,
// which would cost two changes of threads.
//
// Always holds: the entries follow the number at which the log last found no more.

import SharedLog
import Synchronization

/// Entries on their way from the listener to the log.
final class PostgresReadAhead: Sendable {
    /// How much is read at once. Of more than that, the log reads as much as it asks for.
    static let mostBytes = 64 << 10, mostRows = 16

    /// Sent with each notification of this client, which so knows its own.
    let id = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    private let state = Mutex(State())

    private struct State {
        /// The number behind which the log knows of no entry; nil if there is more to read.
        var end: UInt64?
        /// The entries behind that number, if they were read.
        var entries: [LogEntry] = []
    }

    /// Notes that the log was read, or appended to, up to its end; nil if it may be another log from now on.
    func noteEnd(_ number: UInt64?) { state.withLock { $0 = State(end: number) } }

    /// Reads the entries behind the end, if they were not read before.
    func fill(_ read: (UInt64) throws -> [LogEntry]) rethrows {
        guard let end = state.withLock({ $0.entries.isEmpty ? $0.end : nil }) else { return }
        let entries = try read(end)
        state.withLock { if $0.end == end { $0.entries = entries } }
    }

    /// The entries after a number, once; nil if the server has to be asked. An earlier entry is asked for to learn what the server has
    /// now, so it never comes from here.
    func take(after number: UInt64, maximumBytes: Int) -> [LogEntry]? {
        state.withLock { state in
            defer { state = State() }
            guard state.end == number, !state.entries.isEmpty,
                state.entries.reduce(0, { $0 + $1.encodedCount }) <= maximumBytes,
                (try? LogChain.verify(state.entries, afterNumber: number)) != nil
            else { return nil }
            return state.entries
        }
    }
}
