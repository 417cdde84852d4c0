// Tests transactions: committing, aborting, nesting, handles of databases.

import LMDB
import TestSupport
import Testing

@Suite struct TransactionTests {
    let folder = try! TemporaryFolder()
    struct Stop: Error {}

    @Test("A write that throws changes nothing, and its error reaches the caller")
    func abortOnThrow() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        #expect(throws: Stop.self) {
            try environment.write { txn in
                try txn.put("x", forKey: 1, in: rows)
                throw Stop()
            }
        }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 0)
        try environment.write { txn in try txn.put("y", forKey: 1, in: rows) }
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == "y")
    }

    @Test("A commit ends the transaction; one that is dropped is aborted")
    func commitConsumes() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        // After `commit` or `abort` the compiler refuses the name, so only the effects can be tested.
        var first = try environment.beginWrite()
        try first.put("kept", forKey: 1, in: rows)
        try first.commit()
        do {
            var second = try environment.beginWrite()
            try second.put("dropped", forKey: 2, in: rows)
        }
        var third = try environment.beginWrite()
        try third.put("aborted", forKey: 3, in: rows)
        third.abort()
        let found = try environment.read { txn in try (1...3).map { try txn.get(UInt64($0), in: rows) } }
        #expect(found == ["kept", nil, nil])
    }

    @Test("A second write on the same thread is an error and no deadlock")
    func nestedWrite() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            try txn.put("outer", forKey: 1, in: rows)
            #expect(kind { try environment.write { _ in } } == .nestedWrite)
            #expect(kind { _ = try environment.beginWrite() } == .nestedWrite)
        }
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == "outer")
    }

    @Test("A write sees its own changes, and a read beside it does not")
    func isolation() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            try txn.put("x", forKey: 1, in: rows)
            #expect(try txn.get(1, in: rows) == "x")
            #expect(try environment.read { reading in try reading.get(1, in: rows) } == nil)
        }
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == "x")
    }

    @Test("A database opened in a transaction that aborted is refused, even if its index was given to another")
    func staleDatabase() throws {
        let environment = try folder.open()
        var escaped: Database<UInt64, String>?
        try? environment.write { txn in
            escaped = try txn.openDatabase(named: "a", of: UInt64.self, String.self, create: true)
            try txn.put("x", forKey: 1, in: escaped!)
            throw Stop()
        }
        let stale = try #require(escaped)
        #expect(kind { try environment.read { txn in _ = try txn.get(1, in: stale) } } == .staleDatabase)
        let other = try environment.texts("b")
        #expect(kind { try environment.write { txn in try txn.put("y", forKey: 1, in: stale) } } == .staleDatabase)
        #expect(kind { try environment.read { txn in _ = try txn.get(1, in: stale) } } == .staleDatabase)
        #expect(kind { try environment.read { txn in _ = try txn.count(in: stale) } } == .staleDatabase)
        #expect(kind { try environment.read { txn in try txn.forEach(in: stale) { _, _ in true } } } == .staleDatabase)
        #expect(try environment.read { txn in try txn.count(in: other) } == 0)
    }

    @Test("A database of another environment is refused")
    func foreignDatabase() throws {
        let environment = try folder.open()
        let foreign = try folder.open("other").texts()
        _ = try environment.texts()
        #expect(kind { try environment.read { txn in _ = try txn.get(1, in: foreign) } } == .staleDatabase)
    }

    @Test("Opening a database again returns the same handle")
    func openedOnce() throws {
        let environment = try folder.open()
        let first = try environment.texts()
        #expect(try environment.texts().handle == first.handle)
        try environment.write { txn in
            let again = try txn.openDatabase(named: "texts", of: UInt64.self, String.self)
            #expect(again.handle == first.handle)
            let new = try txn.openDatabase(named: "new", of: UInt64.self, String.self, create: true)
            let twice = try txn.openDatabase(named: "new", of: UInt64.self, String.self, create: true)
            #expect(new.handle == twice.handle && new.handle != first.handle)
        }
    }

    @Test("The limits and names of databases are checked")
    func names() throws {
        let environment = try folder.open { $0.maximumDatabases = 2 }
        #expect(kind { _ = try environment.texts("") } == .invalidName(""))
        #expect(kind { _ = try environment.texts("a\0b") } == .invalidName("a\0b"))
        #expect(
            kind { _ = try environment.openDatabase(named: "none", of: UInt64.self, String.self) }
                == .engine(.notFound))
        _ = try environment.texts("1")
        _ = try environment.texts("2")
        #expect(kind { _ = try environment.texts("3") } == .engine(.databasesFull))
        #expect(try environment.texts(nil).name == nil)
    }

    @Test("A transaction that is older than a database throws that it does not know it")
    func openedLater() throws {
        let environment = try folder.open()
        let reading = try environment.beginRead()
        let rows = try environment.texts()
        #expect(kind { _ = try reading.get(1, in: rows) } != nil)
        reading.abort()
    }

    @Test("A read counts the databases of its own version, whatever is made meanwhile")
    func countOfDatabases() throws {
        let environment = try folder.open()
        _ = try environment.texts("a")
        let names = try environment.openDatabase(named: nil, of: String.self, [UInt8].self)
        let reading = try environment.beginRead()
        for name in ["b", "c", "d"] { _ = try environment.texts(name) }
        #expect(try reading.count(in: names) == 1 && reading.statistics(of: names).entries == 1)
        reading.abort()
        #expect(try environment.read { try $0.count(in: names) } == 4)
    }

    @Test("Clearing a database deletes its entries and keeps its handle")
    func clear() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in 0..<100 as Range<UInt64> { try txn.put("x", forKey: key, in: rows) }
        }
        try environment.write { txn in try txn.clear(rows) }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 0)
    }
}
