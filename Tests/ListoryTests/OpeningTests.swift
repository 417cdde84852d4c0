// Tests opening of wrong or damaged files, and a log that cannot be written.

import Foundation
import LMDB
import ListModel
import Listory
import TestSupport
import Testing

@Suite("Opening a store")
struct OpeningTests {
    @Test("A missing file, an existing one and a file of another format have different errors")
    func files() throws {
        let folder = try TemporaryFolder()
        #expect { try UntypedStore.open(at: folder.file("none")) } throws: { ($0 as? ListError)?.code == "notFound" }
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        #expect { try UntypedStore.create(at: path) } throws: { ($0 as? ListError)?.code == "alreadyExists" }

        let text = folder.file("text")
        try Data("not a database, but long enough to look at".utf8).write(to: URL(fileURLWithPath: text))
        #expect { try UntypedStore.open(at: text) } throws: { error in
            guard case .damaged = ((error as? ListError)?.cause as? LMDBError)?.kind else { return false }
            return true
        }
        let other = folder.file("other")
        let environment = try Environment.open(path: other)
        _ = try environment.openDatabase(named: "theirs", of: String.self, String.self, create: true)
        try environment.close()
        #expect { try UntypedStore.open(at: other) } throws: { ($0 as? ListError)?.code == "notAStore" }
    }

    @Test("A store in a newer format is refused, and does not change")
    func otherFormat() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        try fixture.store.close()
        // A format from before the first release is refused as well.
        for format in [0, 2, 4, 255] as [UInt8] {
            try Self.changeMeta(fixture.path, "format", Array("listory\0".utf8) + [format, 0, 0, 0])
            #expect { try UntypedStore.open(at: fixture.path) } throws: { error in
                guard case .unknownFormat(_, UInt32(format), 3) = error as? ListError else { return false }
                return true
            }
        }
        try Self.changeMeta(fixture.path, "format", Array("listory\0".utf8) + [3, 0, 0, 0])
        #expect(try UntypedStore.open(at: fixture.path).snapshot.itemCount == 2)
    }

    @Test("Opening and verifying detect a head row that does not fit the log")
    func wrongHead() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.close()
        let head = try Self.changeMeta(fixture.path, "head", [1, 2, 3])
        #expect { try UntypedStore.open(at: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        var otherChecksum = head
        otherChecksum[8] ^= 1
        try Self.changeMeta(fixture.path, "head", otherChecksum)
        #expect { try UntypedStore.open(at: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        var otherCount = head
        otherCount[16] ^= 1
        try Self.changeMeta(fixture.path, "head", otherCount)
        #expect { try StoreVerification(path: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        var beyond = head
        beyond[0] += 1
        try Self.changeMeta(fixture.path, "head", beyond)
        #expect { try UntypedStore.open(at: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        // An empty head would hide both commits.
        try Self.changeMeta(fixture.path, "head", Array(repeating: 0, count: head.count))
        #expect { try UntypedStore.open(at: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        #expect { try StoreVerification(path: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        try Self.changeMeta(fixture.path, "head", head)
        #expect(try StoreVerification(path: fixture.path).version == Version(2))
    }

    @Test("A journal of more than 1 MiB is refused before its entries are read; one of as much is not")
    func largeJournal() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        try fixture.store.close()
        var (reading, version) = (StoreOptions(), Version(1))
        reading.isReadOnly = true
        try Self.changeJournal(fixture.path, size: 1 << 20)
        for options in [reading, StoreOptions(), StoreOptions()] {
            let store = try UntypedStore.open(at: fixture.path, options: options)
            #expect(try store.version == version)
            if !options.isReadOnly {
                // The first one goes into the database, the next one into the journal.
                for _ in 0..<2 { try store.edit("Toggle") { try $0.toggle(.item(1)) } }
                version = try store.version
            }
            try store.close()
        }
        try Self.changeJournal(fixture.path, size: (1 << 20) + 1)
        for options in [reading, StoreOptions()] {
            #expect {
                try UntypedStore.open(at: fixture.path, options: options)
            } throws: {
                ($0 as? ListError)?.code == "headMismatch"
            }
        }
        #expect { try StoreVerification(path: fixture.path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        #expect(try UntypedStore.survey(at: fixture.path).newestVersion == version)
    }

    @Test("Replaying and verifying detect a flipped bit anywhere in a record")
    func flippedBits() throws {
        let fixture = try StoreFixture { $0.checkpoints = .never }
        try fixture.fill(3)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        let record = try fixture.store.commit(Version(2)).record
        try fixture.store.close()
        for offset in record.indices {
            var damaged = record
            damaged[offset] ^= 1 << UInt8(offset % 8)
            try Self.changeRecord(fixture.path, 2, damaged)
            #expect("byte \(offset)") { try UntypedStore.open(at: fixture.path) } throws: { error in
                guard case ListError.damagedCommit(Version(2), let cause) = error else { return false }
                return cause is RecordError
            }
            expectCause(RecordError.self) { try StoreVerification(path: fixture.path) }
        }
        try Self.changeRecord(fixture.path, 2, record)
        #expect(try StoreVerification(path: fixture.path).eventCount == 2)
    }

    @Test("An edit is made again if another process has committed first, and nothing is overwritten")
    func lostRace() throws {
        let fixture = try StoreFixture()
        let child = try ChildProcess("StoreWriter", [fixture.path])
        let answers = (child.read() + child.kill()).split(separator: "\n").count
        let commit = try fixture.store.edit("Mine") { try $0.insertSection(NewSection(id: "mine")) }
        #expect(try #require(commit).version.rawValue > UInt64(answers))
        #expect(try fixture.store.commit(#require(commit).version).name == "Mine")
        #expect(try fixture.store.indexOfSection("rows") != nil)
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == commit?.version)
    }

    @Test("If the file may not grow, the edit stays in memory, and no further edit is accepted")
    func fullFile() throws {
        var options = StoreOptions()
        options.maximumFileSize = 256 * 1_024
        let fixture = try StoreFixture(options: options)
        try fixture.fill(1)
        let large = [UInt8](repeating: 65, count: 300_000)
        try fixture.store.edit("Large") { try $0.update(0, content: large) }
        for error in [
            fixture.store.appendFailure, #expect(throws: ListError.self) { try fixture.store.waitUntilDurable() },
        ] {
            guard case .appendFailed(Version(1), let cause as LMDBError) = error, case .mapFull = cause.kind else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
        }
        #expect(try fixture.store.version == Version(2))
        #expect(fixture.store.durableVersion == Version(1))
        let item = try #require(try fixture.store.item(0))
        #expect(try fixture.store.source.content(of: item.content) == large)
        #expect(throws: ListError.self) { try fixture.store.edit("More") { try $0.toggle(.item(0)) } }
        #expect(try fixture.store.version == Version(2))
    }

    @Test("A store opened for reading reads and does not write; a closed one does neither")
    func readOnlyAndClosed() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        try fixture.store.close()
        #expect { try fixture.store.snapshot } throws: { ($0 as? ListError)?.code == "closed" }
        #expect { try fixture.store.undo() } throws: { ($0 as? ListError)?.code == "closed" }
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try UntypedStore.open(at: fixture.path, options: options)
        #expect(try store.snapshot.itemCount == 2)
        #expect { try store.edit("No") { try $0.toggle(.item(1)) } } throws: { ($0 as? ListError)?.code == "readOnly" }
        #expect { try store.undo() } throws: { ($0 as? ListError)?.code == "readOnly" }
        try store.close()
        #expect { try UntypedStore.create(at: "unused", options: options) } throws: {
            ($0 as? ListError)?.code == "readOnly"
        }
    }

    // MARK: Help

    /// Changes a row of `meta`, and returns the old value.
    @discardableResult
    static func changeMeta(_ path: String, _ key: String, _ value: [UInt8]) throws -> [UInt8] {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        return try environment.write { txn throws in
            let meta = try txn.openDatabase(named: "meta", of: String.self, [UInt8].self)
            let old = try txn.get(key, in: meta) ?? []
            try txn.put(value, forKey: key, in: meta)
            return old
        }
    }

    /// Replaces the journal by an empty one.
    private static func changeJournal(_ path: String, size: Int) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        try environment.write { txn throws in
            let journal = try txn.openDatabase(named: "tail", of: UInt64.self, [UInt8].self)
            try txn.put([UInt8](repeating: 0, count: size), forKey: 0, in: journal)
        }
    }

    private static func changeRecord(_ path: String, _ version: UInt64, _ record: [UInt8]) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        try environment.write { txn throws in
            let commits = try txn.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
            try txn.put(record, forKey: version, in: commits)
        }
    }
}
