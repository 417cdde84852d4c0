// Replaces the end of the log of a replica: its pending commits by those of other replicas, and by what they become on top of these.
//
// Always holds: one transaction replaces the commits, the head, the confirmed end and the journal, so a process that is killed leaves
// the log as before or as afterwards.

import LMDB
import ListModel

extension Journal {
    /// Replaces all commits behind an end. The journal is empty.
    ///
    /// - Parameters:
    ///   - earlier: that end.
    ///   - run: the commits that follow it.
    ///   - head: the end of the log as the caller knows it.
    ///   - body: writes what belongs to it.
    /// - Returns: the new end of the log.
    /// - Throws: ``LostRace`` if another process has appended, or drained the journal; `LMDBError`. Nothing has changed then.
    func replace(
        after earlier: LogPosition, with run: RecordRun, expecting head: LogPosition,
        _ body: (inout WriteTransaction) throws -> Void
    ) throws -> LogPosition {
        let known = state.withLock { $0 }
        precondition(run.first == earlier.version.next, "the commits follow the end")
        // Draining has found commits of another process, which the caller does not know yet.
        guard known.head == head && known.stored == head else { throw LostRace() }
        return try publishing {
            try environment.write { txn in
                // Another process may have appended to the database or to the journal.
                do { try check(known, txn) } catch is Disagreement { throw LostRace() }
                try txn.deleteAll(after: earlier.version.rawValue, in: rows.commits)
                let head = try rows.append(run, 0..<run.count, after: earlier, &txn)
                // An old entry could continue the new head.
                if let database {
                    try txn.put([UInt8](repeating: 0, count: capacity), forKey: Journal.key, in: database)
                }
                try body(&txn)
                var new = State(head)
                new.isDirect = false
                return new
            }
        }
    }
}
