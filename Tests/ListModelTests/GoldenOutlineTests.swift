// The bytes of outlines in the formats, as Docs/Design/FileFormat.md says: a commit, its packed columns, and nodes.
//
// The bytes were derived by hand from that page and not copied from the library's output. The hashes were computed in
// Python from the specification of XXH64 and with the integers of the language, as in GoldenRecordTests.swift:
//
//     row = (X(id) % P + X(content, 4) % P + 0x0C0FFEE012345677 * checked + 0x0DECADE089ABCDEF * collapsed
//            + 0x0FACADE0FEDCBA97 * depth) % P
//     rows = (row7 * B + row8) % P        # 7: "A", expanded; 8: "B", checked, at depth 2

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden outline")
struct GoldenOutlineTests {
    private static let record: [UInt8] = [
        // 0: checksum; 8: link, format, cause, flags
        0x64, 0x2D, 0x4C, 0xD5, 0xA6, 0x6D, 0x97, 0x76, 0, 0, 0, 0, 2, 0, 0, 0,
        // 16: state hash; 24: time
        0x6F, 0x1A, 0x93, 0x68, 0x26, 0xA3, 0x3C, 0xAC, 0x00, 0x40, 0x1E, 0x18, 0x24, 0x0A, 0x06, 0x00,
        // 32: number of events; 36: 1 step; 40: the first revision of a history; 45: "Plan", no origin
        4, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 4, 0x50, 0x6C, 0x61, 0x6E, 0,
        // 51: section inserted, at index 0, "s" without a title and rows
        6, 0, 2, 1, 0x73, 0, 0,
        // 58: items inserted, at section 0, row 0; 2 rows
        1, 0, 0, 2,
        // 62: an integer and a place in an outline (0 + 4): depth 0 and collapsed; 7; one byte, unchecked: "A"
        4, 0 * 2 + 1, 14, 4, 0x41,
        // 67: the same: depth 1 and expanded; 8; one byte, checked: "B"
        4, 1 * 2 + 0, 16, 5, 0x42,
        // 72: items indented (11), at section 0, row 1; by 1, zigzag 2; 1 row: 8
        11, 0, 1, 2, 1, 0, 16,
        // 79: item collapsed (12), at section 0, row 0: 7, expanded
        12, 0, 0, 0, 14, 0,
    ]

    private static func edit(_ editor: inout UntypedEditor) throws {
        try editor.insertSection(NewSection(id: "s"))
        let items = [
            NewRow(id: 7, content: [0x41], isCollapsed: true),
            NewRow(id: 8, isChecked: true, content: [0x42], depth: 1),
        ]
        try editor.insert(items, at: .end(ofSection: "s"))
        try editor.changeDepth(of: .item(8), by: 1)
        try editor.expand(7)
    }

    @Test("The editor writes exactly these bytes")
    func writing() throws {
        var list = MemoryList()
        let draft = CommitDraft(name: "Plan", time: Timestamp(microseconds: 1_700_000_000_000_000))
        let made = try list.editor.commit(draft) { try Self.edit(&$0) }
        #expect(try #require(made).record == Self.record)
    }

    @Test("A replay of these bytes gives the rows and the stated hash, and a backward replay removes them")
    func replaying() throws {
        var state = ListState()
        _ = try Self.record.withUnsafeBytes { try state.replay($0, previousChecksum: 0, check: .everyHash) }
        let items = state.snapshot().sections[0].items
        #expect(items.map(\.id) == [7, 8] && items.map(\.isChecked) == [false, true])
        #expect(items.map(\.depth) == [0, 2] && items.map(\.isCollapsed) == [false, false])
        let commit = try Commit(record: Self.record, version: Version(1))
        for event in try commit.events().reversed() { try state.apply(#require(event.inverse)) }
        #expect(state.sectionCount == 0)
    }

    @Test("A packed block has the depths in its columns, and rebuilds the record")
    func packing() throws {
        var log = PackedLog(records: [Self.record])
        try log.pack(BlockPacker.Options())
        let bytes = try #require(log.blocks.first).bytes
        let block = try PlainBlock(bytes)
        let events = block.pieces[1]
        // kinds: section inserted, rows inserted, indented, collapsed.
        #expect(events.starts(with: [4, 6, 1, 11, 12]))
        // identifierKinds: a string; then an integer collapsed at depth 0: 0 + 4 · 1, and one at depth 1: 0 + 4 · 2.
        #expect(block.pieces[0].starts(with: [3, 2, 4, 8]))
        // The only destination: by how much deeper, in zigzag. After it are the tags of the contents.
        #expect(events.contains([1, 2, 2, 0, 1]))
        try bytes.withUnsafeBytes { bytes in
            var state = ListState()
            try PackedBlock(bytes).forEachRecord(with: &state) { _, record in #expect(record == Self.record) }
        }
    }

    // MARK: Nodes

    private static let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    private static func bytes<Element: TreeElement>(_ node: TreeNode<Element>, _ children: [UInt64], _ number: UInt64)
        -> [UInt8]
    {
        var writer = ByteWriter()
        NodeCoding.encode(node, children: children[...], number: number, &writer) { _ in nil }
        return writer.withBytes { Array($0) }
    }

    @Test("A leaf has the places of its rows in an outline")
    func leaf() throws {
        let hashes: [[UInt8]] = [
            [0x8E, 0x5A, 0xD2, 0xE1, 0x4B, 0x08, 0x74, 0x01], [0x69, 0xE1, 0x26, 0xFD, 0x61, 0x70, 0x07, 0x0A],
        ]
        var expected: [UInt8] = [
            // checksum with the number 5; leaf of rows, 2 rows; tags: outline; outline, same length, next id, checked
            0xC3, 0xDE, 0x27, 0xC8, 0, 2, 64, 1, 64 + 16 + 2 + 1, 1,
            // integer 7; version 1 more than 0, offset 60 more than 0, length 1
            0, 14, 2, 120, 1,
        ]
        expected += hashes[0]
        // depth 0 and collapsed; the same version; offset 65 instead of 61
        expected += [1, 0, 8]
        expected += hashes[1]
        // depth 2 and expanded
        expected.append(4)
        func content(_ offset: UInt32, _ index: Int) -> ContentReference {
            let hash = hashes[index].withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
            return ContentReference(version: Version(1), offset: offset, length: 1, hash: hash)
        }
        let rows = [
            UntypedRow(id: 7, isChecked: false, content: content(60, 0), isCollapsed: true),
            UntypedRow(id: 8, isChecked: true, content: content(65, 1), depth: 2),
        ]
        let leaf = TreeNode<UntypedRow>.make(height: 0, width: 4, number: 1)
        leaf.elements.initialize(from: rows, count: 2)
        leaf.count = 2
        #expect(Self.bytes(leaf, [], 5) == expected)
        var child = TreeChild(summarizing: leaf)
        child.seal()
        child.node = nil
        child.stored = 5
        let read = try child.node(expected, Self.limits)
        #expect((0..<read.count).map { read.elements[$0] } == rows)
        #expect(read.elements[1].depth == 2 && read.elements[0].isCollapsed)
        // A parent that states a greater lowest depth does not fit.
        child.lowestDepth = 1
        #expect(throws: NodeError.self) { try child.node(expected, Self.limits) }
    }

    @Test("An inner node has the lowest depth below each child, if one is above 0")
    func inner() throws {
        func node(_ depths: (UInt8, UInt8)) -> TreeNode<UntypedRow> {
            let node = TreeNode<UntypedRow>.make(height: 1, width: 4, number: 3)
            let children = [
                TreeChild<UntypedRow>(
                    node: nil, stored: 3, count: 2, number: 1, hash: 0x123, lowestDepth: depths.0, height: 0),
                TreeChild<UntypedRow>(
                    node: nil, stored: 4, count: 1, number: 2, hash: 0x456, lowestDepth: depths.1, height: 0),
            ]
            node.children.initialize(from: children, count: 2)
            node.count = 2
            return node
        }
        let expected: [UInt8] = [
            // checksum with the number 9; height 1 and depths, 2 children
            0xCD, 0xEB, 0x76, 0xA8, 1 + 32, 2,
            // number 6 less than this one, node number 1, 2 rows, their hash, depth 0
            11, 2, 2, 0x23, 0x01, 0, 0, 0, 0, 0, 0, 0,
            // number 1 more than that one, node number 2, 1 row, its hash, depth 5
            2, 2, 1, 0x56, 0x04, 0, 0, 0, 0, 0, 0, 5,
        ]
        #expect(Self.bytes(node((0, 5)), [3, 4], 9) == expected)
        // Without depths there is neither the bit nor the bytes.
        let flat = Self.bytes(node((0, 0)), [3, 4], 9)
        #expect(flat[4] == 1 && flat.count == expected.count - 2)
        var child = TreeChild(summarizing: node((0, 5)))
        child.seal()
        child.node = nil
        child.stored = 9
        let read = try child.node(expected, Self.limits)
        #expect(read.children[0].lowestDepth == 0 && read.children[1].lowestDepth == 5)
    }
}
