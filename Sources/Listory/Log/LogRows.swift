// The rows of the log in a transaction: reads the head and appends records.
//
// Always holds: the head row and the records that it refers to are written in one transaction.

import LMDB
import ListModel

/// The databases of the log.
struct LogRows: Sendable {
    let meta: Database<String, [UInt8]>
    let commits: Database<UInt64, [UInt8]>
    /// The last version whose commit may be in a packed block.
    let lastPacked: Version

    /// The head of the log.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if that is not what the head row says.
    func readCheckedHead(_ txn: borrowing some Transaction & ~Copyable) throws -> LogPosition {
        let head = try readHead(txn)
        // After salvage, the last commit may be packed, and others before it not.
        let last = max(try txn.lastKey(in: commits) ?? 0, lastPacked.rawValue)
        guard last == head.version.rawValue else {
            throw ListError.headMismatch(
                what: "newest commit", expected: head.version.description, found: String(last))
        }
        return head
    }

    /// The head row.
    func readHead(_ txn: borrowing some Transaction & ~Copyable) throws -> LogPosition {
        try LogRows.head(txn, meta)
    }

    /// The head row of a file.
    static func head(
        _ txn: borrowing some Transaction & ~Copyable, _ meta: Database<String, [UInt8]>
    ) throws -> LogPosition {
        let head = try txn.withValue(forKey: LogFormat.headKey, in: meta) { $0.flatMap({ LogPosition($0) }) }
        guard let head else {
            throw ListError.headMismatch(what: "head row", expected: LogPosition.expectation, found: "another")
        }
        return head
    }

    /// Appends records.
    ///
    /// - Parameter head: the head row, as the caller has read it in this transaction.
    /// - Returns: the new head.
    func append(
        _ run: RecordRun, _ range: Range<Int>, after head: LogPosition, _ txn: inout WriteTransaction
    ) throws -> LogPosition {
        var newHead = head
        for index in range {
            let version = run.version(index)
            try run.withRecord(index) { record in
                try txn.append(bytes: record, forKey: version.rawValue, in: commits)
                newHead.append(record, version: version, eventCount: run.eventCount(index))
            }
        }
        try txn.put(newHead.bytes, forKey: LogFormat.headKey, in: meta)
        return newHead
    }
}
