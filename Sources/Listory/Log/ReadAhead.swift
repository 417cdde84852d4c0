// Records that were read ahead: whoever undoes, or walks up a history, asks for one commit after the other, and finding each
// of them in the database takes as long as undoing it.
//
// Always holds: what is kept are records of the database, one behind the other, and those never change.

import LMDB
import ListModel

/// The neighbours of the record that was asked for last.
final class ReadAhead: Sendable {
    /// How a record is come by.
    enum Way {
        /// It is one of these, at an index.
        case kept(RecordBatch, Int)
        /// It is next to the one that was asked for last: the one after it will be asked for, too.
        case following(isBackwards: Bool)
        /// It is somewhere else.
        case alone
    }

    private struct State: Sendable {
        /// The version that was asked for last.
        var last = Version.empty
        var records = RecordBatch(first: Version.empty.next)
    }

    /// How many records are read at once, and how many bytes they have together; both at most.
    private static let count: UInt64 = 32
    private static let size = 4_096

    private let state = Locked(State())

    /// How the record of a version is come by, which is asked for now.
    func way(to version: Version) -> Way {
        state.withLock { state in
            // Whoever asks may ask for any number, the greatest, too.
            let step = version.rawValue &- state.last.rawValue
            let isFirst = state.last == .empty || version == .empty
            state.last = version
            if let index = state.records.index(of: version) { return .kept(state.records, index) }
            if isFirst { return .alone }
            return step == 1 ? .following(isBackwards: false) : step == .max ? .following(isBackwards: true) : .alone
        }
    }

    /// Reads the record of a version, and those that will be asked for if it goes on like that; keeps them.
    ///
    /// - Returns: records of which that of the version is one, unless it is too large or not there.
    func read(
        _ version: Version, isBackwards: Bool, _ txn: borrowing ReadTransaction, _ commits: Database<UInt64, [UInt8]>
    ) throws -> RecordBatch {
        let number = version.rawValue
        let count = ReadAhead.count
        let range =
            isBackwards
            ? number - min(count, number) + 1...number : number...number + min(count - 1, UInt64.max - number)
        var records = RecordBatch(first: Version(range.lowerBound), reserving: ReadAhead.size)
        try txn.forEach(in: commits, range: range) { key, record in
            let found = Version(try UInt64.decode(key))
            if found != records.version(records.count) || records.size + record.count > ReadAhead.size {
                // What is not next to the version is left out.
                guard isBackwards else { return false }
                let isSmall = record.count <= ReadAhead.size
                records = RecordBatch(first: isSmall ? found : found.next, reserving: ReadAhead.size)
                guard isSmall else { return true }
            }
            records.append(record, eventCount: 0)
            return true
        }
        state.withLock { $0.records = records }
        return records
    }
}
