// Cursors.

import LMDB
import TestSupport
import Testing

@Suite struct CursorTests {
    let folder = try! TemporaryFolder()

    private func filled() throws -> (Environment, Database<UInt64, String>) {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in stride(from: 10, through: 50, by: 10) as StrideThrough<UInt64> {
                try txn.put("\(key)", forKey: key, in: rows)
            }
        }
        return (environment, rows)
    }

    @Test("A cursor walks both ways and stops at the ends")
    func walking() throws {
        let (environment, rows) = try filled()
        try environment.read { txn in
            try txn.withCursor(in: rows) { cursor in
                var forward: [UInt64] = []
                while let entry = try cursor.next() { forward.append(entry.key) }
                #expect(forward == [10, 20, 30, 40, 50])
                var backward: [UInt64] = []
                var entry = try cursor.last()
                while let found = entry {
                    backward.append(found.key)
                    entry = try cursor.previous()
                }
                #expect(backward == [50, 40, 30, 20, 10])
                #expect(try cursor.first()?.value == "10")
            }
        }
    }

    @Test("Seeking finds a key or the one after it")
    func seeking() throws {
        let (environment, rows) = try filled()
        try environment.read { txn in
            try txn.withCursor(in: rows) { cursor throws in
                #expect(try cursor.current() == nil)
                #expect(try cursor.seek(atOrAfter: 20)?.key == 20)
                #expect(try cursor.seek(atOrAfter: 21)?.key == 30)
                #expect(try cursor.current()?.value == "30")
                #expect(try cursor.withCurrent { key, value in key.count + value.count } == 10)
                #expect(try cursor.seek(atOrAfter: 51) == nil)
                #expect(try cursor.seek(exactly: 40) == "40")
                #expect(try cursor.next()?.key == 50)
                #expect(try cursor.seek(exactly: 41) == nil)
            }
        }
    }

    @Test("A cursor of an empty database is on no entry")
    func empty() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            try txn.withWriteCursor(in: rows) { cursor throws in
                #expect(try cursor.first() == nil && cursor.last() == nil && cursor.next() == nil)
                #expect(try cursor.previous() == nil && cursor.current() == nil)
                #expect(kind { try cursor.delete() } == .engine(.notFound))
            }
        }
    }

    @Test("A write cursor puts, inserts, appends and deletes where it is")
    func writing() throws {
        let (environment, rows) = try filled()
        try environment.write { txn in
            try txn.withWriteCursor(in: rows) { cursor in
                try cursor.put("new", forKey: 20)
                #expect(try cursor.current()! == (20, "new"))
                #expect(try cursor.next()?.key == 30)
                try cursor.delete()
                #expect(try cursor.next()?.key == 40)
                try cursor.put("again", forKey: 30)
                try cursor.delete()
                #expect(try cursor.current()?.key == 40)
                #expect(try cursor.next()?.key == 50)
                #expect(try !cursor.insert("no", forKey: 50))
                #expect(try cursor.insert("yes", forKey: 45))
                try cursor.append("end", forKey: 60)
                #expect(kind { try cursor.append("bad", forKey: 60) } == .keyOutOfOrder)
            }
        }
        let keys = try environment.read { txn in
            var keys: [UInt64] = []
            try txn.forEach(in: rows) { key, _ in
                keys.append(try UInt64.decode(key))
                return true
            }
            return keys
        }
        #expect(keys == [10, 20, 40, 45, 50, 60])
    }

    @Test("Deleting while walking visits every entry once")
    func deletingAll() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in 0..<2000 as Range<UInt64> {
                try txn.put(String(repeating: "x", count: 50), forKey: key, in: rows)
            }
            try txn.withWriteCursor(in: rows) { cursor in
                var visited = 0
                while try cursor.next() != nil {
                    visited += 1
                    try cursor.delete()
                }
                #expect(visited == 2000)
            }
            #expect(try txn.count(in: rows) == 0)
        }
    }
}
