// Tests every limit of `Limits`: values just within it work, and values beyond it throw the error that is stated there.

@testable import ListModel
import TestSupport
import Testing

@Suite("Limits")
struct LimitTests {
    private static func row(_ number: Int) -> UntypedRow {
        UntypedRow(
            id: .integer(Int64(number)), isChecked: false,
            content: ContentReference(version: Version(1), offset: 0, length: 0, hash: 1))
    }

    private static func rows(_ range: Range<Int>) -> ListRun<UntypedRow> { ListRun(range.map(row))! }

    /// A list with the given limits, and a section of four rows.
    private static func state(rows: Int, sections: Int) throws -> ListState {
        var limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
        (limits.rows, limits.sections) = (rows, sections)
        var state = ListState(limits: limits)
        try state.apply(.sectionInserted(at: 0, ListSection(id: 0, title: "", items: (0..<4).map(row))))
        return state
    }

    /// Expects that an event is refused and does not change the state.
    private static func expectRefused(
        _ event: ListEvent, _ what: String, _ limit: UInt64, _ state: inout ListState,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = state.stateHash()
        var thrown: ListError?
        do { try state.apply(event) } catch let error as ListError { thrown = error }
        #expect(thrown == .limitReached(what: what, limit: limit), sourceLocation: location)
        #expect(state.stateHash() == before, sourceLocation: location)
        try state.checkInvariants()
    }

    @Test("A list can have the maximum number of rows, and no more")
    func rowLimit() throws {
        var state = try Self.state(rows: 10, sections: 9)
        try state.apply(.itemsInserted(at: ListIndexPath(0, 2), Self.rows(10..<15)))
        try Self.expectRefused(.itemsInserted(at: ListIndexPath(0, 0), Self.rows(20..<22)), "rows", 10, &state)
        try Self.expectRefused(
            .sectionInserted(at: 0, ListSection(id: 1, title: "", items: [Self.row(20), Self.row(21)])), "rows", 10,
            &state)
        try Self.expectRefused(
            .listReloaded(old: [], new: [ListSection(id: 1, title: "", items: (0..<11).map(Self.row))]), "rows", 10,
            &state)
        try state.apply(.itemsInserted(at: ListIndexPath(0, 0), .one(Self.row(20))))
        try Self.expectRefused(.itemsInserted(at: ListIndexPath(0, 0), .one(Self.row(21))), "rows", 10, &state)
        try state.apply(.sectionInserted(at: 0, ListSection(id: 1, title: "", items: [])))
        try state.apply(.itemsMoved(from: ListIndexPath(1, 0), to: ListIndexPath(0, 0), .one(20)))
        try state.apply(.itemsDeleted(at: ListIndexPath(0, 0), .one(Self.row(20))))
        try state.apply(.itemsInserted(at: ListIndexPath(0, 0), .one(Self.row(21))))
        try state.apply(.listReloaded(old: [], new: [ListSection(id: 1, title: "", items: (0..<10).map(Self.row))]))
        #expect(state.itemCount == 10)
        try state.checkInvariants()
    }

    @Test("A list can have the maximum number of sections, and no more")
    func sectionLimit() throws {
        var state = try Self.state(rows: 100, sections: 2)
        func section(_ number: Int) -> ListSection { ListSection(id: .integer(Int64(number)), title: "", items: []) }
        try state.apply(.sectionInserted(at: 0, section(1)))
        try Self.expectRefused(.sectionInserted(at: 0, section(2)), "sections", 2, &state)
        try Self.expectRefused(.listReloaded(old: [], new: (0..<3).map(section)), "sections", 2, &state)
        try state.apply(.listReloaded(old: [], new: (0..<2).map(section)))
        #expect(state.sectionCount == 2)
    }

    @Test("When no section number is left, all sections get new ones")
    func sectionNumbers() throws {
        var state = try Self.state(rows: 100, sections: 100)
        state.sectionNumberCount = Limits.sectionNumbers - 2
        for number in 1...5 {
            let rows = (0..<3).map { Self.row(number * 10 + $0) }
            let section = ListSection(id: .integer(Int64(number)), title: "\(number)", items: rows)
            try state.apply(.sectionInserted(at: number % 2, section))
            for row in rows { #expect(state.indexPath(of: row.id)?.section == number % 2) }
            #expect(state.indexPath(of: 2) != nil)
            try state.checkInvariants()
        }
        #expect(state.sectionCount == 6 && state.itemCount == 19 && state.sectionNumberCount < 10)
    }

    @Test("A row can have the maximum depth, and no more")
    func depth() throws {
        var state = try Self.state(rows: 100, sections: 100)
        try state.apply(.itemsIndented(at: ListIndexPath(0, 0), .one(0), by: Limits.depth))
        #expect(state.item(0)?.depth == Limits.depth)
        #expect(throws: ListError.depthOutOfRange(0, depth: Limits.depth + 1)) {
            try state.apply(.itemsIndented(at: ListIndexPath(0, 0), .one(0), by: 1))
        }
    }

    @Test("A log can have the maximum number of versions, and no more")
    func versions() throws {
        let log = MemoryLog()
        var state = ListState()
        state.version = Version(Limits.versions - 2)
        var editor = UntypedEditor(state, checksum: 5, source: log)
        let draft = CommitDraft(name: "", time: Timestamp(microseconds: 1), tracking: .untracked)
        let last = try editor.commit(draft) {
            try $0.insertSection(NewSection(id: 1, title: "", items: [NewRow(id: 1, content: [1])]))
        }
        #expect(last?.version == Version(Limits.versions - 1))
        #expect(editor.state.item(1)?.content.version == last?.version)
        let hash = editor.snapshot().stateHash
        #expect(throws: ListError.limitReached(what: "versions", limit: Limits.versions - 1)) {
            _ = try editor.commit(draft) { try $0.toggle(.item(1)) }
        }
        #expect(editor.snapshot().stateHash == hash && !editor.isEditing)
        var other = ListState()
        other.version = Version(Limits.versions - 2)
        let record = last!.record
        _ = try record.withUnsafeBytes { try other.replay($0, previousChecksum: 5) }
        #expect(throws: RecordError.self) {
            _ = try record.withUnsafeBytes { try other.replay($0, previousChecksum: last!.checksum) }
        }
    }

    @Test("A record can have the maximum number of bytes, and no more")
    func recordBytes() throws {
        var list = MemoryList()
        let commit = try list.commit { try $0.insertSection(NewSection(id: 1)) }
        let size = commit!.record.count
        list.editor.recordLimit = size
        try list.commit { try $0.insertSection(NewSection(id: 2)) }
        let hash = list.snapshot().stateHash
        list.editor.recordLimit = size - 1
        #expect(throws: ListError.commitTooLarge(bytes: size)) {
            try list.commit { try $0.insertSection(NewSection(id: 3)) }
        }
        #expect(list.snapshot().stateHash == hash)
        list.editor.recordLimit = Limits.recordBytes
        try list.commit { try $0.insertSection(NewSection(id: 3)) }
    }

    // MARK: Nodes

    private static func expectDamaged(
        _ kind: UInt8, count: Int, height: UInt8 = TreeChild<UntypedRow>.anyHeight, childCount: UInt32 = 1 << 30,
        _ body: (inout ByteWriter) -> Void = { _ in }, _ location: SourceLocation = #_sourceLocation
    ) {
        let child = TreeChild<UntypedRow>(
            node: nil, stored: 9, count: childCount, number: 1, hash: 5, lowestDepth: 0, height: height)
        var writer = ByteWriter()
        NodeCoding.begin(kind, count: count, &writer)
        body(&writer)
        NodeCoding.seal(9, &writer)
        let bytes = writer.withBytes { Array($0) }
        #expect(throws: NodeError.self, sourceLocation: location) { try child.node(bytes, TreeLimits()) }
    }

    @Test("Nodes with too many elements, too great heights or children with impossible numbers are damaged")
    func nodes() throws {
        Self.expectDamaged(0, count: Limits.nodeElements + 1)
        Self.expectDamaged(64 + 1, count: 1)
        for number in [Int64(Limits.placeNumbers), Int64(UInt32.max), -1, .min, .max] {
            Self.expectDamaged(1, count: 1) { writer in
                writer.write(delta: -1)
                writer.write(delta: number)
                writer.write(varint: 1)
                writer.write(fixed: UInt64(5))
            }
        }
        // More rows below a child than a list can have, and more than a leaf can have.
        for count in [UInt64(Limits.nodeElements) + 1, UInt64(Limits.rows) + 1, UInt64(UInt32.max)] {
            Self.expectDamaged(1, count: 1, childCount: UInt32(count)) { writer in
                writer.write(delta: -1)
                writer.write(delta: 1)
                writer.write(varint: count)
                writer.write(fixed: UInt64(5))
            }
        }
    }

    @Test("A checkpoint that runs out of stored numbers fails, and the list can still be edited")
    func storedNumbers() throws {
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(id: 1, title: "", items: [NewRow(id: 1, content: [])])) }
        for missing in [0, 1, 2] as [UInt64] {
            // Nodes of rows and of sections, after eight chunks and directories.
            let image = list.editor.state.captureCheckpoint(nextNumber: Limits.storedNumbers - 8 - missing)
            var numbers: [UInt64] = []
            var writer = CheckpointWriter(image) { number, _ in numbers.append(number) }
            if missing == 2 {
                let checkpoint = try writer.write(
                    eventCount: 1, work: 1, checksum: 1, after: nil, image.snapshot.tree.pool)
                #expect(checkpoint.lastNumber == Limits.storedNumbers - 1)
            } else {
                #expect(throws: NodeError.self) {
                    _ = try writer.write(eventCount: 1, work: 1, checksum: 1, after: nil, image.snapshot.tree.pool)
                }
            }
            #expect(numbers.allSatisfy { $0 < Limits.storedNumbers })
            list.editor.state.restore(image)
            try list.commit { try $0.toggle(.item(1)) }
            try list.editor.checkInvariants()
        }
    }

    @Test("A chunk of the index of any possible length is read; memory is not allocated for an impossible one")
    func equalEntries() throws {
        func nodes(_ kind: UInt8, _ count: Int, _ encode: (inout ByteWriter) -> Void) -> MemoryNodes {
            var writer = ByteWriter()
            NodeCoding.begin(kind, count: count, &writer)
            encode(&writer)
            NodeCoding.seal(1, &writer)
            let nodes = MemoryNodes()
            nodes[1] = writer.withBytes { Array($0) }
            NodeCoding.begin(NodeCoding.Kind.directory, count: 1, &writer)
            writer.write(delta: 1)
            NodeCoding.seal(2, &writer)
            nodes[2] = writer.withBytes { Array($0) }
            return nodes
        }
        func check(_ nodes: MemoryNodes, _ expected: [UInt64], isRight: Bool) {
            let store = NodePool(limits: TreeLimits(), source: nodes)
            let table = ChunkTable(
                kind: NodeCoding.Kind.indexChunk, fingerprintBits: 30, count: 1, directories: [2], store)
            #expect(Array(table.words(0)) == (isRight ? expected : []), "\(expected.count) entries")
            #expect((store.damage == nil) == isRight, "\(expected.count) entries")
        }
        for count in [Limits.equalEntries, (1 << 20) + 77] {
            for leaves in 1...2 as ClosedRange<UInt64> {
                let words = (0..<UInt64(count)).map { 7 << 32 | $0 * leaves / UInt64(count) }
                let nodes = nodes(NodeCoding.Kind.indexChunk, count) { writer in
                    words.withUnsafeBufferPointer { IndexChunkCoding.encode($0, 30, &writer) }
                }
                check(nodes, words, isRight: true)
            }
        }
        // Earlier releases wrote no bits for entries that are all the same.
        for count in [Limits.equalEntries, Limits.equalEntries + 1] {
            let nodes = nodes(NodeCoding.Kind.earlierIndexChunk, count) { writer in
                for byte: UInt8 in [32, 7, 3, 0, 0] { writer.write(byte: byte) }
            }
            check(nodes, [UInt64](repeating: 7 << 32 | 3, count: count), isRight: count == Limits.equalEntries)
        }
    }
}
