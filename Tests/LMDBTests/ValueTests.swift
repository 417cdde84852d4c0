// Single entries and the types of keys and values.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct ValueTests {
    let folder = try! TemporaryFolder()

    @Test("Values are put, replaced, inserted once, found and deleted")
    func basics() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            try txn.put("a", forKey: 1, in: rows)
            try txn.put("b", forKey: 1, in: rows)
            try txn.put("d", forKey: 2, in: rows)
            #expect(try txn.get(1, in: rows) == "b")
            #expect(try txn.contains(2, in: rows))
            #expect(try txn.count(in: rows) == 2)
            #expect(try txn.delete(2, in: rows))
            #expect(try !txn.delete(2, in: rows))
            #expect(try !txn.contains(2, in: rows))
        }
    }

    @Test("The last key is the greatest")
    func lastKey() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        #expect(try environment.read { txn in try txn.lastKey(in: rows) } == nil)
        try environment.write { txn in
            for key in [300, 2, 256, 1 << 40] as [UInt64] { try txn.put("\(key)", forKey: key, in: rows) }
        }
        #expect(try environment.read { txn in try txn.lastKey(in: rows) } == 1 << 40)
    }

    @Test(
        "Numbers are found wherever the reader expects them: close together, far apart, in clusters, and none that is missing"
    )
    func unevenNumbers() throws {
        let environment = try folder.open { $0.mapSize = 1 << 26 }
        let seed: UInt64 = 17
        var random = SeededGenerator(seed: seed)
        let shapes: [(name: String, keys: Set<UInt64>)] = [
            ("consecutive", Set(1...5_000)),
            ("with gaps", Set((1...5_000).map { UInt64($0 * 7 + random.below(6)) })),
            ("in clusters", Set((0..<5_000).map { UInt64($0 / 100) << 40 + UInt64($0 % 100) })),
            ("ever further apart", Set((0..<5_000).map { UInt64(exp2(Double($0) / 80)) })),
            ("at the ends", Set((0..<2_500).flatMap { [UInt64($0), .max - UInt64($0)] })),
        ]
        for (name, keys) in shapes {
            let rows = try environment.bytes(name)
            try environment.write { txn in
                for key in keys.sorted() {
                    // Large enough for a tree of three levels.
                    try txn.put(Array(repeating: 1, count: 900 + Int(key % 90)), forKey: key, in: rows)
                }
            }
            try environment.read { txn in
                #expect(try txn.statistics(of: rows).depth == 3)
                for key in keys {
                    for other in [key, key &+ 1, key &- 1] {
                        let size = try txn.get(other, in: rows)?.count
                        #expect(
                            size == (keys.contains(other) ? 900 + Int(other % 90) : nil),
                            "\(name), \(other), seed \(seed)")
                    }
                }
            }
        }
    }

    @Test("An append out of order is refused and changes nothing")
    func append() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in
            try "text".withEncodedBytes { text in
                try txn.append(bytes: text, forKey: 10, in: rows)
                try txn.append(bytes: text, forKey: 11, in: rows)
                #expect(kind { try txn.append(bytes: text, forKey: 11, in: rows) } == .keyOutOfOrder)
                #expect(kind { try txn.append(bytes: text, forKey: 5, in: rows) } == .keyOutOfOrder)
                try txn.append(bytes: text, forKey: 12, in: rows)
            }
        }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 3)
    }

    @Test("Keys that are empty or too long are refused before LMDB sees them, everywhere")
    func keyLimits() throws {
        let environment = try folder.open()
        let rows = try environment.openDatabase(named: "k", of: [UInt8].self, String.self, create: true)
        let longest = [UInt8](repeating: 1, count: 511)
        for (key, expected) in [
            ([], .keyEmpty), (longest + [1], .keyTooLong(count: 512, limit: 511)),
        ] as [([UInt8], LMDBError.Kind)] {
            try environment.write { txn in
                #expect(kind { try txn.put("", forKey: key, in: rows) } == expected)
                let text = UnsafeRawBufferPointer(start: nil, count: 0)
                #expect(kind { try txn.append(bytes: text, forKey: key, in: rows) } == expected)
                #expect(kind { _ = try txn.get(key, in: rows) } == expected)
                #expect(kind { try txn.delete(key, in: rows) } == expected)
                #expect(kind { try txn.put(reserving: 1, forKey: key, in: rows) { _ in } } == expected)
            }
        }
        try environment.write { txn in try txn.put("fits", forKey: longest, in: rows) }
        #expect(try environment.read { txn in try txn.get(longest, in: rows) } == "fits")
    }

    @Test("Raw bytes are put and read without a copy")
    func rawBytes() throws {
        let environment = try folder.open()
        let rows = try environment.openDatabase(named: "raw", of: UInt64.self, [UInt8].self, create: true)
        let bytes = [UInt8](0...255)
        try environment.write { txn in
            try txn.put(bytes, forKey: 1, in: rows)
            try bytes.withUnsafeBytes { try txn.put(bytes: $0, forKey: 2, in: rows) }
        }
        try environment.read { txn in
            for key in 1...2 as ClosedRange<UInt64> {
                try txn.withValue(forKey: key, in: rows) { found in
                    #expect(found.map { $0.elementsEqual(bytes) } == true)
                }
            }
            try txn.withValue(forKey: 3, in: rows) { #expect($0 == nil) }
            #expect(try txn.get(1, in: rows)?.count == 256)
        }
    }

    @Test("A reserved value has the bytes that the closure wrote")
    func reserve() throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            for count in [0, 1, 100, 5000] {
                let returned = try txn.put(reserving: count, forKey: UInt64(count), in: rows) { room in
                    room.copyBytes(from: repeatElement(5, count: count))
                    return room.count
                }
                #expect(returned == count)
            }
            #expect(kind { try txn.put(reserving: -1, forKey: 1, in: rows) { _ in } } == .engine(.badValueSize))
        }
        try environment.read { txn throws in
            for count in [0, 1, 100, 5000] {
                #expect(try txn.get(UInt64(count), in: rows) == [UInt8](repeating: 5, count: count))
            }
        }
    }

    @Test("Integers are eight bytes, most significant first")
    func integers() throws {
        #expect(UInt64(0x0102_0304_0506_0708).withEncodedBytes { Array($0) } == [1, 2, 3, 4, 5, 6, 7, 8])
        for value in [0, 1, 255, 256, .max] as [UInt64] {
            #expect(try value.withEncodedBytes { try UInt64.decode($0) } == value)
        }
    }

    @Test("Text and bytes are read as they were put", arguments: ["", "a", "Zürich 👩‍👩‍👧", "\0"])
    func texts(_ text: String) throws {
        #expect(try text.withEncodedBytes { try String.decode($0) } == text)
        let bytes = Array(text.utf8)
        #expect(try bytes.withEncodedBytes { try [UInt8].decode($0) } == bytes)
    }

    @Test("Bytes that do not fit the type are typed errors")
    func undecodable() throws {
        let environment = try folder.open()
        let bytes = try environment.bytes("same")
        try environment.write { txn in
            try txn.put([1, 2, 3], forKey: 1, in: bytes)
            try txn.put([0xFF, 0xFE], forKey: 2, in: bytes)
        }
        let numbers = try environment.openDatabase(named: "same", of: UInt64.self, UInt64.self)
        let texts = try environment.openDatabase(named: "same", of: UInt64.self, String.self)
        try environment.read { txn in
            #expect(kind { _ = try txn.get(1, in: numbers) } == .wrongSize(type: "UInt64", expected: 8, found: 3))
            #expect(kind { _ = try txn.get(2, in: texts) } == .undecodable(type: "String", reason: "not UTF-8"))
        }
    }
}
