// Copies the states of projections into a file with a later beginning, because they contain information of dropped commits.
//
// Always holds: a copied state belongs to a commit that the new log has or begins with; other states are not copied.

import LMDB
import ListModel

extension UntypedStore {
    /// Copies the states from which the log of a compacted store can be folded further.
    ///
    /// - Parameters:
    ///   - target: the databases of the new store.
    ///   - base: the version that its log begins with.
    ///   - last: the version that it ends with; states that were stored since are of later ones.
    func copyProjections(to target: CheckpointDatabase, from base: Version, through last: Version) throws {
        guard let database = checkpointer?.database, let projections = database.projections,
            let copies = target.projections
        else { return }
        var rows: [(name: String, row: [UInt8])] = []
        try database.reading { txn in
            try txn.forEach(in: projections) { key, row in
                rows.append((String(decoding: key, as: UTF8.self), Array(row)))
                return true
            }
        }
        for (name, row) in rows {
            guard let stored = row.withUnsafeBytes({ ProjectionRow($0, name: name) }), stored.version >= base,
                stored.version <= last, try past.checksum(of: stored.version) == stored.checksum
            else { continue }
            try target.environment.write { txn in
                try row.withUnsafeBytes { try txn.put(bytes: $0, forKey: name, in: copies) }
            }
        }
    }
}
