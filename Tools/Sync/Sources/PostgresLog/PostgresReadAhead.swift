// What the listener reads as soon as it is notified, for a log that has read everything before: the log then need not ask the server,
// which would cost two changes of threads.
//
// Always holds: the entries follow the number at which there were last no more.

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
        /// Whether there were no more when they were read, and there was no notification since.
        var areAll = false
    }

    /// Notes that the log was read, or appended to, up to its end; nil if it may be another log from now on.
    func noteEnd(_ number: UInt64?) { state.withLock { $0 = State(end: number) } }

    /// After a notification, reads the entries behind the end, if they were not read before.
    func fill(_ read: (UInt64) throws -> (entries: [LogEntry], areAll: Bool)) rethrows {
        let end: UInt64? = state.withLock { state in
            state.areAll = false
            return state.entries.isEmpty ? state.end : nil
        }
        guard let end else { return }
        let found = try read(end)
        state.withLock { if $0.end == end { ($0.entries, $0.areAll) = found } }
    }

    /// The entries after a number, once; nil if the server has to be asked. An earlier entry is asked for to learn what the server has
    /// now, so it never comes from here.
    func take(after number: UInt64, maximumBytes: Int) -> [LogEntry]? {
        state.withLock { state in
            let found = exchange(&state, with: State())
            guard let last = found.entries.last, found.entries.reduce(0, { $0 + $1.encodedCount }) <= maximumBytes,
                (try? LogChain.verify(found.entries, afterNumber: number)) != nil
            else { return nil }
            if found.areAll { state.end = last.number }
            return found.entries
        }
    }

    /// Whether there may be entries after a number, as far as the server has told.
    func mayHaveMore(after number: UInt64) -> Bool { state.withLock { $0.end != number || !$0.entries.isEmpty } }
}
