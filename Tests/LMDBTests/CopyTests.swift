// Copies, and what an environment tells about itself.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct CopyTests {
    let folder = try! TemporaryFolder()

    @Test("A copy has the same entries, only the owner may read it, and it passes the gate", arguments: [false, true])
    func copy(_ compacting: Bool) throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in 0..<1000 as Range<UInt64> { try txn.put("value \(key)", forKey: key, in: rows) }
        }
        try environment.write { txn in
            for key in 100..<1000 as Range<UInt64> { try txn.delete(key, in: rows) }
        }
        let target = folder.file("copy")
        try environment.copy(to: target, compacting: compacting)
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try DataFile.check(path: target, depth: .full)
        let copied = try folder.open("copy")
        let texts = try copied.texts()
        #expect(try copied.read { txn in try txn.count(in: texts) } == 100)
        #expect(try copied.read { txn in try txn.get(99, in: texts) } == "value 99")
        if compacting { #expect(try copied.fileSize < environment.fileSize) }
    }

    @Test("A copy does not replace a file, whatever it is")
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
