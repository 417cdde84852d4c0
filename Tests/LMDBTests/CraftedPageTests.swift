// Changes single numbers in the pages of a sound file: each must be noticed by the check that is for it.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct CraftedPageTests {
    let folder = try! TemporaryFolder()

    /// The newest version in a file with one database whose tree has two levels.
    private struct Pages {
        static let size = 4096
        var bytes: [UInt8]

        init(_ path: String) throws { bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

        func word(_ place: Int) -> Int {
            bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        }
        func half(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        func count(_ page: Int) -> Int { (half(page + 12) - 16) / 2 }
        func node(_ index: Int, of page: Int) -> Int { page + half(page + 16 + 2 * index) }
        /// Where the value of an entry begins.
        func value(_ node: Int) -> Int { node + 8 + half(node + 6) }

        var meta: Int { word(144) > word(Self.size + 144) ? 0 : Self.size }
        /// The only page of the list of free pages.
        var free: Int { word(meta + 80) * Self.size }
        /// The last leaf of the database.
        var lastLeaf: Int { leaf(fromLast: 0) }

        /// A leaf of the database, counted from the last one.
        func leaf(fromLast index: Int) -> Int {
            let main = word(meta + 128) * Self.size
            let root = word(value(node(0, of: main)) + 40) * Self.size
            let child = node(count(root) - 1 - index, of: root)
            return (half(child) | half(child + 2) << 16) * Self.size
        }

        /// Moves the last node of a leaf by two bytes: into the node before it, whose content is changed by that.
        mutating func shiftLastNode(of leaf: Int) {
            let index = (0..<count(leaf)).max { node($0, of: leaf) < node($1, of: leaf) }!
            let start = node(index, of: leaf)
            let place = half(leaf + 16 + 2 * index) - 2
            bytes.replaceSubrange(start - 2..<leaf + Self.size - 2, with: bytes[start..<leaf + Self.size])
            bytes[leaf + 16 + 2 * index] = UInt8(place & 0xFF)
            bytes[leaf + 17 + 2 * index] = UInt8(place >> 8)
        }

        mutating func put(_ word: Int, at place: Int) {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(word), toByteOffset: place, as: UInt64.self) }
        }

        func write(_ path: String) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.write(contentsOf: bytes)
            try file.close()
        }
    }

    /// An environment with two large values in its last leaf, and free pages.
    private func make() throws -> (Environment, Database<UInt64, [UInt8]>) {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<300 as Range<UInt64> { try txn.put([UInt8](repeating: 1, count: 20), forKey: key, in: rows) }
            for key in 1_000...1_002 as ClosedRange<UInt64> {
                try txn.put([UInt8](repeating: UInt8(key % 7), count: 9_000), forKey: key, in: rows)
            }
        }
        try environment.write { try $0.delete(1_002, in: rows) }
        for _ in 0..<3 { try environment.write { try $0.put([], forKey: 0, in: rows) } }
        return (environment, rows)
    }

    @Test("If the leaf before one ends with a greater key, that is no entry before another key")
    func greaterKeyBefore() throws {
        let (environment, _) = try make()
        try environment.close()
        var pages = try Pages(folder.file())
        // The key of an entry, whose bytes are in descending order.
        let first = pages.node(0, of: pages.lastLeaf) + 8
        let before = pages.leaf(fromLast: 1)
        let last = pages.node(pages.count(before) - 1, of: before) + 8
        let key = pages.bytes[first..<first + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        pages.bytes[first + 7] += 1
        for byte in last..<last + 8 { pages.bytes[byte] = 0xFE }
        try pages.write(folder.file())
        for unloadsPages in [false, true] {
            let environment = try folder.open { $0.unloadsPages = unloadsPages }
            let rows = try environment.openDatabase(named: "rows", of: UInt64.self, [UInt8].self)
            try environment.read { txn in
                let found = try [key, key + 1].map { key in try txn.withEntry(atOrBefore: key, in: rows) { $0?.key } }
                #expect(found == [nil, key + 1])
            }
            try environment.close()
        }
    }

    @Test(
        "Where pages are copied, a value on a page that is another one is damage with its place",
        arguments: [false, true])
    func otherPageOfValue(unloadsPages: Bool) throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<300 as Range<UInt64> { try txn.put([UInt8](repeating: 1, count: 20), forKey: key, in: rows) }
            try txn.put([UInt8](repeating: 2, count: 3_000), forKey: 1_000, in: rows)
        }
        try environment.close()
        var pages = try Pages(folder.file())
        let entry = pages.node(pages.count(pages.lastLeaf) - 1, of: pages.lastLeaf)
        let page = pages.word(pages.value(entry)) * Pages.size
        // Any number, also one that is too great to be multiplied by the size of a page.
        for byte in page..<page + 8 { pages.bytes[byte] = 0x41 }
        try pages.write(folder.file())
        let damaged = try folder.open { $0.unloadsPages = unloadsPages }
        let found = try damaged.openDatabase(named: "rows", of: UInt64.self, [UInt8].self)
        let kinds = [
            kind { try damaged.read { txn in _ = try txn.get(1_000, in: found) } },
            kind { try damaged.read { txn in try txn.withDistantValue(forKey: 1_000, in: found) { _ in } } },
            kind { try damaged.read { txn in try txn.withEntry(atOrBefore: 2_000, in: found) { _ in } } },
        ]
        for kind in kinds {
            guard case .damaged(let damage) = kind else {
                Issue.record("not noticed")
                continue
            }
            #expect(damage.offset == page && damage.what == "header of a large value")
        }
    }

    @Test("The sizes of values are found without reading large ones", arguments: [false, true])
    func sizes(unloadsPages: Bool) throws {
        let (environment, rows) = try make()
        let expected: [UInt64: Int] = [298: 20, 299: 20, 1_000: 9_000, 1_001: 9_000]
        try environment.write { txn in
            try txn.put([UInt8](repeating: 3, count: 20), forKey: 299, in: rows)
            var sizes: [UInt64: Int] = [:]
            try txn.forEachSize(in: rows, range: 298...1_001) { key, size in
                let key = try UInt64.decode(key)
                sizes[key] = size
                return true
            }
            #expect(sizes == expected)
        }
        try environment.close()
        var pages = try Pages(folder.file())
        let entry = pages.node(pages.count(pages.lastLeaf) - 1, of: pages.lastLeaf)
        let page = pages.word(pages.value(entry)) * Pages.size
        for byte in page..<page + 8 { pages.bytes[byte] = 0x41 }
        try pages.write(folder.file())
        let damaged = try folder.open { $0.unloadsPages = unloadsPages }
        let found = try damaged.openDatabase(named: "rows", of: UInt64.self, [UInt8].self)
        try damaged.read { txn in
            var sizes: [UInt64: Int] = [:]
            try txn.forEachSize(in: found, range: 298...1_001) { key, size in
                let key = try UInt64.decode(key)
                sizes[key] = size
                return true
            }
            #expect(sizes == expected)
            sizes = [:]
            try txn.forEachSize(in: found, range: 0...298) { key, size in
                let key = try UInt64.decode(key)
                sizes[key] = size
                return sizes.count < 3
            }
            #expect(sizes == [0: 0, 1: 20, 2: 20])
        }
        let kind = kind { try damaged.read { txn in _ = try txn.get(1_001, in: found) } }
        if case .damaged = kind {} else { Issue.record("the large value is not damaged") }
    }

    /// What is damaged in the file, by the full check.
    private func damage(_ change: (inout Pages) -> Void) throws -> LMDBError.Damage? {
        let (environment, _) = try make()
        try environment.close()
        try DataFile.check(path: folder.file(), depth: .full)
        var pages = try Pages(folder.file())
        change(&pages)
        try pages.write(folder.file())
        guard case .damaged(let damage) = kind({ try DataFile.check(path: folder.file(), depth: .full) }) else {
            return nil
        }
        return damage
    }

    /// What a write near the end of the database says to a change of the file after others.
    private func damageWhileOpen(_ change: (inout Pages) -> Void) throws -> LMDBError.Damage? {
        let (environment, rows) = try make()
        var pages = try Pages(folder.file())
        change(&pages)
        try pages.write(folder.file())
        let kind = kind { try environment.write { try $0.put([2], forKey: 1_001, in: rows) } }
        guard case .damaged(let damage) = kind else { return nil }
        return damage
    }

    @Test("A page with another number than that of its place")
    func pageNumber() throws {
        #expect(try damage { $0.bytes[$0.lastLeaf] ^= 1 }?.what == "page number")
    }

    @Test("Entries that overlap, with a gap of the same size", arguments: [false, true])
    func overlappingNodes(isOpen: Bool) throws {
        let found =
            try isOpen
            ? damageWhileOpen { $0.shiftLastNode(of: $0.lastLeaf) }
            : damage { $0.shiftLastNode(of: $0.leaf(fromLast: 1)) }
        #expect(found?.what.hasPrefix("nodes of page") == true, "\(String(describing: found))")
    }

    @Test("A free page beyond the end of the file that is listed twice")
    func unwrittenPageTwice() throws {
        let found = try damage { pages in
            let last = pages.bytes.count / Pages.size + 20
            pages.put(last, at: pages.meta + 136)
            #expect(pages.count(pages.free) >= 2)
            for index in 0..<2 {
                let numbers = pages.value(pages.node(index, of: pages.free))
                pages.put(1, at: numbers)
                pages.put(last - 5, at: numbers + 8)
            }
        }
        #expect(found?.what == "free page" && found?.expected == "a page that nothing else refers to")
    }

    @Test("Two large values on the same pages")
    func sharedPages() throws {
        let found = try damage { pages in
            let (leaf, count) = (pages.lastLeaf, pages.count(pages.lastLeaf))
            let places = (count - 2..<count).map { pages.value(pages.node($0, of: leaf)) }
            pages.put(pages.word(places[0]), at: places[1])
        }
        #expect(found?.what == "reference to a page")
        #expect(found?.expected == "a page that nothing else refers to")
    }

    @Test("A free page that is one in use, when a transaction is about to change it")
    func freePageInUse() throws {
        let found = try damageWhileOpen { pages in
            let numbers = pages.value(pages.node(0, of: pages.free))
            let (count, inUse) = (pages.word(numbers), pages.lastLeaf / Pages.size)
            #expect(count > 0)
            // They descend.
            let place = (1...count).map { numbers + 8 * $0 }.last { pages.word($0) > inUse } ?? numbers + 8 * count
            pages.put(inUse, at: place)
        }
        #expect(found?.what == "reference to a page" || found?.what == "free page")
    }

    @Test("A free page that is listed twice, when free pages are about to become holes")
    func freePageTwice() throws {
        let (environment, _) = try make()
        var pages = try Pages(folder.file())
        let numbers = pages.value(pages.node(0, of: pages.free))
        #expect(pages.word(numbers) > 1)
        pages.put(pages.word(numbers + 8), at: numbers + 16)
        try pages.write(folder.file())
        var place: FreePagePlace?
        let found = kind { _ = try environment.giveBackFreePages(&place, within: .seconds(1)) }
        guard case .damaged = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(try Pages(folder.file()).bytes == pages.bytes)
    }

    @Test(
        "However many entries refer to the same large pages, a scan leads to a small multiple of the bytes of the file",
        arguments: [false, true])
    func manyLargeValues(isReached: Bool) throws {
        let (environment, _) = try make()
        try environment.close()
        var pages = try Pages(folder.file())
        let leaf = pages.lastLeaf
        let key = pages.node(0, of: leaf) + 8
        let first = pages.bytes[key..<key + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // A page that is one of a large value, with all the pages behind it. No tree has it.
        let (large, count) = (pages.bytes.count / Pages.size, 101)
        var header = [UInt8](repeating: 0, count: Pages.size)
        header.withUnsafeMutableBytes { page in
            page.storeBytes(of: UInt64(large), as: UInt64.self)
            page.storeBytes(of: 4, toByteOffset: 10, as: UInt16.self)
            page.storeBytes(of: UInt32(count), toByteOffset: 12, as: UInt32.self)
        }
        let size = count * Pages.size - 16
        if isReached {
            pages.bytes.replaceSubrange(
                leaf..<leaf + Pages.size,
                with: Self.leaf(leaf / Pages.size, firstKey: first, size: 0xFFFF_FFF0, on: 2))
        }
        pages.bytes += header
        for index in 1..<count {
            pages.bytes += Self.leaf(large + index, firstKey: UInt64(10_000 + 1_000 * index), size: size, on: large)
        }
        try pages.write(folder.file())
        var (entries, total) = (0, 0)
        try DataFile.scan(folder.file()) { scan in
            func note(_ entry: PageScan.Entry) {
                entries += 1
                total += max(0, min(entry.value.count, scan.length - entry.value.offset))
            }
            try scan.forEachEntry { note($0) }
            try scan.forEachLooseEntry { note($0) }
            #expect(total < 20 * scan.length)
        }
        #expect(entries > 200)
    }

    /// A full leaf whose entries have ascending keys and all refer to the same large value.
    private static func leaf(_ number: Int, firstKey: UInt64, size: Int, on page: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Pages.size)
        let count = (Pages.size - 16) / 26
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt64(number), as: UInt64.self)
            bytes.storeBytes(of: 2, toByteOffset: 10, as: UInt16.self)
            bytes.storeBytes(of: UInt16(16 + 2 * count), toByteOffset: 12, as: UInt16.self)
            bytes.storeBytes(of: UInt16(Pages.size - 24 * count), toByteOffset: 14, as: UInt16.self)
            for index in 0..<count {
                let place = Pages.size - 24 * (index + 1)
                bytes.storeBytes(of: UInt16(place), toByteOffset: 16 + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: UInt32(size), toByteOffset: place, as: UInt32.self)
                bytes.storeBytes(of: 1, toByteOffset: place + 4, as: UInt16.self)
                bytes.storeBytes(of: 8, toByteOffset: place + 6, as: UInt16.self)
                bytes.storeBytes(of: (firstKey + UInt64(index)).bigEndian, toByteOffset: place + 8, as: UInt64.self)
                bytes.storeBytes(of: UInt64(page), toByteOffset: place + 16, as: UInt64.self)
            }
        }
        return bytes
    }

    @Test("Keys that are not in order, when a transaction is about to change their page")
    func order() throws {
        let found = try damageWhileOpen { pages in
            let leaf = pages.lastLeaf
            for byte in 16...17 { pages.bytes.swapAt(leaf + byte, leaf + byte + 2) }
        }
        #expect(found?.what == "order of keys")
    }

    @Test("Copied pages have the same values as mapped ones, and the same damage is found in them")
    func copiedPages() throws {
        let (environment, _) = try make()
        try environment.close()
        let pages = try Pages(folder.file())
        func found(unloads: Bool) throws -> [String] {
            let environment = try folder.open { $0.unloadsPages = unloads }
            defer { try! environment.close() }
            guard let rows = try? environment.bytes() else { return ["no database"] }
            let values = (0..<1_010 as Range<UInt64>).map { key in
                do { return try environment.read { "\(try $0.get(key, in: rows) ?? [])" } } catch { return "\(error)" }
            }
            return values
                + [false, true].flatMap { reverse in
                    var scanned: [String] = []
                    do {
                        try environment.read { txn in
                            try txn.forEach(in: rows, range: 3...UInt64.max, reverse: reverse) { key, value in
                                scanned.append("\(Array(key)): \(Array(value))")
                                return true
                            }
                        }
                    } catch { scanned.append("\(error)") }
                    return scanned
                }
        }
        #expect(try found(unloads: true) == found(unloads: false))
        let seed = Soak.seed
        var random = SeededGenerator(seed: seed)
        var damaged = 0
        for _ in 0..<40 {
            var changed = pages
            // Most numbers that are looked at are at the beginning of a page.
            let anyPage = Pages.size * (2 + random.below(pages.bytes.count / Pages.size - 2))
            let page = random.oneIn(2) ? pages.lastLeaf : anyPage
            changed.bytes[page + random.below(32)] ^= 1 << UInt8(random.below(8))
            try changed.write(folder.file())
            let mapped = try found(unloads: false)
            #expect(try found(unloads: true) == mapped, "seed \(seed)")
            if mapped.contains(where: { $0.contains("damaged") }) { damaged += 1 }
        }
        #expect(damaged > 4, "seed \(seed)")
    }
}
