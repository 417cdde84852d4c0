// Copies the states of projections into a salvaged store, because they contain information of dropped commits; checks them.
//
// Always holds: a copied state belongs to a commit that the new log has or begins with; other states are not copied.

import LMDB
import ListModel

extension SalvageIndex {
    /// Copies the states of projections from which a salvaged log can be folded further.
    ///
    /// - Parameter checksums: those of the records of the log, by version, as far as there are states of the version.
    func copyProjections(to target: CheckpointDatabase, _ checksums: [Version: UInt64]) throws {
        guard let copies = target.projections else { return }
        for (name, state) in projections where checksums[state.version] == state.checksum {
            try target.environment.write { txn in try txn.put(state.bytes(name: name), forKey: name, in: copies) }
        }
    }
}

extension CheckpointDatabase {
    /// Reads the states of all projections.
    ///
    /// - Throws: ``ListError/damagedProjection(name:)`` for one that is damaged or belongs to no version up to the newest.
    func checkProjections(through newest: Version) throws {
        guard let projections else { return }
        try reading { txn in
            try txn.forEach(in: projections) { key, row in
                let name = String(decoding: key, as: UTF8.self)
                guard let stored = ProjectionRow(row, name: name), stored.version <= newest else {
                    throw ListError.damagedProjection(name: name)
                }
                return true
            }
        }
    }
}
