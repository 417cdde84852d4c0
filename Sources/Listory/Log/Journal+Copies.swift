// Removes the journal from a copy of a file, where it is of no use.
//
// Always holds: commits that only the journal had are not in the log of the copy.

import LMDB

extension Journal {
    /// Removes the journal from a copy. Opening the copy for editing makes a new one.
    static func remove(from path: String) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        do {
            let database = try environment.openDatabase(named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self)
            try environment.write { _ = try $0.delete(Journal.key, in: database) }
        } catch let error as LMDBError {
            // There was none.
            guard error.kind == .engine(.notFound) else { throw error }
        }
    }
}
