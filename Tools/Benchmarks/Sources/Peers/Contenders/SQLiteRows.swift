// SQLite through GRDB, as an app would use it: a table with a position, cached statements, and triggers for undo.
//
// Always holds: the journal is a write-ahead log and every commit is synced (`synchronous=FULL`), which is checked when
// the file is made; the cache is large and the file is mapped into memory. The beginnings of steps in the undo log are
// only in memory, as on sqlite.org. That favours SQLite, which could not undo after a restart.

import Foundation
import GRDB
import ProbeSupport

/// Rows in a table.
final class SQLiteRows: RowStore {
    private let queue: DatabaseQueue
    private let schema: SQLiteSchema
    /// The entries of each edit in the undo log.
    private var steps: [ClosedRange<Int64>] = []

    typealias Batch = [(id: Int64, content: Data)]

    init(path: String, schema: SQLiteSchema) throws {
        self.schema = schema
        var configuration = Configuration()
        configuration.journalMode = .wal
        let isNew = !FileManager.default.fileExists(atPath: path)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        if isNew { try queue.write { try $0.execute(sql: schema.sql) } }
        try queue.inDatabase { database in
            // GRDB sets NORMAL for a write-ahead log, with which a commit does not wait to be durable, and does so
            // after the configuration's own preparations. The cache is 256 MiB, and all of the file is mapped.
            try database.execute(
                sql: """
                    PRAGMA synchronous = FULL;
                    PRAGMA cache_size = -262144;
                    PRAGMA mmap_size = 8589934592
                    """)
            // Only once, because opening is measured.
            guard isNew else { return }
            let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode")
            let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
            guard journal == "wal" && synchronous == 2 else { throw WrongResult(what: "settings of SQLite") }
        }
    }

    func prepare(_ ids: Range<Int>) -> Batch { ids.map { (id: Int64($0), content: Data(rowContent($0))) } }

    func append(_ batch: Batch) throws {
        try queue.write { database in
            let last = try Int64.fetchOne(database, sql: "SELECT max(position) FROM item") ?? -1
            let insert = try SQLiteRows.insertion(database)
            for (index, row) in batch.enumerated() {
                try insert.execute(arguments: [row.id, last + 1 + Int64(index), row.content])
            }
        }
    }

    func edit(_ edit: RowEdit) throws {
        let step: ClosedRange<Int64>? = try queue.write { database in
            let start = schema.hasUndo ? try SQLiteRows.endOfUndoLog(database) + 1 : 0
            switch edit {
            case .insert(let id, let next):
                let content = Data(rowContent(Int(id)))
                let position = try between(database, before: next)
                try SQLiteRows.insertion(database).execute(arguments: [id, position, content])
            case .toggle(let id):
                try database.cachedStatement(sql: "UPDATE item SET checked = 1 - checked WHERE id = ?")
                    .execute(arguments: [id])
            case .move(let id, let next): try move(database, id, before: next)
            }
            return schema.hasUndo ? start...(try SQLiteRows.endOfUndoLog(database)) : nil
        }
        if let step { steps.append(step) }
    }

    func undo() throws {
        guard let step = steps.popLast() else { throw NotSupported() }
        let range = [step.lowerBound, step.upperBound]
        try queue.write { database in
            let statements = try String.fetchAll(
                database.cachedStatement(sql: "SELECT sql FROM undolog WHERE seq BETWEEN ? AND ? ORDER BY seq DESC"),
                arguments: StatementArguments(range))
            try database.cachedStatement(sql: "DELETE FROM undolog WHERE seq BETWEEN ? AND ?")
                .execute(arguments: StatementArguments(range))
            // The triggers record how to take the undo back: the redo of sqlite.org.
            for sql in statements { try database.execute(sql: sql) }
        }
    }

    func readFirst(_ count: Int) throws -> FirstRows {
        try queue.read { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(sql: "SELECT id, checked, content FROM item ORDER BY position LIMIT ?"),
                arguments: [count])
            var first = FirstRows()
            while let row = try rows.next() {
                first.ids.append(row[0])
                let content: Data = row[2]
                first.byteCount += content.count
            }
            return first
        }
    }

    func close() throws { try queue.close() }

    private static func insertion(_ database: Database) throws -> Statement {
        try database.cachedStatement(sql: "INSERT INTO item (id, position, content) VALUES (?, ?, ?)")
    }

    private static func endOfUndoLog(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT max(seq) FROM undolog")) ?? 0
    }
}

// MARK: - Positions

extension SQLiteRows {
    private func move(_ database: Database, _ id: Int64, before next: Int64) throws {
        try database.cachedStatement(sql: "UPDATE item SET position = ? WHERE id = ?")
            .execute(arguments: [try between(database, before: next), id])
    }

    /// The mean of the positions of a row and the one before it.
    private func between(_ database: Database, before next: Int64) throws -> Double {
        let upper = try positionOf(next, database)
        let previous = try database.cachedStatement(
            sql: "SELECT position FROM item WHERE position < ? ORDER BY position DESC LIMIT 1")
        guard let lower = try Double.fetchOne(previous, arguments: [upper]) else { return upper - 1 }
        return (lower + upper) / 2
    }

    private func positionOf(_ id: Int64, _ database: Database) throws -> Double {
        let statement = try database.cachedStatement(sql: "SELECT position FROM item WHERE id = ?")
        guard let position = try Double.fetchOne(statement, arguments: [id]) else {
            throw WrongResult(what: "row \(id) is missing")
        }
        return position
    }
}

extension SQLiteRows {
    /// The version of SQLite that is linked.
    static var version: String {
        let version = try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
        return version ?? "of an unknown version"
    }
}
