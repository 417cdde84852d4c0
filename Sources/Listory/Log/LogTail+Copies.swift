// The tail of a copy of a file, which is as old as the copy and of no use to anybody.
//
// Always holds: what only the tail had is no longer in the log of the copy.

import LMDB

extension LogTail {
    /// Takes the tail out of a copy of a file. Whoever edits the copy makes it one.
    static func remove(from path: String) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        do {
            let database = try environment.openDatabase(named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self)
            try environment.write { _ = try $0.delete(LogTail.key, in: database) }
        } catch let error as LMDBError {
            // There was none.
            guard error.kind == .engine(.notFound) else { throw error }
        }
    }
}
