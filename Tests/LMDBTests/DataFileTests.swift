// Checks sound files, crafted files and files with random damage before opening.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct DataFileTests {
    let folder = try! TemporaryFolder()
    private static let pageSize = 4096

    /// A file with several databases, large values and free pages; the same records as the helper expects.
    private func makeFile() throws -> [UInt8] {
        let environment = try folder.open { $0.gate = .full }
        let rows = try environment.bytes()
        let texts = try environment.texts()
        try environment.write { txn in
            for key in 0..<800 as Range<UInt64> { try txn.put(record(key), forKey: key, in: rows) }
            for key in 0..<100 as Range<UInt64> { try txn.put("text \(key)", forKey: key, in: texts) }
        }
        for first in stride(from: 600, to: 800, by: 50) as StrideTo<UInt64> {
            try environment.write { txn in
                for key in first..<first + 50 { try txn.delete(key, in: rows) }
            }
        }
        try environment.close()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file())))
    }

    private func record(_ key: UInt64) -> [UInt8] {
        let count = key % 50 == 0 ? 9000 : 20 + Int(key % 120)
        return (0..<count).map { UInt8(truncatingIfNeeded: UInt64($0) &* 31 &+ key) }
    }

    private func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        return folder.file(name)
    }

    @Test("A missing file and an empty one pass, and become a new environment")
    func empty() throws {
        try DataFile.check(path: folder.file("missing"), depth: .full)
        let path = try write([], to: "empty")
        try DataFile.check(path: path, depth: .full)
        _ = try folder.open("empty") { $0.gate = .full }.texts()
    }

    @Test("A sound file passes both depths, before and after its first commit")
    func sound() throws {
        try folder.open("fresh").close()
        try DataFile.check(path: folder.file("fresh"), depth: .full)
        _ = try makeFile()
        try DataFile.check(path: folder.file(), depth: .quick)
        try DataFile.check(path: folder.file(), depth: .full)
    }

    @Test("A file is sound if its last pages were never needed and not written")
    func unwrittenPages() throws {
        let environment = try folder.open { $0.mapSize = 1 << 24 }
        let rows = try environment.bytes()
        // If there are free pages, LMDB frees pages that were allocated in the same transaction without writing them.
        try environment.write { txn in
            for key in 10..<110 as Range<UInt64> { try txn.put(record(50), forKey: key, in: rows) }
        }
        for keys in [10..<40, 40..<70, 70..<100] as [Range<UInt64>] {
            try environment.write { txn in for key in keys { try txn.delete(key, in: rows) } }
        }
        try environment.write { txn in
            try txn.put([1], forKey: 1, in: rows)
            try txn.put([UInt8](repeating: 1, count: 3_000_000), forKey: 2, in: rows)
            try txn.delete(2, in: rows)
        }
        let promised = (try environment.information.lastPage + 1) * (try environment.pageSize)
        #expect(try environment.fileSize < promised)
        try environment.close()
        try DataFile.check(path: folder.file())
        try folder.open().close()
    }

    @Test("Files of LMDB with deep trees and long lists of free pages are sound", arguments: [11, 12] as [UInt64])
    func deepTrees(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<4 {
            let environment = try folder.open("deep") { options in
                options.durability = .noSync
                options.gate = .full
            }
            let rows = try environment.openDatabase(named: "deep", of: [UInt8].self, [UInt8].self, create: true)
            for _ in 0..<6 {
                try environment.write { txn in
                    for _ in 0..<200 {
                        let number = UInt64.random(in: 0..<3000, using: &generator)
                        let key = number.withEncodedBytes { [UInt8](repeating: 7, count: 400) + $0 }
                        if Int.random(in: 0..<5, using: &generator) < 2 {
                            try txn.delete(key, in: rows)
                        } else {
                            let count = Int.random(in: 0..<8, using: &generator) == 0 ? 200_000 : 600
                            try txn.put([UInt8](repeating: 1, count: count), forKey: key, in: rows)
                        }
                    }
                }
            }
            try environment.write { txn in
                var first: [[UInt8]] = []
                try txn.forEach(in: rows) { key, _ in
                    first.append(Array(key))
                    return first.count < 200
                }
                for key in first { try txn.delete(key, in: rows) }
            }
            try environment.close()
            try DataFile.check(path: folder.file("deep"), depth: .full)
        }
        let environment = try folder.open("deep")
        let rows = try environment.openDatabase(named: "deep", of: [UInt8].self, [UInt8].self)
        #expect(try environment.read { txn in try txn.statistics(of: rows).depth } >= 3)
    }

    @Test("A file that another process writes to is never called damaged")
    func liveWriter() throws {
        try folder.open("live").close()
        let path = folder.file("live")
        let helper = try ChildProcess("LMDBTestHelper", ["write", path, "65536", "100"])
        var checks = 0
        while helper.isRunning || checks == 0 {
            let found = kind { try DataFile.check(path: path, depth: .full) }
            #expect(found == nil || found == .changing)
            checks += 1
        }
        #expect(try helper.lines() == ["written"])
        try DataFile.check(path: path, depth: .full)
    }

    @Test(
        "A crafted meta page is refused, with place, expected and found",
        arguments: [
            (16, [0, 0, 0, 0], "magic number"), (20, [2, 0, 0, 0], "format version"),
            (40, [1, 16, 0, 0], "page size"), (40, [0, 0, 0, 0], "page size"), (40, [0, 0, 1, 0], "page size"),
            (10, [2, 0], "flags of meta page"), (0, [7], "page number"),
            (136, [255, 255, 255, 255, 255, 255, 255, 255], "last page"),
            (136, [0, 0, 0, 0, 0, 0, 0, 0], "last page"),
            // Within what sizes in bytes may be, and beyond the map.
            (136, [0, 0, 0, 0, 1, 0, 0, 0], "last page"),
            (44, [0x0C, 0x40], "environment flags"), (92, [4, 0], "flags of the unnamed database"),
            (128, [255, 255, 0, 0, 0, 0, 0, 0], "root page"),
        ] as [(Int, [UInt8], String)])
    func metaPages(_ offset: Int, _ change: [UInt8], _ what: String) throws {
        var bytes = try makeFile()
        let offset = offset + Self.newestMeta(bytes) * Self.pageSize
        bytes.replaceSubrange(offset..<offset + change.count, with: change)
        let path = try write(bytes, to: "crafted")
        guard case .damaged(let damage) = kind({ try DataFile.check(path: path) }) else {
            Issue.record("\(what) was not noticed")
            return
        }
        #expect(damage.what.hasPrefix(what))
        #expect(!damage.expected.isEmpty && damage.expected != damage.found)
        #expect(kind { _ = try folder.open("crafted") } == .damaged(damage))
    }

    @Test(
        "A meta page with a transaction whose meta page is the other one, or that no file has reached, is refused",
        arguments: [(144, 1), (151, 0x40), (151, 0x80)] as [(Int, UInt8)])
    func impossibleTransaction(_ place: Int, _ change: UInt8) throws {
        var bytes = try makeFile()
        let newest = Self.newestMeta(bytes)
        bytes[newest * Self.pageSize + place] ^= change
        let path = try write(bytes, to: "crafted")
        guard case .damaged(let damage) = kind({ try DataFile.check(path: path) }) else {
            Issue.record("not noticed")
            return
        }
        #expect(damage.what == "transaction of meta page \(newest)" && damage.offset == newest * Self.pageSize + 144)
    }

    /// The number of the newer meta page.
    private static func newestMeta(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            func transaction(_ number: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: number * pageSize + 144, as: UInt64.self)
            }
            return transaction(0) < transaction(1) ? 1 : 0
        }
    }

    @Test("The trees of the older meta page may be those of a commit that failed")
    func failedMetaWrite() throws {
        let sound = try makeFile()
        let older = (1 - Self.newestMeta(sound)) * Self.pageSize
        for place in [older + 80, older + 128] {
            var bytes = sound
            // A root behind the last page.
            bytes.replaceSubrange(place..<place + 8, with: [255, 255, 0, 0, 0, 0, 0, 0])
            let path = try write(bytes, to: "crafted")
            try DataFile.check(path: path)
            try DataFile.check(path: path, depth: .full)
            let environment = try folder.open("crafted") { $0.gate = .full }
            try environment.write { txn in
                let rows = try txn.openDatabase(named: "rows", of: UInt64.self, [UInt8].self, create: true)
                try txn.put([1], forKey: 77_777, in: rows)
            }
            try environment.close()
            try DataFile.check(path: path, depth: .full)
        }
    }

    @Test("A file whose two meta pages state different page sizes is refused")
    func secondMeta() throws {
        var bytes = try makeFile()
        bytes[Self.pageSize + 41] ^= 0x30
        let path = try write(bytes, to: "crafted")
        guard case .damaged(let damage) = kind({ try DataFile.check(path: path) }) else {
            Issue.record("not noticed")
            return
        }
        #expect(damage.what == "page size" && damage.offset == Self.pageSize + 40)
    }

    @Test("The quick check refuses a truncated file of any length")
    func truncated() throws {
        let bytes = try makeFile()
        var generator = SeededGenerator(seed: 5)
        for count in [1, 15, 100, 4095, 4096, 4200, 8191, 8192, bytes.count / 2]
            + (0..<40).map({ _ in Int.random(in: 1..<bytes.count * 9 / 10, using: &generator) })
        {
            let path = try write(bytes.prefix(count), to: "cut")
            guard case .damaged = kind({ try DataFile.check(path: path) }) else {
                Issue.record("a file cut at \(count) of \(bytes.count) passed")
                return
            }
        }
    }

    @Test("A file of another format is refused")
    func foreign() throws {
        let path = try write([UInt8](repeating: 0x41, count: 100_000), to: "foreign")
        guard case .damaged(let damage) = kind({ _ = try folder.open("foreign") }) else {
            Issue.record("a foreign file passed")
            return
        }
        #expect(damage.description.contains("expected"))
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test("A page that two others refer to is refused")
    func cycle() throws {
        var bytes = try makeFile()
        let newest = bytes[144] > bytes[Self.pageSize + 144] ? 0 : Self.pageSize
        // The root of the unnamed database becomes that of the free list.
        bytes.replaceSubrange(newest + 128..<newest + 136, with: bytes[newest + 80..<newest + 88])
        let path = try write(bytes, to: "cycle")
        guard case .damaged = kind({ try DataFile.check(path: path, depth: .full) }) else {
            Issue.record("a shared page passed")
            return
        }
    }

    @Test("The full check finds a flipped bit in a page header, the quick one does not")
    func depths() throws {
        var bytes = try makeFile()
        let root = Int(bytes[128]) | Int(bytes[129]) << 8
        bytes[root * Self.pageSize + 14] ^= 0x01
        let newer = Int(bytes[Self.pageSize + 128]) | Int(bytes[Self.pageSize + 129]) << 8
        if newer != root { bytes[newer * Self.pageSize + 14] ^= 0x01 }
        let path = try write(bytes, to: "bit")
        try DataFile.check(path: path, depth: .quick)
        guard case .damaged = kind({ try DataFile.check(path: path, depth: .full) }) else {
            Issue.record("not noticed")
            return
        }
    }

    @Test("A free page that is one in use is found by the full check, and by a commit only where it looks")
    func freePageInUse() throws {
        var bytes = try makeFile()
        func word(_ place: Int) -> Int {
            bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        }
        func half(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        let newest = word(144) > word(Self.pageSize + 144) ? 0 : Self.pageSize
        let (free, main) = (word(newest + 80) * Self.pageSize, word(newest + 128) * Self.pageSize)
        #expect(half(free + 10) == 2 && half(main + 10) == 2, "both trees are one leaf")
        // A leaf of the named database: the last child of its root.
        let record = main + half(main + 16)
        let root = word(record + 8 + half(record + 6) + 40) * Self.pageSize
        let nodes = (half(root + 12) - 16) / 2
        let child = root + half(root + 16 + 2 * (nodes - 1))
        let inUse = half(child) | half(child + 2) << 16
        // The least number of the first entry with several; the numbers go down.
        let entry = free + half(free + 16)
        let numbers = entry + 8 + half(entry + 6)
        let count = word(numbers)
        #expect(count > 0)
        let place = (1...count).map { numbers + 8 * $0 }.last { word($0) > inUse } ?? numbers + 8 * count
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(inUse), toByteOffset: place, as: UInt64.self) }
        let path = try write(bytes, to: "in-use")
        try DataFile.check(path: path, depth: .quick)
        guard case .damaged(let damage) = kind({ try DataFile.check(path: path, depth: .full) }) else {
            Issue.record("not noticed")
            return
        }
        #expect(damage.what == "reference to a page" || damage.what == "free page")
    }

    @Test("A damaged file that passes the full check does not end the process; without the check some do")
    func randomDamage() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let bytes = try makeFile()
        let paths = try (0..<300).map { index in
            try write(damaged(bytes, index % 4, &generator), to: "damaged-\(index)")
        }
        let gated = try ChildProcess("LMDBTestHelper", ["scan"] + paths).lines()
        #expect(gated.count == paths.count, "seed \(seed)")
        for (index, outcome) in gated.enumerated() {
            #expect(!outcome.hasPrefix("signal"), "file \(index), seed \(seed)")
        }
        #expect(gated.contains("refused") && gated.contains { $0 == "sound" || $0 == "wrong" }, "seed \(seed)")

        // The control: the same damaged files, opened without a check.
        for (index, path) in paths.enumerated() where gated[index] != "refused" {
            try FileManager.default.removeItem(atPath: path)
        }
        let open = paths.indices.filter { gated[$0] == "refused" }.map { paths[$0] }
        let ungated = try ChildProcess("LMDBTestHelper", ["scan-without-gate"] + open).lines()
        #expect(ungated.contains { $0.hasPrefix("signal") }, "seed \(seed)")
    }

    /// A copy with one kind of damage: to a bit, a byte of a page header, a page, or the end of the file.
    private func damaged(_ bytes: [UInt8], _ damage: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var copy = bytes
        let page = Int.random(in: 0..<bytes.count / Self.pageSize, using: &generator) * Self.pageSize
        switch damage {
        case 0:
            copy[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1:
            copy[page + Int.random(in: 0..<40, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        case 2:
            let isZero = Bool.random(using: &generator)
            for place in page..<page + Self.pageSize {
                copy[place] = isZero ? 0 : UInt8.random(in: 0...255, using: &generator)
            }
        default:
            copy = Array(copy.prefix(Int.random(in: 1..<bytes.count, using: &generator)))
        }
        return copy
    }
}
