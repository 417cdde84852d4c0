// Tests reading commits one after another: in any order, each is the written one.

import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Reading ahead")
struct ReadAheadTests {
    /// A store with records of all sizes in the database; some are larger than the read-ahead.
    private static func makeStore(_ path: String, _ random: inout SeededGenerator) throws -> (UntypedStore, [[UInt8]]) {
        let store = try UntypedStore.create(at: path)
        var records: [[UInt8]] = []
        func note(_ commit: Commit?) throws { records.append(try #require(commit).record) }
        try note(store.edit("Begin", durability: .deferred) { try $0.insertSection(NewSection(id: "rows")) })
        for number in 0..<400 {
            let size = Int.random(in: 0..<100, using: &random)
            let length = size < 90 ? size : size < 97 ? size * 30 : size * 60
            let item = NewRow(id: .integer(Int64(number)), content: [UInt8](repeating: 7, count: length))
            try note(store.edit("Insert", durability: .deferred) { try $0.insert(item, at: .end(ofSection: "rows")) })
        }
        try store.close()
        return (try UntypedStore.open(at: path), records)
    }

    @Test("Commits are read as written: forward, backward, alternating, and in random order", arguments: 1...UInt64(5))
    func walks(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: seed)
        let (store, records) = try Self.makeStore(folder.file("list"), &random)
        var number = records.count
        for step in 0..<60 {
            // One direction for a while, then another.
            let way = Int.random(in: 0..<4, using: &random)
            for _ in 0..<Int.random(in: 1..<80, using: &random) {
                switch way {
                case 0: number += 1
                case 1: number -= 1
                case 2: number += Bool.random(using: &random) ? 1 : -1
                default: number = Int.random(in: 1...records.count, using: &random)
                }
                if number < 1 || number > records.count { number = Int.random(in: 1...records.count, using: &random) }
                let commit = try store.commit(Version(UInt64(number)))
                try #require(commit.record == records[number - 1], "seed \(seed), step \(step), version \(number)")
            }
        }
        // From both ends of the log to the middle, and beyond the ends of all numbers.
        let end = UInt64(records.count)
        for number in [2, 1, 0, .max, 0, 1, end - 1, end, end + 1, end + 2, .max - 1, .max, .max - 1, 1, 0] {
            if (1...end).contains(number) {
                #expect(try store.commit(Version(number)).record == records[Int(number) - 1])
            } else {
                #expect(throws: ListError.self) { try store.commit(Version(number)) }
            }
        }
        try store.close()
    }

    @Test("Commits that are made after a read are read like the others")
    func newer() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 1)
        var (store, records) = try Self.makeStore(folder.file("list"), &random)
        for number in 0..<100 {
            let last = records.count
            // Forward to the end, so that there is nothing to read ahead yet.
            for version in last - 3...last { _ = try store.commit(Version(UInt64(version))) }
            let commit = try store.edit("Toggle", durability: number.isMultiple(of: 2) ? .immediate : .deferred) {
                try $0.toggle(.item(.integer(Int64(number))))
            }
            records.append(try #require(commit).record)
            for version in [last + 1, last, last + 1] {
                try #require(try store.commit(Version(UInt64(version))).record == records[version - 1])
            }
        }
        try store.close()
    }
}
