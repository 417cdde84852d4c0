// Tests texts that are no UTF-8, in every place where the log, a packed block or a checkpoint has one. All checksums are
// right.

@testable import ListModel
import TestSupport
import Testing

@Suite("Invalid text")
struct InvalidTextTests {
    /// Every text of the list has these bytes.
    private static let mark = Array("TEXT".utf8)
    /// Bytes that are in no UTF-8: no lead byte, an overlong zero, a surrogate, a character cut off, one that is too great.
    private static let invalid: [[UInt8]] = [
        [0xFF, 0x45, 0x58, 0x54], [0xC0, 0x80, 0x58, 0x54], [0xED, 0xA0, 0x80, 0x54], [0x54, 0xE2, 0x82, 0x54],
        [0xF5, 0x80, 0x80, 0x80],
    ]

    /// The places of the mark.
    private static func places(in bytes: [UInt8]) -> [Int] {
        bytes.indices.filter { bytes[$0...].starts(with: mark) }
    }

    private static func replaced(_ bytes: [UInt8], at place: Int, by text: [UInt8]) -> [UInt8] {
        var result = bytes
        result.replaceSubrange(place..<place + mark.count, with: text)
        return result
    }

    private static func list() throws -> StoredList {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        let editing = CommitDraft(
            name: "TEXT name", origin: "an origin TEXT", time: Timestamp(microseconds: 1), tracking: .own)
        let commit = try stored.list.editor.commit(editing) { list in
            try list.insertSection(
                NewSection(id: "section TEXT", title: "title TEXT", items: [NewRow(id: "row TEXT", content: [1])]))
            list.annotate("note TEXT", with: [1])
        }
        stored.list.log.append(try #require(commit))
        try stored.list.commit("again TEXT") { list in
            let rows = [NewRow(id: "TEXT 1", content: []), NewRow(id: "TEXT 2", content: [])]
            try list.insert(rows, at: .after("row TEXT"))
            try list.renameSection(.at(0), to: "a TEXT, renamed")
            try list.move(.item("TEXT 1"), to: .end(ofSection: "section TEXT"))
            try list.toggle(.item("TEXT 1"))
            try list.update("TEXT 2", content: [2])
            try list.changeDepth(of: .item("TEXT 2"), by: 1)
            try list.delete(.item("TEXT 1"))
        }
        return stored
    }

    private static func recordsOfList() throws -> [[UInt8]] {
        let stored = try list()
        return (1...stored.list.log.head.rawValue).map { stored.list.log.record(of: Version($0)) }
    }

    @Test("A record with a text that is no UTF-8 is refused, in whichever field it is")
    func records() throws {
        var count = 0
        for (index, record) in try Self.recordsOfList().enumerated() {
            let version = Version(UInt64(index) + 1)
            for place in Self.places(in: record) {
                for text in Self.invalid {
                    let hostile = TestRecords.resealed(Self.replaced(record, at: place, by: text), version: version)
                    let problem = TestRecords.problem(hostile, version: version)
                    guard case .invalid(_, "UTF-8", _) = problem else {
                        Issue.record("byte \(place) of commit \(version), \(text): \(String(describing: problem))")
                        continue
                    }
                    count += 1
                }
            }
        }
        #expect(count > 15 * Self.invalid.count)
    }

    @Test("A packed block with a text that is no UTF-8 is refused when its records are read")
    func blocks() throws {
        var log = PackedLog(records: try Self.recordsOfList())
        try log.pack(BlockPacker.Options())
        var count = 0
        for (_, bytes) in log.blocks {
            let block = try PlainBlock(bytes)
            let parts = block.pieces.prefix(3).enumerated()
            for (part, place) in parts.flatMap({ part, bytes in Self.places(in: bytes).map { (part, $0) } }) {
                for text in Self.invalid {
                    var changed = block
                    changed.pieces[part] = Self.replaced(changed.pieces[part], at: place, by: text)
                    let hostile = changed.bytes()
                    var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
                    #expect(throws: RecordError.self, "byte \(place), \(text)") {
                        try hostile.withUnsafeBytes { bytes in
                            try PackedBlock(bytes).forEachRecord(with: &state) {
                                _ = try Commit(record: $1, version: $0)
                            }
                        }
                    }
                    count += 1
                }
            }
        }
        #expect(count > 5 * Self.invalid.count)
    }

    @Test("A checkpoint with a text that is no UTF-8 is refused, and a node with one is damaged")
    func checkpoints() throws {
        var stored = try Self.list()
        try stored.checkpoint()
        let (kept, nodes) = (stored.kept, stored.nodes)
        let checkpoint = try #require(kept.last).checkpoint
        var count = 0
        for place in Self.places(in: checkpoint.bytes) {
            for text in Self.invalid {
                let hostile = HostileNodeTests.resealed(
                    Self.replaced(checkpoint.bytes, at: place, by: text), checkpoint.version.rawValue)
                #expect(hostile.withUnsafeBytes { Checkpoint($0, version: checkpoint.version) } == nil)
                count += 1
            }
        }
        #expect(count == Self.invalid.count, "the origin has a history")
        for number in nodes.numbers {
            let bytes = try #require(nodes[number])
            for place in Self.places(in: bytes) {
                for text in Self.invalid {
                    nodes[number] = HostileNodeTests.resealed(Self.replaced(bytes, at: place, by: text), number)
                    let pool = NodePool(limits: TreeLimits(), source: nodes)
                    let ids = checkpoint.snapshot(pool).sections.flatMap { section in
                        [section.id] + section.items.map(\.id)
                    }
                    let damage = pool.damage
                    #expect(damage is NodeError && ids.contains("unreadable"), "node \(number), \(text)")
                    count += 1
                }
            }
            nodes[number] = bytes
        }
        #expect(count >= 5 * Self.invalid.count)
    }
}
