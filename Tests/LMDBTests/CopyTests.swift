// Tests copies, and the information about an environment.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct CopyTests {
    let folder = try! TemporaryFolder()

    @Test("A copy has the same entries and nothing else, only the owner may read it, and it passes the gate")
    func copy() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in 0..<1000 as Range<UInt64> { try txn.put("value \(key)", forKey: key, in: rows) }
        }
        try environment.write { txn in
            for key in 100..<1000 as Range<UInt64> { try txn.delete(key, in: rows) }
        }
        // In the space between the entries of a page, LMDB leaves it.
        try environment.write { txn in
            try txn.put("a secret", forKey: 1000, in: rows)
            try txn.delete(1000, in: rows)
        }
        let target = folder.file("copy")
        try environment.copy(to: target)
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try DataFile.check(path: target, depth: .full)
        let copied = try folder.open("copy")
        let texts = try copied.texts()
        #expect(try copied.read { txn in try txn.count(in: texts) } == 100)
        #expect(try copied.read { txn in try txn.get(99, in: texts) } == "value 99")
        #expect(try copied.fileSize < environment.fileSize)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
        #expect(bytes.range(of: Data("value 99".utf8)) != nil)
        #expect(bytes.range(of: Data("value 100".utf8)) == nil)
        #expect(bytes.range(of: Data("a secret".utf8)) == nil)
        let path = environment.path
        try environment.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("a secret".utf8)) != nil)
    }

    @Test("A database that is emptied has no entries in a copy, no bytes, and can be written to; the others are copied")
    func emptying() throws {
        let environment = try folder.open()
        let (kept, emptied) = (try environment.bytes("kept"), try environment.bytes("emptied"))
        for rows in [kept, emptied] {
            try environment.write { txn in
                for key in 0..<300 as Range<UInt64> { try txn.put(Array("value \(key)".utf8), forKey: key, in: rows) }
            }
        }
        try environment.write { try $0.put([UInt8](repeating: 0x53, count: 9_000), forKey: 300, in: emptied) }
        let target = folder.file("copy")
        try environment.copy(to: target, emptying: "emptied")
        try environment.copy(to: folder.file("whole"), emptying: "another")
        try DataFile.check(path: target, depth: .full)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
        #expect(bytes.range(of: Data(repeating: 0x53, count: 100)) == nil)
        #expect(try bytes.count < Data(contentsOf: URL(fileURLWithPath: folder.file("whole"))).count - 9_000)
        let copied = try folder.open("copy")
        let (rows, others) = (try copied.bytes("emptied"), try copied.bytes("kept"))
        #expect(try copied.read { try $0.count(in: rows) } == 0)
        #expect(try copied.read { try $0.count(in: others) } == 300)
        try copied.write { try $0.put([1], forKey: 7, in: rows) }
        #expect(try copied.read { try $0.get(7, in: rows) } == [1])
        #expect(try copied.read { try $0.get(299, in: others) } == Array("value 299".utf8))
        try copied.close()
        try DataFile.check(path: target, depth: .full)
        try environment.close()
    }

    @Test("A copy of random databases has the same entries, and can be written to", arguments: 0..<3 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try folder.open { $0.durability = .noSync }
        var databases: [(String?, Database<UInt64, [UInt8]>)] = []
        // The entries of the unnamed database are beside the records of the other databases.
        for name in [nil, "few", "many"] { databases.append((name, try environment.bytes(name))) }
        var model: [[UInt64: [UInt8]]] = [[:], [:], [:]]
        for _ in 0..<40 {
            let index = Int.random(in: 0..<3, using: &random)
            // Chosen before the write, because its closure runs again if the map is full.
            let changes = (0..<(index == 2 ? 60 : 3)).map { _ in
                (
                    key: UInt64.random(in: 0..<2_000, using: &random),
                    size: [nil, 8, 300, 1_500, 5_000, 40_000].randomElement(using: &random)!
                )
            }
            func value(_ key: UInt64, _ size: Int) -> [UInt8] {
                Array(repeating: UInt8(truncatingIfNeeded: key), count: size)
            }
            for (key, size) in changes { model[index][key] = size.map { value(key, $0) } }
            try environment.write { txn in
                for (key, size) in changes {
                    if let size {
                        try txn.put(value(key, size), forKey: key, in: databases[index].1)
                    } else {
                        try txn.delete(key, in: databases[index].1)
                    }
                }
            }
        }
        var shares: [Double] = []
        try environment.copy(to: folder.file("copy")) { shares.append($0) }
        #expect(shares == shares.sorted() && shares.count > 1 && shares.last! <= 1)
        try environment.close()
        try DataFile.check(path: folder.file("copy"), depth: .full)
        let copied = try folder.open("copy")
        for (index, (name, _)) in databases.enumerated() {
            let rows = try copied.bytes(name)
            var found: [UInt64: [UInt8]] = [:]
            let count = try copied.read { txn in
                for key in model[index].keys { found[key] = try txn.get(key, in: rows) }
                return try txn.count(in: rows)
            }
            // The unnamed one has the records of the two others too.
            #expect(count == model[index].count + (name == nil ? 2 : 0))
            let isSame = found == model[index]
            #expect(isSame, "seed \(seed), database \(name ?? "without a name")")
            try copied.write { txn in try txn.put([1], forKey: 5_000, in: rows) }
        }
        try copied.close()
        try DataFile.check(path: folder.file("copy"), depth: .full)
    }

    @Test("An empty file is copied")
    func empty() throws {
        try folder.open().copy(to: folder.file("copy"))
        try DataFile.check(path: folder.file("copy"), depth: .full)
        #expect(try folder.open("copy").statistics.entries == 0)
    }

    @Test("While a copy is made, the map grows several times and no write waits; the copy has the entries from before")
    func growth() throws {
        let environment = try folder.open { $0.resizeTimeout = .zero }
        let rows = try environment.bytes()
        let value = [UInt8](repeating: 7, count: 100_000)
        try environment.write { txn in
            for key in 0..<40 as Range<UInt64> { try txn.put(value, forKey: key, in: rows) }
        }
        let sizeBefore = try environment.mapSize
        var key: UInt64 = 0
        try environment.copy(to: folder.file("copy")) { _ in
            do {
                // Overwrites the entries that are being copied, and adds others.
                for _ in 0..<40 {
                    try environment.write { txn in try txn.put(value.map { $0 &+ 1 }, forKey: key, in: rows) }
                    key += 1
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try environment.mapSize >= 4 * sizeBefore)
        #expect(try environment.read { txn in try txn.count(in: rows) } == Int(key) && key >= 160)
        try DataFile.check(path: folder.file("copy"), depth: .full)
        let copied = try folder.open("copy")
        let copiedRows = try copied.bytes()
        #expect(try copied.read { txn in try txn.count(in: copiedRows) } == 40)
        let found = try copied.read { txn in try (0..<40 as Range<UInt64>).map { try txn.get($0, in: copiedRows) } }
        #expect(found.allSatisfy { $0 == value })
    }

    @Test("A file that is being copied is not closed")
    func closing() throws {
        let environment = try folder.open()
        var found: [LMDBError.Kind?] = []
        try environment.copy(to: folder.file("copy")) { _ in found.append(kind { try environment.close() }) }
        #expect(found == [.closeBlocked(live: 1)])
        try environment.close()
    }

    @Test("A damaged page is an error of the copy, which leaves no target")
    func damaged() throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            let value = [UInt8](repeating: 1, count: 200)
            for key in 0..<500 as Range<UInt64> { try txn.put(value, forKey: key, in: rows) }
        }
        let root = try environment.read { txn in try txn.statistics(of: rows) }
        #expect(root.depth == 2)
        // The process's locks are on the lock file, which is not opened here.
        let file = FileHandle(forUpdatingAtPath: folder.file())!
        let page = try environment.pageSize
        for number in 2..<(try environment.fileSize / page) {
            try file.seek(toOffset: UInt64(number * page + 12))
            try file.write(contentsOf: Data([0xFF, 0xFF, 0, 0]))
        }
        let found = kind { try environment.copy(to: folder.file("copy")) }
        guard case .damaged = found else { return #expect(found == nil, "expected damage") }
        #expect(!FileManager.default.fileExists(atPath: folder.file("copy")))
    }

    @Test("A copy does not replace an existing file of any kind")
    func existing() throws {
        let environment = try folder.open()
        let target = folder.file("copy")
        try Data("keep".utf8).write(to: URL(fileURLWithPath: target))
        #expect(kind { try environment.copy(to: target) } == .targetExists(path: target))
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("keep".utf8))
        #expect(kind { try environment.copy(to: environment.path) } == .targetExists(path: environment.path))
        #expect(kind { try environment.copy(to: folder.file("no/folder")) } == .engine(.noSuchFile))
        #expect(kind { try environment.copy(to: "") } == .invalidName(""))
    }

    @Test("Sizes and counters are those of the file")
    func information() throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<500 as Range<UInt64> {
                try txn.put([UInt8](repeating: 1, count: 200), forKey: key, in: rows)
            }
            try txn.put([UInt8](repeating: 2, count: 50_000), forKey: 1000, in: rows)
        }
        let information = try environment.information
        #expect(information.mapSize == 1 << 20)
        #expect(try environment.fileSize == (information.lastPage + 1) * environment.pageSize)
        #expect(information.lastTransaction == 2)
        let statistics = try environment.read { txn in try txn.statistics(of: rows) }
        #expect(statistics.entries == 501)
        #expect(statistics.overflowPages > 10)
        #expect(statistics.depth == 2)
        #expect(statistics.branchPages == 1)
        #expect(try environment.statistics.entries == 1)
    }
}
