// Tests the contents that checkpoints store with their rows: what they are, that they make a text small, and that nothing else is read
// than before.

@testable import Listory
@testable import ListModel
import TestSupport
import Testing

@Suite("Short contents")
struct ShortContentTests {
    private struct Unreadable: Error {}

    private static func reference(_ content: [UInt8], _ version: UInt64 = 1) -> ContentReference {
        ContentReference(
            version: Version(version), offset: 40, length: UInt32(content.count),
            hash: content.withUnsafeBytes { ContentReference.hash(of: $0) })
    }

    @Test(
        "A short content is read once, when a second row has it; long and erased ones, and too many, are not read at all"
    )
    func reading() throws {
        let contents = ShortContents(limit: 3)
        var readCount = 0
        func found(_ content: [UInt8], _ version: UInt64, erased: Bool = false) -> [UInt8]? {
            let reference = Self.reference(content, version)
            return contents.content(of: erased ? reference.erased : reference) { _ in
                readCount += 1
                return content
            }
        }
        let longest: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        for version in UInt64(1)...3 { #expect(found(longest + [9], version) == nil) }
        for content in [[1], [], longest] {
            // The same row is met again whenever its leaf changes.
            for _ in 0..<2 { #expect(found(content, 1) == nil) }
            let before = readCount
            for version in UInt64(2)...4 { #expect(found(content, version) == content) }
            #expect(readCount == before + 1)
        }
        for version in UInt64(5)...7 {
            #expect(found([1], version, erased: true) == nil)
            #expect(found([2], version) == nil)
        }
        #expect(readCount == 3)
    }

    @Test(
        "Of contents that one row each has, not all are remembered, and none is in the way of those that many rows have"
    )
    func different() throws {
        let contents = ShortContents(limit: 3)
        func found(_ number: UInt8, _ version: UInt64) -> [UInt8]? {
            contents.content(of: Self.reference([number], version)) { _ in [number] }
        }
        for number in UInt8(0)..<100 { #expect(found(number, 1) == nil) }
        #expect(found(7, 2) == nil)
        #expect(found(7, 3) == [7])
        #expect(found(99, 2) == [99])
    }

    @Test("What cannot be read, or has the hash of a content of another length, is left to its hash")
    func unreadable() throws {
        let contents = ShortContents()
        for version in UInt64(1)...3 {
            #expect(contents.content(of: Self.reference([1, 2], version)) { _ in throw Unreadable() } == nil)
        }
        let reference = Self.reference([1, 2], 4)
        #expect(contents.content(of: reference) { _ in [1, 2] } == [1, 2])
        let other = ContentReference(version: Version(5), offset: 40, length: 3, hash: reference.hash)
        #expect(contents.content(of: other) { _ in [1, 2, 3] } == nil)
    }

    @Test(
        "A row for each character of a text takes half of what a row with a content of its own takes, and both are read again",
        arguments: [30, 10_000])
    func text(differentCount: Int) throws {
        let count = 10_000
        let fixture = try StoreFixture { $0.checkpoints.interval = .max }
        let contents = (0..<count).map { index in
            withUnsafeBytes(of: UInt32(index * 7_919 % differentCount)) { Array($0) }
        }
        for start in stride(from: 0, to: count, by: 100) {
            try fixture.store.edit("Type") { list in
                if start == 0 { try list.insertSection(NewSection(id: "text")) }
                try list.insert(
                    (start..<start + 100).map { NewRow(id: .integer(Int64($0)), content: contents[$0]) },
                    at: .end(ofSection: "text"))
            }
        }
        try fixture.store.checkpoint()
        let database = try #require(fixture.store.checkpointer).database
        var size = 0
        try database.environment.read { txn in
            try txn.forEach(in: database.nodes) { _, bytes in
                size += bytes.count
                return true
            }
        }
        // Of these, the index of ids takes a byte for a row.
        if differentCount < 1_000 { #expect(size < 5 * count) } else { #expect(size > 9 * count) }
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).nodeCount > 0)
        let store = try UntypedStore.open(at: fixture.path)
        defer { try? store.close() }
        let rows = try store.snapshot.sections[0].items
        #expect(rows.count == count)
        for (index, row) in rows.enumerated() {
            try #require(try store.group.content(of: row.content) == contents[index], "row \(index)")
        }
    }
}
