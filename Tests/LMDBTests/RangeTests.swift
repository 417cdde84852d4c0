// Compares range scans with a sorted dictionary, over random operations.

import LMDB
import TestSupport
import Testing

@Suite struct RangeTests {
    let folder = try! TemporaryFolder()

    @Test("Every kind of Swift range visits its keys in both directions")
    func ranges() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            for key in stride(from: 10, through: 50, by: 10) as StrideThrough<UInt64> {
                try txn.put("\(key)", forKey: key, in: rows)
            }
        }
        func check(_ range: ClosedRange<UInt64>, _ expected: [UInt64]) throws {
            #expect(try environment.read { txn in try keys(txn, rows, range, false) } == expected)
            #expect(try environment.read { txn in try keys(txn, rows, range, true) } == expected.reversed())
        }
        try check(20...40, [20, 30, 40])
        try check(15...45, [20, 30, 40])
        try check(30...(.max), [30, 40, 50])
        try check(0...30, [10, 20, 30])
        try check(0...(.max), [10, 20, 30, 40, 50])
        try check(21...29, [])
        try check(51...(.max), [])
        try check(0...9, [])
    }

    @Test("A scan stops when its closure returns false or throws")
    func stopping() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        struct Stop: Error {}
        try environment.write { txn in
            for key in 0..<10 as Range<UInt64> { try txn.put("x", forKey: key, in: rows) }
            var count = 0
            try txn.forEach(in: rows, reverse: true) { _, _ in
                count += 1
                return count < 4
            }
            #expect(count == 4)
            #expect(throws: Stop.self) { try txn.forEach(in: rows, range: 3...9) { _, _ in throw Stop() } }
        }
    }

    @Test(
        "The entry at a number or before it is that of a sorted dictionary, whatever was deleted, and where it is read",
        arguments: [1, 2, 3, 4] as [UInt64], [false, true])
    func atOrBefore(_ seed: UInt64, _ unloadsPages: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        let environment = try folder.open {
            $0.durability = .noSync
            $0.unloadsPages = unloadsPages
        }
        let rows = try environment.bytes()
        var reference: [UInt64: Int] = [:]
        func check(_ txn: borrowing some Transaction & ~Copyable) throws {
            for _ in 0..<60 {
                let key = generator.oneIn(20) ? .max : UInt64.random(in: 0..<2_100, using: &generator)
                let expected = reference.keys.filter { $0 <= key }.max()
                let isRight = try txn.withEntry(atOrBefore: key, in: rows) { entry in
                    entry?.key == expected && entry?.value.count == expected.flatMap { reference[$0] }
                }
                #expect(isRight, "seed \(seed), key \(key)")
            }
        }
        for round in 0..<40 {
            try environment.write { txn in
                for _ in 0..<40 {
                    let key = UInt64.random(in: 0..<2_000, using: &generator)
                    // Some values have pages of their own.
                    let count = generator.oneIn(10) ? 4_000 : generator.below(300)
                    try txn.put([UInt8](repeating: 1, count: count), forKey: key, in: rows)
                    reference[key] = count
                }
                // A range, so that leaves lose their first entries.
                let start = UInt64.random(in: 0..<2_000, using: &generator)
                let length = round % 10 == 9 ? 2_000 : UInt64(generator.below(60))
                for key in start..<start + length where reference.removeValue(forKey: key) != nil {
                    try txn.delete(key, in: rows)
                }
                try check(txn)
            }
            try environment.read { txn in try check(txn) }
        }
    }

    @Test("Random operations and scans agree with a sorted dictionary", arguments: [1, 2, 3] as [UInt64])
    func random(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let environment = try folder.open { $0.durability = .noSync }
        let rows = try environment.texts()
        var reference: [UInt64: String] = [:]
        for _ in 0..<60 {
            try environment.write { txn in
                for _ in 0..<40 {
                    let key = UInt64.random(in: 0..<500, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0:
                        #expect(try txn.delete(key, in: rows) == (reference.removeValue(forKey: key) != nil))
                    case 1:
                        // Within a write transaction, LMDB's own cursor scans.
                        let expected = reference.keys.filter { $0 >= key && $0 <= key + 50 }.sorted()
                        for reverse in [false, true] {
                            let found = try keys(txn, rows, key...key + 50, reverse)
                            #expect(found == (reverse ? expected.reversed() : expected), "seed \(seed)")
                        }
                    default:
                        let text = String(repeating: "p", count: .random(in: 0..<3000, using: &generator))
                        try txn.put(text, forKey: key, in: rows)
                        reference[key] = text
                    }
                }
            }
            let first = UInt64.random(in: 0..<500, using: &generator)
            let last = first + UInt64.random(in: 0..<200, using: &generator)
            let expected = reference.keys.filter { $0 >= first && $0 <= last }.sorted()
            try environment.read { txn throws in
                #expect(try keys(txn, rows, first...last, false) == expected, "seed \(seed)")
                #expect(try keys(txn, rows, first...last, true) == expected.reversed(), "seed \(seed)")
                #expect(try txn.count(in: rows) == reference.count, "seed \(seed)")
                if let key = reference.keys.randomElement(using: &generator) {
                    #expect(try txn.get(key, in: rows) == reference[key], "seed \(seed)")
                }
            }
        }
        // The check must find the resulting file sound.
        try environment.close()
        try DataFile.check(path: folder.file(), depth: .full)
    }

    private func keys(
        _ txn: borrowing some Transaction & ~Copyable, _ rows: Database<UInt64, String>,
        _ range: ClosedRange<UInt64>, _ reverse: Bool
    ) throws -> [UInt64] {
        var keys: [UInt64] = []
        try txn.forEach(in: rows, range: range, reverse: reverse) { key, _ in
            keys.append(try UInt64.decode(key))
            return true
        }
        return keys
    }
}
