// The stored bytes of a checkpoint of one row, as Docs/Design/FileFormat.md says.
//
// The bytes were derived from that page and not copied from the library's output, in Python with the package xxhash. With
// X, le, item, section, state hash and checksum as in GoldenRecordTests, var(n) a varint and zz(n) a zigzag varint:
//
//     stored = lambda number, kind, count, body: (rest := bytes([kind]) + var(count) + body,
//                                                 struct.pack("<I", X(rest, number) & 0xFFFFFFFF) + rest)[1]
//     hash7 = X(struct.pack("<q", 7 // 64), 1) + (7 << 58)    # in a file of an earlier release X(struct.pack("<q", 7), 1)
//     fingerprint = lambda hash: hash >> 34    # >> 38 in a file of an earlier release
//     leaf = bytes([0]) + var(1) + bytes([0]) + zz(7) + zz(1) + zz(83) + var(16) + le(X(content, 4) % P)

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden nodes")
struct GoldenNodeTests {
    /// The stored bytes, by number, with the fingerprints of an earlier release.
    private static let nodes: [UInt64: [UInt8]] = [
        // A chunk of the index of rows: it has one entry, so all 26 bits of its fingerprint (193eb99) are common, up to
        // the maximum of 32 bits; its leaf has node number 0; the widths are 0.
        1: [0x2F, 0x8A, 0x76, 0xF8, 64, 1, 32, 0x99, 0xD7, 0xCF, 0x0C, 0, 0, 0],
        // The directory of that chunk, which has number 1.
        2: [0x25, 0x38, 0xDD, 0x84, 66, 1, 2],
        // A chunk of parents, 256 words: the node with node number 0 is the root of section 0.
        3: [0x23, 0xA2, 0x87, 0x12, 65, 0x80, 2, 0x80, 0x80, 0x80, 0x80, 8] + [UInt8](repeating: 0, count: 255),
        4: [0x48, 0xE5, 0x76, 0x2A, 66, 1, 6],
        // A chunk of the index of sections: fingerprints 157f2e9 (number 0, seed 8) and 2d67c46 (the id) have no lowest
        // bit in common; 25 bits each, the second less the first.
        5: [0x5F, 0x99, 0xAB, 0x1E, 64, 2, 0, 0, 0, 25, 0, 0xE9, 0xF2, 0x57, 0xBB, 0x12, 0xFD, 2],
        6: [0x36, 0x9E, 0x14, 0x64, 66, 1, 10],
        // The root of the sections has node number 0 as well, in a table of its own.
        7: [0xB2, 0x2C, 0xAB, 0x1C, 65, 0x80, 2, 0x80, 0x80, 0x80, 0x80, 8] + [UInt8](repeating: 0, count: 255),
        8: [0xE7, 0x6D, 0xBF, 0x0A, 66, 1, 14],
        // The leaf of rows: a run of one tag, 0; integer 7; version 1; offset 83; 16 bytes; the hash of the content.
        9: [
            0xF0, 0x7E, 0xF2, 0xC5, 0, 1, 0, 1, 0, 14, 2, 0xA6, 1, 16, 0x77, 0x29, 0x5E, 0x08, 0xD2, 0x1F, 0xDE, 0x07,
        ],
        // The leaf of sections: "today", "Today", number 0, one row, whose root is stored as 9, has node number 0, and
        // this hash.
        10: [
            0x77, 0x62, 0x12, 0x7D, 128, 1, 2, 5, 0x74, 0x6F, 0x64, 0x61, 0x79, 5, 0x54, 0x6F, 0x64, 0x61, 0x79, 0, 1,
            9,
            0, 0x42, 0xEA, 0x58, 0xE4, 0x2F, 0x06, 0xD9, 0x0C,
        ],
    ]

    /// One row; one event, one unit of work; the checksum of the commit; the state hash; numbers 10 to 10; the root is
    /// 10, with its hash. In the shared history, position, tip and newest revision are version 1, no branch was left,
    /// undo can go 1 step back and redo none forward, at depth 1. No origin has its own history; one section number is
    /// given, there is one section, node number 0.
    private static let checkpoint: [UInt8] = [
        0xBF, 0xFD, 0xEC, 0x36, 67, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
        0x8F, 0x86, 0xE0, 0x9C, 0xFE, 0x68, 0xA1, 0x4C, 0xA4, 0x59, 0x53, 0x25, 0x3D, 0xEF, 0x65, 0xCE,
        1, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0,
        0x53, 0x65, 0xA0, 0x95, 0xEC, 0x59, 0x7A, 0x01,
        1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0,
    ]

    /// One entry and two; a chunk of each kind; one node number each, in use, none free; the directories.
    private static let locators: [UInt8] = [
        0x13, 0x9D, 0x61, 0xEC, 68, 2, 1, 1, 1, 1, 1, 0, 1, 2, 1, 4, 2, 1, 1, 1, 1, 0, 1, 6, 1, 8,
    ]

    /// The chunks of new indexes, whose fingerprints have 30 bits.
    private static let newChunks: [UInt64: [UInt8]] = [
        // The fingerprint 0fb1dabf of row 7: of the family b1dabf, all 24 bits are common. The numbers 0, 0 and 15 have the
        // parameters 0, 0 and 4.
        1: [0xFE, 0xFC, 0x96, 0xB5, 78, 1, 30, 24, 0xBF, 0xB5, 0xC7, 5, 0, 0, 0, 0, 4, 0, 0x7F],
        // 2d67c46c and 157f2e91: 2d of the family 67c46c, and 15 of the family 7f2e91.
        5: [
            0xF7, 0x0A, 0x4E, 0xAD, 78, 2, 30, 0, 0, 0, 0, 21, 0, 5, 0, 0x64, 0x23, 0x3E, 0xB4, 0x59, 0xA2, 0x76, 0xAF,
        ],
    ]

    /// The chunks of an earlier release with fingerprints of 30 bits, 193eb997, and 157f2e91 and 2d67c46c.
    private static let earlierChunks: [UInt64: [UInt8]] = [
        1: [0xE2, 0x56, 0x9F, 0x6C, 64, 1, 32, 0x97, 0xF3, 0xFA, 0xC9, 1, 0, 0, 0],
        5: [0x6A, 0x30, 0x61, 0x2A, 64, 2, 0, 0, 0, 29, 0, 0x91, 0x2E, 0x7F, 0x75, 0xBB, 0x12, 0xFD, 2],
    ]

    /// Two salts of 0, the numbers of bits, and that there are families follow.
    private static let newLocators =
        [0xCD, 0xE3, 0x32, 0x68, 68, 5] + locators[6...] + [UInt8](repeating: 0, count: 16) + [30, 30, 1, 1]

    /// The same without families.
    private static let earlierLocators =
        [0x4D, 0x38, 0xDE, 0x06, 68, 4] + locators[6...] + [UInt8](repeating: 0, count: 16) + [30, 30]

    private static func stored(salt: UInt64 = 0) throws -> StoredList {
        var stored = StoredList(TreeLimits(), salt: salt)
        stored.list.log.append(try Commit(record: GoldenRecordTests.record, version: Version(1)))
        var state = ListState(stored.store)
        let checksum = try GoldenRecordTests.record.withUnsafeBytes { try state.replay($0, previousChecksum: 0) }
        stored.list.replace(state, checksum: checksum)
        try stored.checkpoint()
        return stored
    }

    @Test("A checkpoint stores exactly these bytes")
    func writing() throws {
        let stored = try Self.stored()
        #expect(stored.nodes.numbers == Self.nodes.keys.sorted())
        for (number, bytes) in Self.nodes.merging(Self.newChunks, uniquingKeysWith: { $1 }) {
            #expect(stored.nodes[number] == bytes, "number \(number)")
        }
        #expect(stored.kept[0].checkpoint.bytes == Self.checkpoint)
        #expect(stored.locators?.bytes(Version(1)) == Self.newLocators)
    }

    @Test("Locators with impossible numbers are damaged")
    func impossibleLocators() throws {
        func locators(_ ending: [UInt8]) -> StoredLocators? {
            var writer = ByteWriter()
            (Self.newLocators.dropLast(4) + ending).withUnsafeBytes { writer.write(raw: $0) }
            NodeCoding.seal(1, &writer)
            return writer.withBytes { StoredLocators($0, version: Version(1)) }
        }
        for bits: UInt8 in [0, 25, 33, 255] {
            #expect(locators([bits, 30, 1, 1]) == nil && locators([30, bits, 1, 1]) == nil, "\(bits)")
        }
        for flag: UInt8 in [2, 255] {
            #expect(locators([30, 30, flag, 1]) == nil && locators([30, 30, 1, flag]) == nil, "\(flag)")
        }
        let mixed = try #require(locators([26, 30, 0, 1]))
        #expect(mixed.items.fingerprintBits == 26 && mixed.sections.fingerprintBits == 30)
        #expect(!mixed.items.hashing.hasFamilies && mixed.sections.hashing.hasFamilies)
        #expect(mixed.bytes(Version(1)).suffix(4) == [26, 30, 0, 1])
    }

    @Test(
        "An index of an earlier release keeps its fingerprints when it is edited and stored again", arguments: [26, 30])
    func earlierFingerprints(earlierBits: Int) throws {
        var limits = TreeLimits()
        (limits.fingerprintBits, limits.hasFamilies) = (earlierBits, false)
        var stored = StoredList(limits)
        try stored.list.commit { list in
            try list.insertSection(NewSection(id: 0))
            try list.insert((0..<500).map { NewRow(id: .integer($0), content: []) }, at: .end(ofSection: 0))
        }
        try stored.checkpoint()
        stored.limits = TreeLimits()
        for first: Int64 in [500, 1_000] {
            try stored.reopen()
            try stored.list.commit { list in
                try list.insert(
                    (first..<first + 500).map { NewRow(id: .integer($0), content: []) }, at: .end(ofSection: 0))
                try list.delete(.item(.integer(first / 2)))
            }
            try stored.checkpoint()
            let bits = stored.locators.map { [$0.items.fingerprintBits, $0.sections.fingerprintBits] }
            #expect(bits == [earlierBits, earlierBits])
            #expect(stored.locators?.items.hashing.hasFamilies == false)
        }
        try stored.reopen()
        for id: Int64 in 0..<1_500 {
            let isThere = stored.list.editor.state.indexPath(of: .integer(id)) != nil
            #expect(isThere != [250, 500].contains(id), "\(id)")
        }
        try stored.list.editor.checkInvariants()
    }

    /// Who has written the bytes.
    enum Release: CaseIterable { case first, earlier, newest }

    @Test(
        "These bytes are read as the list that was stored, and its row is found by id, by whichever release",
        arguments: Release.allCases)
    func reading(release: Release) throws {
        let (chunks, row): ([UInt64: [UInt8]], [UInt8]) =
            switch release {
            case .first: ([:], Self.locators)
            case .earlier: (Self.earlierChunks, Self.earlierLocators)
            case .newest: (Self.newChunks, Self.newLocators)
            }
        let nodes = MemoryNodes()
        for (number, bytes) in Self.nodes { nodes[number] = chunks[number] ?? bytes }
        let checkpoint = try #require(Self.checkpoint.withUnsafeBytes { Checkpoint($0, version: Version(1)) })
        let locators = try #require(row.withUnsafeBytes { StoredLocators($0, version: Version(1)) })
        let store = NodePool(limits: TreeLimits(), source: nodes)
        var state = ListState(checkpoint, locators, store)
        #expect(state.indexPath(of: 7) == ListIndexPath(section: 0, item: 0))
        #expect(state.indexPath(of: 8) == nil)
        #expect(state.indexOfSection("today") == 0)
        let rows = try ReferenceList(state.snapshot(), ArraySource(records: [GoldenRecordTests.record]))
        #expect(rows == (try Self.stored().kept[0].rows))
        #expect(store.damage == nil)
        try state.checkInvariants()
    }

    @Test("The salts of an index are stored with it, and its entries are hashed with them")
    func salts() throws {
        var stored = try Self.stored(salt: 0x0123_4567_89AB_CDEF)
        let locators = stored.locators!
        let salt: [UInt8] = [0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01]
        let bytes = locators.bytes(Version(1))
        let expected: [UInt8] = Self.newLocators[4..<26] + salt + salt + Self.newLocators.suffix(4)
        #expect(Array(bytes.dropFirst(4)) == expected)
        #expect(stored.nodes[1] != Self.newChunks[1] && stored.nodes[9] == Self.nodes[9])
        try stored.reopen()
        #expect(stored.list.editor.state.indexPath(of: 7) == ListIndexPath(section: 0, item: 0))
        #expect(stored.list.editor.state.indexPath(of: 8) == nil)
        try stored.list.editor.checkInvariants()
        // All that follows complete locators must be there; anything else is damage.
        for length in 26..<bytes.count {
            var writer = ByteWriter()
            bytes[..<length].withUnsafeBytes { writer.write(raw: $0) }
            NodeCoding.seal(1, &writer)
            #expect(writer.withBytes { StoredLocators($0, version: Version(1)) } == nil)
        }
    }

    @Test("A checkpoint of an impossible version is damaged")
    func impossibleVersions() {
        for version in [Version(1 << 48), Version((1 << 63) + 5), Version(.max)] {
            var writer = ByteWriter()
            Self.checkpoint[..<70].withUnsafeBytes { writer.write(raw: $0) }
            for _ in 0..<7 { writer.write(varint: version.rawValue) }
            Self.checkpoint[77...].withUnsafeBytes { writer.write(raw: $0) }
            NodeCoding.seal(version.rawValue, &writer)
            #expect(writer.withBytes { Checkpoint($0, version: version) } == nil)
            // The same bytes with a possible version are a checkpoint.
            writer.truncate(to: 70)
            for _ in 0..<7 { writer.write(varint: 9) }
            Self.checkpoint[77...].withUnsafeBytes { writer.write(raw: $0) }
            NodeCoding.seal(9, &writer)
            #expect(writer.withBytes { Checkpoint($0, version: Version(9)) } != nil)
        }
    }

    @Test("A checkpoint with impossible totals is damaged")
    func impossibleTotals() throws {
        let known = try #require(Self.checkpoint.withUnsafeBytes { Checkpoint($0, version: Version(1)) })
        let limit: UInt64 = 1 << 62
        for (events, work) in [(0, 0), (limit - 1, limit - 1), (limit, 0), (0, limit), (0, UInt64.max)] {
            let other = Checkpoint(
                version: known.version, eventCount: events, work: work, checksum: known.checksum,
                histories: known.histories, stateHash: known.stateHash, itemCount: known.itemCount,
                firstNumber: known.firstNumber, lastNumber: known.lastNumber,
                sectionNumberCount: known.sectionNumberCount, top: known.top)
            let isPossible = max(events, work) < limit
            #expect((other.bytes.withUnsafeBytes { Checkpoint($0, version: known.version) } != nil) == isPossible)
        }
    }
}
