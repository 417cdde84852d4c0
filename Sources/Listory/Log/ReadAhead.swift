// Reads records ahead: undo and walks up a history read one commit after another, and finding each of them in the
// database takes as long as undoing it.
//
// Always holds: the buffer has consecutive records of the database. They change only when the pending commits of a replica are replaced;
// then the buffer is emptied, and what was read before does not come into it.

import LMDB
import ListModel

/// The neighbours of the record that was read last.
final class ReadAhead: Sendable {
    /// How a record is read.
    enum Way {
        /// From the buffer, at this index.
        case kept(RecordRun, Int)
        /// With its neighbours, because it is next to the record that was read last.
        case following(isBackwards: Bool)
        /// Alone.
        case alone
    }

    private struct State: Sendable {
        /// The version that was read last.
        var last = Version.empty
        var records = RecordRun(first: Version.empty.next)
        /// How often the buffer was emptied.
        var generation = 0
    }

    /// The most records, and the most bytes, to read at once.
    private static let count: UInt64 = 32
    private static let size = 4_096

    private let state = Locked(State())

    /// Forgets the records, because some of them were replaced.
    func clear() { state.withLock { $0 = State(generation: $0.generation + 1) } }

    /// How many times the records were forgotten. Asked for before a transaction begins in which records are read.
    var generation: Int { state.withLock { $0.generation } }

    /// How to read the record of a version.
    func way(to version: Version) -> Way {
        state.withLock { state in
            // The version may be any number, also the greatest.
            let step = version.rawValue &- state.last.rawValue
            let isFirst = state.last == .empty || version == .empty
            state.last = version
            if let index = state.records.index(of: version) { return .kept(state.records, index) }
            if isFirst { return .alone }
            return step == 1 ? .following(isBackwards: false) : step == .max ? .following(isBackwards: true) : .alone
        }
    }

    /// Reads the record of a version and the following ones in the direction of reading, and keeps them.
    ///
    /// - Parameter generation: that of before the transaction.
    /// - Returns: records that include that of the version, unless it is too large or missing.
    func read(
        _ version: Version, isBackwards: Bool, _ txn: borrowing ReadTransaction, _ commits: Database<UInt64, [UInt8]>,
        generation: Int
    ) throws -> RecordRun {
        let number = version.rawValue
        let count = ReadAhead.count
        let range =
            isBackwards
            ? number - min(count, number) + 1...number : number...number + min(count - 1, UInt64.max - number)
        var records = RecordRun(first: Version(range.lowerBound), reserving: ReadAhead.size)
        try txn.forEach(in: commits, range: range) { key, record in
            let found = Version(try UInt64.decode(key))
            if found != records.version(records.count) || records.size + record.count > ReadAhead.size {
                // Records that are not contiguous with the version are left out.
                guard isBackwards else { return false }
                let isSmall = record.count <= ReadAhead.size
                records = RecordRun(first: isSmall ? found : found.next, reserving: ReadAhead.size)
                guard isSmall else { return true }
            }
            records.append(record, eventCount: 0)
            return true
        }
        state.withLock { if $0.generation == generation { $0.records = records } }
        return records
    }
}
