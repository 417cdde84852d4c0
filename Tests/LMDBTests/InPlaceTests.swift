// Tests overwriting a large value in place in the file.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct InPlaceTests {
    let folder = try! TemporaryFolder()

    /// An environment with a large value under key 1 and a small one under key 2, and free pages.
    private func make() throws -> (Environment, Database<UInt64, [UInt8]>) {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            try txn.put([UInt8](repeating: 1, count: 20_000), forKey: 1, in: rows)
            try txn.put([UInt8](repeating: 2, count: 100), forKey: 2, in: rows)
            try txn.put([UInt8](repeating: 5, count: 40_000), forKey: 5, in: rows)
        }
        // Pages are used again two transactions after the one that freed them.
        try environment.write { try $0.delete(5, in: rows) }
        try environment.write { try $0.put([], forKey: 6, in: rows) }
        return (environment, rows)
    }

    private func overwrite<Key>(
        _ txn: borrowing WriteTransaction, _ bytes: [UInt8], at offset: Int, _ key: Key, _ rows: Database<Key, [UInt8]>
    ) throws {
        try bytes.withUnsafeBytes { try txn.overwriteInPlace($0, at: offset, ofValueForKey: key, in: rows) }
    }

    @Test("The bytes are visible at once, even if the transaction is aborted, and nothing else changes")
    func random() throws {
        let (environment, rows) = try make()
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var expected = [UInt8](repeating: 1, count: 20_000)
        for step in 0..<200 {
            let start = Int.random(in: 0...expected.count, using: &generator)
            let count = Int.random(in: 0...min(5_000, expected.count - start), using: &generator)
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: step + $0) }
            expected.replaceSubrange(start..<start + count, with: bytes)
            if generator.oneIn(3) {
                // Other writes copy pages and use free ones, but do not move the value.
                try environment.write { txn in
                    try txn.put([UInt8](repeating: 3, count: step * 40), forKey: UInt64(3 + step % 7), in: rows)
                    try overwrite(txn, bytes, at: start, 1, rows)
                }
            } else {
                let txn = try environment.beginWrite()
                try overwrite(txn, bytes, at: start, 1, rows)
                try txn.sync()
                txn.abort()
            }
            try #require(try environment.read { try $0.get(1, in: rows) } == expected, "seed \(seed), step \(step)")
        }
        try environment.close()
        try DataFile.check(path: folder.file(), depth: .full)
        let reopened = try folder.open()
        let again = try reopened.bytes()
        #expect(try reopened.read { try $0.get(1, in: again) } == expected)
        #expect(try reopened.read { try $0.get(2, in: again) } == [UInt8](repeating: 2, count: 100))
    }

    @Test("A value is refused if it has no pages of its own, is missing, is too short or was put in this transaction")
    func refused() throws {
        let (environment, rows) = try make()
        let before = try environment.read { try $0.get(1, in: rows) }
        let lastPage = try environment.information.lastPage
        try environment.write { txn in
            // On pages that are in the file, but have something else there.
            try txn.put([UInt8](repeating: 4, count: 20_000), forKey: 4, in: rows)
            for (key, offset, count) in [(2, 0, 1), (3, 0, 1), (1, 20_000, 1), (1, -1, 1), (1, 19_999, 2), (4, 0, 1)] {
                let error = #expect(throws: LMDBError.self, "key \(key), offset \(offset)") {
                    try overwrite(txn, [UInt8](repeating: 9, count: count), at: offset, UInt64(key), rows)
                }
                guard case .notInPlace = error?.kind else {
                    Issue.record("another error: \(String(describing: error))")
                    continue
                }
            }
        }
        #expect(try environment.information.lastPage == lastPage, "free pages were used")
        #expect(try environment.read { try $0.get(1, in: rows) } == before)
        #expect(try environment.read { try $0.get(2, in: rows) } == [UInt8](repeating: 2, count: 100))
        #expect(try environment.read { try $0.get(4, in: rows) } == [UInt8](repeating: 4, count: 20_000))
    }

    @Test("A small value is not mistaken for a large one if its key looks like the header of that one's pages")
    func lookalike() throws {
        let environment = try folder.open()
        let rows = try environment.openDatabase(named: "rows", of: [UInt8].self, [UInt8].self, create: true)
        let large = [UInt8](repeating: 1, count: 20_000)
        try environment.write { try $0.put(large, forKey: [1], in: rows) }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file())))
        // LMDB's flag of such pages, and their number. The key stands right before its value.
        let page = try #require(
            stride(from: 8_192, to: bytes.count, by: 4_096).first { bytes[$0 + 10] == 4 && bytes[$0 + 12] == 5 })
        let key = Array(bytes[page..<page + 16])
        try environment.write { try $0.put([UInt8](repeating: 2, count: 100), forKey: key, in: rows) }
        let txn = try environment.beginWrite()
        #expect(throws: LMDBError.self) { try overwrite(txn, [9], at: 0, key, rows) }
        txn.abort()
        #expect(try environment.read { try $0.get([1], in: rows) } == large)
    }

    @Test("A small value at any place in a leaf is never mistaken for a large one")
    func smallValues() throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        for size in 0..<200 {
            try environment.write { txn in
                for key in 0..<20 as Range<UInt64> {
                    try txn.put([UInt8](repeating: 4, count: size + Int(key)), forKey: key, in: rows)
                }
            }
            let txn = try environment.beginWrite()
            for key in 0..<20 as Range<UInt64> {
                #expect(throws: LMDBError.self) { try overwrite(txn, [], at: 0, key, rows) }
            }
        }
    }
}
