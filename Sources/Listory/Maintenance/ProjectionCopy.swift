// Copies the states of projections into a salvaged store, because they contain information of dropped commits; checks them.
//
// Always holds: a copied state belongs to a commit that the new log has or begins with; other states are not copied.

import LMDB
import ListModel

extension SalvageIndex {
    /// Copies the states of projections from which a salvaged log can be folded further.
    ///
    /// - Parameters:
    ///   - base: the beginning of the log.
    ///   - head: its end.
    func copyProjections(to target: CheckpointDatabase, _ base: LogBase, _ head: LogHead) throws {
        guard let copies = target.projections else { return }
        for (name, row) in projections {
            guard let stored = row.withUnsafeBytes({ ProjectionRow($0, name: name) }),
                base.version...head.version ~= stored.version
            else { continue }
            let isOfLog =
                stored.version == base.version
                ? stored.checksum == base.checksum
                : units[stored.version.rawValue]?.contains { $0.checksum == stored.checksum } ?? false
            guard isOfLog else { continue }
            try target.environment.write { txn in
                try row.withUnsafeBytes { try txn.put(bytes: $0, forKey: name, in: copies) }
            }
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
