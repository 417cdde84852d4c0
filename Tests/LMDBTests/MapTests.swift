// The map: full, growing, blocked, changed by another process.

import Foundation
import LMDB
import Synchronization
import TestSupport
import Testing

@Suite struct MapTests {
    let folder = try! TemporaryFolder()
    let value = [UInt8](repeating: 9, count: 100_000)

    @Test("A file that is cut off while it is open gives an error at the next transaction", arguments: [0, 1, 2])
    func cutOff(pages: Int) throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in try txn.put([UInt8](repeating: 7, count: 50_000), forKey: 1, in: rows) }
        #expect(try environment.read { try $0.get(1, in: rows) }?.count == 50_000)
        #expect(truncate(folder.file(), off_t(pages * (try environment.pageSize))) == 0)
        let calls: [(String, () throws -> Void)] = [
            ("write", { try environment.write { txn in try txn.put([1], forKey: 2, in: rows) } }),
            // The clock ticks a few hundred times in a second.
            (
                "read",
                {
                    usleep(20_000); _ = try environment.read { try $0.get(1, in: rows) }
                }
            ),
            ("information", { _ = try environment.information }),
        ]
        for (name, call) in calls {
            guard case .damaged(let damage) = kind(call) else {
                Issue.record("\(name) threw another error, or none")
                continue
            }
            #expect(damage.found == "\(pages * 4_096)", "\(name)")
        }
        try environment.close()
    }

    #if os(Linux)
    @Test(
        "The pages that were read leave memory soon, if that is asked for", arguments: [false, true],
        // Values in leaves, on a page of their own, on many.
        [(300, 80_000), (3_000, 8_000), (100_000, 240)] as [(size: Int, count: UInt64)])
    func unloading(unloads: Bool, values: (size: Int, count: UInt64)) throws {
        let environment = try folder.open { $0.unloadsPages = unloads }
        let rows = try environment.bytes()
        let value = [UInt8](repeating: 9, count: values.size)
        let keys = 0..<values.count
        try environment.write { txn in for key in keys { try txn.put(value, forKey: key, in: rows) } }
        for _ in 0..<2 {
            for key in keys {
                let count = try environment.read { try $0.withValue(forKey: key, in: rows) { $0?.count } }
                #expect(count == values.size, "key \(key)")
            }
            let loaded = try mappedBytes(of: environment.path)
            #expect(unloads ? loaded < 8_000_000 : loaded > 20_000_000, "\(loaded) bytes")
        }
        environment.unloadPages()
        let left = try mappedBytes(of: environment.path)
        #expect(left < 8_000_000, "\(left) bytes")
        try environment.close()
    }

    @Test("The pages that LMDB reads to change them leave memory soon, if that is asked for", arguments: [false, true])
    func unloadingInWrites(unloads: Bool) throws {
        let environment = try folder.open { $0.unloadsPages = unloads }
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<100_000 as Range<UInt64> {
                try txn.put([UInt8](repeating: 9, count: 300), forKey: key, in: rows)
            }
        }
        // In the second round, the map is another one.
        for round in 0..<2 as Range<UInt8> {
            var most = 0
            try environment.write { txn in
                for key in stride(from: UInt64(0), to: 100_000, by: 100) {
                    try txn.put([UInt8](repeating: round, count: 300), forKey: key, in: rows)
                    if key % 10_000 == 0 { most = max(most, try mappedBytes(of: environment.path)) }
                }
            }
            #expect(unloads ? most < 8_000_000 : most > 20_000_000, "\(most) bytes")
            for key in stride(from: UInt64(0), to: 100_000, by: 99) {
                let value = try environment.read { try $0.get(key, in: rows) }
                #expect(value == [UInt8](repeating: key % 100 == 0 ? round : 9, count: 300), "key \(key)")
            }
            try environment.growMap(to: 2 * environment.mapSize)
        }
        try environment.close()
    }

    /// How much of a file is in the memory of this process.
    private func mappedBytes(of path: String) throws -> Int {
        var (isData, sum) = (false, 0)
        // The kernel does not say how long this file is, so it is read to its end.
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.first?.isUppercase != true { isData = line.hasSuffix(path) }
            if isData, words.first == "Rss:" { sum += (Int(words[1]) ?? 0) * 1_024 }
        }
        return sum
    }
    #endif

    @Test("A full map doubles, and the write runs again completely")
    func growth() throws {
        let environment = try folder.open { $0.mapSize = 256 * 1024 }
        let rows = try environment.bytes()
        var runs = 0
        try environment.write { txn in
            runs += 1
            for key in 0..<40 as Range<UInt64> { try txn.put(value, forKey: key, in: rows) }
        }
        #expect(runs > 1)
        #expect(try environment.mapSize > 4_000_000)
        #expect(try environment.mapSize % 16_384 == 0)
        #expect(try environment.read { txn in try txn.count(in: rows) } == 40)
    }

    @Test("Pages at the end of the file are read that were allocated, but not written, by an earlier transaction")
    func pagesWrittenLater() throws {
        let environment = try folder.open { $0.gate = .quick }
        let rows = try environment.bytes()
        // So that the transactions below find free pages for all else.
        for _ in 0..<8 { try environment.write { txn in try txn.put([1], forKey: 0, in: rows) } }
        try environment.write { txn in
            // LMDB allocates pages at the end for the value, and does not write them.
            try txn.put(value, forKey: 1, in: rows)
            try txn.delete(1, in: rows)
        }
        let lastPage = try environment.information.lastPage
        #expect(try environment.fileSize <= lastPage * environment.pageSize)
        // The next transactions use some of these pages, and the number of the last page stays.
        for number in 2...4 as ClosedRange<UInt8> {
            try environment.write { txn in try txn.put([number], forKey: 0, in: rows) }
            #expect(try environment.information.lastPage == lastPage)
            #expect(try environment.read { try $0.get(0, in: rows) } == [number])
        }
    }

    @Test("A map that is full at its maximum is an error with both sizes, and nothing is written")
    func maximum() throws {
        let environment = try folder.open { options in
            options.mapSize = 256 * 1024
            options.maximumMapSize = 1 << 20
        }
        let rows = try environment.bytes()
        let found = kind {
            try environment.write { txn in
                for key in 0..<40 as Range<UInt64> { try txn.put(value, forKey: key, in: rows) }
            }
        }
        #expect(found == .mapFull(size: 1 << 20, maximum: 1 << 20))
        #expect(try environment.read { txn in try txn.count(in: rows) } == 0)
        try environment.write { txn in try txn.put(value, forKey: 1, in: rows) }
    }

    @Test("A map that is full only at the commit grows as well")
    func fullAtCommit() throws {
        // How many values fill the map depends on the page size, so all counts are tried: for some, only the commit
        // needs a page too many.
        var commitsThatFailed = 0
        for count in 1...40 as ClosedRange<UInt64> {
            let environment = try folder.open("\(count)") { options in
                options.mapSize = 128 * 1024
                options.durability = .noSync
            }
            let rows = try environment.bytes()
            let fill = { (txn: inout WriteTransaction) in
                for key in 0..<count { try txn.put([UInt8](repeating: 3, count: 3000), forKey: key, in: rows) }
            }
            if try failsAtCommit(environment, fill) { commitsThatFailed += 1 }
            try environment.write(fill)
            #expect(try environment.read { txn in try txn.count(in: rows) } == count)
        }
        #expect(commitsThatFailed > 0)
    }

    /// Whether a write that does not grow the map fails, and only in its commit.
    private func failsAtCommit(
        _ environment: Environment, _ body: (inout WriteTransaction) throws -> Void
    ) throws -> Bool {
        var txn = try environment.beginWrite()
        do {
            try body(&txn)
        } catch {
            return false
        }
        do throws(LMDBError) {
            try txn.commit()
            return false
        } catch {
            return error.code == .mapFull
        }
    }

    @Test("A closure runs again even if it hides the error of a full map")
    func swallowed() throws {
        let environment = try folder.open { $0.mapSize = 256 * 1024 }
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<20 as Range<UInt64> { try? txn.put(value, forKey: key, in: rows) }
        }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 20)
    }

    @Test("Reserved values and appends grow the map too")
    func otherWrites() throws {
        let environment = try folder.open { $0.mapSize = 128 * 1024 }
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<10 as Range<UInt64> {
                try value.withUnsafeBytes { try txn.append(bytes: $0, forKey: key, in: rows) }
            }
            for key in 10..<20 as Range<UInt64> {
                try txn.put(reserving: value.count, forKey: key, in: rows) { $0.copyBytes(from: value) }
            }
        }
        let all = try environment.read { txn in try (0..<20).map { try txn.get(UInt64($0), in: rows) } }
        #expect(all.allSatisfy { $0 == value })
    }

    @Test("A map is not changed under a live reader, and the error says how many there are")
    func blocked() throws {
        let environment = try folder.open()
        let rows = try environment.bytes()
        let first = try environment.beginRead()
        let second = try environment.beginRead()
        let size = try environment.mapSize
        #expect(kind { try environment.growMap(to: 1 << 24) } == .resizeBlocked(live: 2))
        let found = kind {
            try environment.write { txn in
                for key in 0..<40 as Range<UInt64> { try txn.put(value, forKey: key, in: rows) }
            }
        }
        #expect(found == .resizeBlocked(live: 2))
        #expect(try environment.mapSize == size)
        #expect(try first.count(in: rows) == 0)
        first.abort()
        second.abort()
        try environment.growMap(to: 1 << 24)
        #expect(try environment.mapSize == 1 << 24)
    }

    @Test("A resize waits for a reader that ends in time")
    func waiting() async throws {
        // Longer than other tests may occupy the threads of the pool.
        let environment = try folder.open { $0.resizeTimeout = .seconds(600) }
        let held = Mutex<ReadTransaction?>(try environment.beginRead())
        async let growing: Void = Self.grow(environment)
        // Usually the resize is waiting by now; if not, the result is the same.
        for _ in 0..<50 { await Task.yield() }
        held.withLock { $0.take() }?.abort()
        try await growing
        #expect(try environment.mapSize == 1 << 24)
    }

    private static func grow(_ environment: Environment) async throws {
        try environment.growMap(to: 1 << 24)
    }

    @Test("A resize inside a write of the same thread is refused at once")
    func ownWrite() throws {
        let environment = try folder.open { $0.resizeTimeout = .seconds(600) }
        try environment.write { _ in
            #expect(kind { try environment.growMap(to: 1 << 24) } == .resizeBlocked(live: 1))
        }
    }

    @Test("A size beyond the address space is refused, and the environment stays usable")
    func unavailable() throws {
        let environment = try folder.open { $0.maximumMapSize = .max }
        let rows = try environment.bytes()
        let huge = 1 << 60
        #expect(kind { try environment.growMap(to: huge) } == .sizeUnavailable(requested: huge))
        try environment.write { txn in try txn.put(value, forKey: 1, in: rows) }
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == value)
    }

    @Test("A map is not grown beyond its maximum")
    func growBeyondMaximum() throws {
        let environment = try folder.open { $0.maximumMapSize = 1 << 22 }
        #expect(kind { try environment.growMap(to: 1 << 23) } == .mapFull(size: 1 << 20, maximum: 1 << 22))
    }

    @Test("Reads and writes follow a map that another process made larger", arguments: [true, false])
    func otherProcess(_ readsFirst: Bool) throws {
        let environment = try folder.open { $0.mapSize = 256 * 1024 }
        let rows = try environment.bytes()
        try environment.read { _ in }
        let helper = try ChildProcess("LMDBTestHelper", ["write", environment.path, "\(1 << 24)", "20"])
        #expect(try helper.lines() == ["written"])
        if readsFirst {
            #expect(try environment.read { txn in try txn.count(in: rows) } == 0)
        } else {
            try environment.write { txn in try txn.put(value, forKey: 1, in: rows) }
        }
        #expect(try environment.mapSize >= 20 * 65_536)
        #expect(try environment.mapSize % 16_384 == 0)
        let other = try environment.bytes("other")
        #expect(try environment.read { txn in try txn.count(in: other) } == 20)
    }

    @Test("A pinned snapshot does not change while the map grows, here or in another process, and blocks no write")
    func pinned() throws {
        let environment = try folder.open { options in
            options.mapSize = 256 * 1024
            options.resizeTimeout = .zero
        }
        let rows = try environment.bytes()
        try environment.write { txn in try txn.put(value, forKey: 1, in: rows) }
        var pinned: PinnedSnapshot? = try PinnedSnapshot(environment)
        let size = try environment.mapSize
        for key in 2..<20 as Range<UInt64> {
            try environment.write { txn in try txn.put(value, forKey: key, in: rows) }
        }
        #expect(try environment.mapSize > size)
        let helper = try ChildProcess("LMDBTestHelper", ["write", environment.path, "\(1 << 24)", "60"])
        #expect(helper.lines() == ["written"])
        #expect(try environment.read { txn in try txn.count(in: rows) } == 19)
        #expect(try environment.mapSize >= 80 * 65_536)
        #expect(try pinned!.read { txn in try txn.count(in: rows) } == 1)
        #expect(try pinned!.read { txn in try txn.get(1, in: rows) } == value)
        // During a read it counts as a reader like others.
        try pinned!.read { _ in #expect(kind { try environment.growMap(to: 1 << 26) } == .resizeBlocked(live: 1)) }
        #expect(kind { try environment.close() } == .closeBlocked(live: 1))
        pinned = nil
        try environment.close()
    }

    @Test("Following another process waits for live readers of this one, and then throws with their number")
    func otherProcessBlocked() throws {
        let environment = try folder.open { $0.mapSize = 256 * 1024 }
        let rows = try environment.bytes()
        let reading = try environment.beginRead()
        let helper = try ChildProcess("LMDBTestHelper", ["write", environment.path, "\(1 << 24)", "20"])
        #expect(helper.lines() == ["written"])
        #expect(kind { try environment.read { _ in } } == .resizeBlocked(live: 1))
        #expect(try reading.count(in: rows) == 0)
        reading.abort()
        try environment.read { _ in }
    }
}
