// One commit, byte for byte, as the layout in Log/RecordHeader.swift and Log/EventCoding.swift says.
//
// The bytes were derived by hand from that layout and not copied from the library's output. The two hashes in them were
// computed in Python, with the package xxhash and the integers of the language, P being 2⁶¹ − 1:
//
//     X = lambda bytes, seed: xxhash.xxh64_intdigest(bytes, seed=seed)
//     le = lambda value: struct.pack("<Q", value)
//     item = (X(le(7), 1) % P + X(b'{"title":"Milk"}', 4) % P) % P    # id, then content; no checkmark
//     rows = item                                                     # the polynomial of one row is its hash
//     section = X(le(X(b"today", 3)) + le(X(b"Today", 5)) + le(1) + le(rows), 6) % P
//     state hash = X(le(1) + le(section), 7)                          # how many sections, and their polynomial
//     checksum = X(record[8:], 1)                                     # the seed is the version

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden record")
struct GoldenRecordTests {
    static let record: [UInt8] = [
        // 0: checksum
        0x8F, 0x86, 0xE0, 0x9C, 0xFE, 0x68, 0xA1, 0x4C,
        // 8: link; there is no commit before
        0, 0, 0, 0,
        // 12: format, cause (edit), flags
        2, 0, 0, 0,
        // 16: state hash, ce65ef3d255359a4
        0xA4, 0x59, 0x53, 0x25, 0x3D, 0xEF, 0x65, 0xCE,
        // 24: time, 1,700,000,000,000,000 µs = 0x00060A24181E4000
        0x00, 0x40, 0x1E, 0x18, 0x24, 0x0A, 0x06, 0x00,
        // 32: number of events
        2, 0, 0, 0,
        // 36: undo can go 1 step back
        1, 0, 0, 0,
        // 40: an edit has no target; the parent is 1 version back, and so is the jump; depth 1; no revision in between;
        // a branch was left 1 version back, at version 0, which means never
        1, 1, 1, 0, 1,
        // 45: name, 8 bytes: "Add milk"
        8, 0x41, 0x64, 0x64, 0x20, 0x6D, 0x69, 0x6C, 0x6B,
        // 54: origin, 5 bytes: "phone"
        5, 0x70, 0x68, 0x6F, 0x6E, 0x65,
        // 60: section inserted (6), at index 0
        6, 0,
        // 62: its id, a string (2) of 5 bytes: "today"
        2, 5, 0x74, 0x6F, 0x64, 0x61, 0x79,
        // 69: its title, 5 bytes: "Today"; it has 0 rows
        5, 0x54, 0x6F, 0x64, 0x61, 0x79, 0,
        // 76: items inserted (1), at section 0, row 0; 1 row
        1, 0, 0, 1,
        // 80: its id, an integer (0): 7, zigzag 14
        0, 14,
        // 82: its content: 16 bytes · 4, not a reference (2), not checked (1)
        64,
        // 83: {"title":"Milk"}
        0x7B, 0x22, 0x74, 0x69, 0x74, 0x6C, 0x65, 0x22, 0x3A, 0x22, 0x4D, 0x69, 0x6C, 0x6B, 0x22, 0x7D,
    ]

    private static let content = Array("{\"title\":\"Milk\"}".utf8)
    private static let time = Timestamp(microseconds: 1_700_000_000_000_000)

    @Test("The editor writes exactly these bytes")
    func writing() throws {
        var list = MemoryList()
        let made = try list.editor.commit(CommitDraft(name: "Add milk", origin: "phone", time: Self.time)) { editor in
            try editor.insertSection(NewSection(id: "today", title: "Today"))
            try editor.insert(NewRow(id: 7, content: Self.content), at: .section("today", at: 0))
        }
        let commit = try #require(made)
        #expect(commit.record == Self.record)
        #expect(commit.checksum == 0x4CA1_68FE_9CE0_868F)
        #expect(commit.stateHash.description == "ce65ef3d255359a4")
        #expect(commit.eventsOffset == 60)
    }

    @Test("These bytes are read as that commit")
    func reading() throws {
        let commit = try Commit(record: Self.record, version: Version(1), previousChecksum: 0)
        #expect(commit.name == "Add milk")
        #expect(commit.origin == "phone")
        #expect(commit.cause == .edit)
        #expect(commit.time == Self.time)
        #expect(commit.stateHash == StateHash(rawValue: 0xCE65_EF3D_2553_59A4))
        let history = try #require(commit.history)
        #expect(history.position == Version(1) && history.tip == Version(1) && history.newest == Version(1))
        #expect(history.undoCount == 1 && history.redoCount == 0 && history.switched == .empty)
        #expect(commit.scope == .shared && !commit.isDiscardable && !commit.continuesStep)
        let events = try commit.events()
        try #require(events.count == 2)
        let today = ListSection(id: "today", title: "Today", items: [])
        #expect(events[0] == .sectionInserted(at: 0, today))
        guard case .itemsInserted(let path, .one(let item)) = events[1] else {
            Issue.record("the second event is \(events[1])")
            return
        }
        #expect(path == ListIndexPath(section: 0, item: 0))
        #expect(item.id == 7 && !item.isChecked)
        #expect(item.content.version == Version(1) && item.content.offset == 83 && item.content.length == 16)
    }

    @Test("A replay of these bytes gives the list and the stated hash")
    func replaying() throws {
        var state = ListState()
        let checksum = try Self.record.withUnsafeBytes {
            try state.replay($0, previousChecksum: 0, check: .everyHash)
        }
        #expect(checksum == 0x4CA1_68FE_9CE0_868F)
        let snapshot = state.snapshot()
        let reference = try ReferenceList(snapshot, ArraySource(records: [Self.record]))
        #expect(
            reference.sections == [
                ReferenceSection(
                    id: "today", title: "Today",
                    items: [
                        ReferenceItem(id: 7, isChecked: false, content: Self.content)
                    ])
            ])
    }
}
