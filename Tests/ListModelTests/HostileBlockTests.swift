// Tests blocks that were damaged, or made by an attacker: any bytes, with a right checksum.

@testable import ListModel
import TestSupport
import Testing

@Suite("Hostile packed blocks")
struct HostileBlockTests {
    /// The outcomes of the ways of reading a hostile block.
    private struct Outcomes {
        var refused = 0
        /// Refused while it was replayed.
        var stopped = 0
        var replayed = 0
        var proven = 0
        var found = 0
    }

    /// A block, and the log around it.
    private struct Subject {
        var bytes: [UInt8]
        /// The records before it.
        var before: [[UInt8]]
        /// The contents in it.
        var contents: [ContentReference]
    }

    /// Reads a block in every way; rethrows any error but the two typed ones.
    private static func read(_ bytes: [UInt8], like subject: Subject, _ outcomes: inout Outcomes) throws {
        let before = subject.before
        try bytes.withUnsafeBytes { bytes in
            let block: PackedBlock
            do { block = try PackedBlock(bytes) } catch is RecordError {
                outcomes.refused += 1
                return
            }
            var state = try PackedLog(records: before).state(at: Version(UInt64(before.count)))
            do {
                try block.replay(into: &state)
                // An accepted block gives a valid list.
                try state.checkInvariants()
                _ = state.stateHash()
                outcomes.replayed += 1
            } catch  where error is RecordError || error is ListError {
                outcomes.stopped += 1
            }
            state = try PackedLog(records: before).state(at: Version(UInt64(before.count)))
            do {
                try block.forEachRecord(with: &state) { version, record in
                    // The record is well-formed, whatever its values are.
                    _ = try Commit(record: record, version: version)
                }
                outcomes.proven += 1
            } catch is RecordError {} catch is ListError {}
            state = try PackedLog(records: before).state(at: Version(UInt64(before.count)))
            do {
                var reversal = PackedReversal(from: state.snapshot(), to: state.version, pieceCount: 4)
                if try reversal.read(block, through: block.last) {
                    try block.replay(into: &state)
                    try reversal.apply(to: &state)
                    try state.checkInvariants()
                }
            } catch  where error is RecordError || error is ListError {}
            do { try block.forEachHeader { _ in } } catch is RecordError {}
            do { try block.forEachIdentifier { _ in } } catch is RecordError {}
            for reference in subject.contents {
                do {
                    let count = try block.withContent(of: reference) { $0.count }
                    #expect(count == Int(reference.length))
                    outcomes.found += 1
                } catch is RecordError {}
            }
        }
    }

    /// The second block of a log.
    private static func block(_ seed: UInt64) throws -> Subject {
        var log = try PackedLog(seed: seed, commits: 40)
        try log.pack(BlockPacker.Options(commitCount: 20))
        let (first, bytes) = log.blocks[1]
        var contents: [ContentReference] = []
        for number in first.rawValue..<first.rawValue + 20 {
            let commit = try Commit(record: log.record(of: Version(number)), version: Version(number))
            contents += try commit.events().flatMap(\.references).filter { $0.version == commit.version }
        }
        return Subject(bytes: bytes, before: Array(log.records[..<(Int(first.rawValue) - 1)]), contents: contents)
    }

    @Test("A block truncated at any byte is refused", arguments: 1...3 as ClosedRange<UInt64>)
    func truncation(seed: UInt64) throws {
        let subject = try Self.block(seed)
        let bytes = subject.bytes
        for count in 0..<bytes.count {
            Array(bytes[..<count]).withUnsafeBytes { bytes in
                _ = #expect(throws: RecordError.self) { try PackedBlock(bytes) }
            }
        }
        // The same with a right checksum: it is read as far as possible.
        var outcomes = Outcomes()
        for count in stride(from: 0, to: bytes.count, by: bytes.count > 4_000 ? 7 : 1) {
            try Self.read(PackedBlock.resealed(Array(bytes[..<count])), like: subject, &outcomes)
        }
        #expect(outcomes.refused > 0 && outcomes.proven == 0, "\(outcomes)")
    }

    @Test("No more bytes of records are rebuilt than the block says that it has, also of commits without events")
    func recordBytes() throws {
        let log = MemoryLog()
        var editor = UntypedEditor(ListState(), source: log)
        let name = String(repeating: "x", count: 1_000)
        func draft() -> CommitDraft { CommitDraft(name: name, time: Timestamp(microseconds: 0)) }
        let section = NewSection(id: "a", items: [NewRow(id: 1, content: [1])])
        log.append(try #require(try editor.commit(draft()) { try $0.insertSection(section) }))
        for _ in 0..<2 { log.append(try #require(try editor.commit(draft()) { try $0.toggle(.item(1)) })) }
        // Both have the same rows, so going from one to the other has no event.
        for number in 0..<40 {
            let target = Version(number % 2 == 0 ? 1 : 3)
            log.append(try #require(try editor.go(to: target, time: Timestamp(microseconds: 0)).commit))
        }
        var packed = PackedLog(records: (1...log.head.rawValue).map { log.record(of: Version($0)) })
        try packed.pack(BlockPacker.Options())
        var bytes = packed.blocks[0].bytes
        let stated = 20_000
        bytes.replaceSubrange(48..<52, with: withUnsafeBytes(of: UInt32(stated).littleEndian) { Array($0) })
        var rebuilt = 0
        try PackedBlock.resealed(bytes).withUnsafeBytes { bytes in
            let block = try PackedBlock(bytes)
            #expect(block.recordBytes == stated)
            var state = ListState()
            _ = #expect(throws: RecordError.self) {
                try block.forEachRecord(with: &state) { rebuilt += $1.count }
            }
        }
        #expect(rebuilt > stated / 2 && rebuilt <= stated, "\(rebuilt) bytes")
    }

    @Test("A block with any bit flipped is refused for its checksum")
    func bitFlips() throws {
        let bytes = try Self.block(4).bytes
        for bit in stride(from: 0, to: bytes.count * 8, by: 3) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            damaged.withUnsafeBytes { bytes in
                let error = #expect(throws: RecordError.self) { try PackedBlock(bytes) }
                guard case .checksum = error?.problem else {
                    Issue.record("bit \(bit): \(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test("A block with one byte replaced and a right checksum is refused or read, without a crash", arguments: 1...8)
    func singleBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let subject = try Self.block(seed)
        let bytes = subject.bytes
        // Most changes of compressed bytes are noticed when they are unpacked; changing the others reaches more code.
        let plain = try PlainBlock(bytes)
        var outcomes = Outcomes()
        func change(_ bytes: inout [UInt8], _ offset: Int) {
            bytes[offset] =
                [0, 1, 0x7F, 0x80, 0xFF, bytes[offset] ^ 1, UInt8.random(in: 0...255, using: &generator)]
                .randomElement(using: &generator)!
        }
        for round in 0..<500 * Soak.factor {
            var (hostile, changed) = (bytes, plain)
            if round % 8 == 0 {
                change(&hostile, Int.random(in: 8..<bytes.count, using: &generator))
                hostile = PackedBlock.resealed(hostile)
            } else {
                changed.change(at: Int.random(in: 0..<plain.count, using: &generator), change)
                hostile = changed.bytes()
            }
            if hostile == bytes { continue }
            do { try Self.read(hostile, like: subject, &outcomes) } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
        }
        #expect(outcomes.refused + outcomes.stopped > 0 && outcomes.replayed > 0 && outcomes.found > 0, "\(outcomes)")
    }

    @Test("A block with bytes removed, doubled and inserted at random never causes a crash", arguments: 1...6)
    func randomDamage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: ~seed)
        let subject = try Self.block(seed)
        let plain = try PlainBlock(subject.bytes)
        var outcomes = Outcomes()
        for round in 0..<300 * Soak.factor {
            var hostile = plain
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                hostile.change(at: Int.random(in: 0..<plain.count, using: &generator)) { bytes, offset in
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes.removeSubrange(offset..<min(bytes.count, offset + 3))
                    case 1: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + 9)], at: offset)
                    default: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
            }
            do { try Self.read(hostile.bytes(), like: subject, &outcomes) } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
        }
    }

    @Test("A block with a number of up to 2⁶⁴ − 1 at any place is refused or read, without a crash")
    func greatNumbers() throws {
        let subject = try Self.block(2)
        let plain = try PlainBlock(subject.bytes)
        var outcomes = Outcomes()
        let step = Soak.isEnabled ? 1 : 3
        for offset in stride(from: 0, to: plain.count, by: step) {
            let number = HostileNodeTests.greatNumbers[offset / step % HostileNodeTests.greatNumbers.count]
            var hostile = plain
            hostile.change(at: offset) { $0.replaceSubrange($1...$1, with: number) }
            do { try Self.read(hostile.bytes(), like: subject, &outcomes) } catch {
                Issue.record("byte \(offset): \(error)")
            }
        }
        #expect(outcomes.refused + outcomes.stopped > 50, "\(outcomes)")
    }

    @Test("The numbers that a block states are checked before memory is allocated for them")
    func claims() throws {
        let subject = try Self.block(1)
        let bytes = subject.bytes
        var outcomes = Outcomes()
        // First version, number of commits, of events, of bytes, the format.
        for (offset, size) in [(8, 8), (40, 4), (44, 4), (48, 4), (52, 1)] {
            var hostile = bytes
            for index in offset..<offset + size { hostile[index] = 0xFF }
            try Self.read(PackedBlock.resealed(hostile), like: subject, &outcomes)
        }
        #expect(outcomes.refused == 5)
        // The most events and bytes that are allowed: reading ends with the columns or with the budget.
        var hostile = bytes
        hostile.replaceSubrange(44..<48, with: [0, 0, 2, 0])
        hostile.replaceSubrange(48..<52, with: [0, 0, 0x80, 0])
        outcomes = Outcomes()
        try Self.read(PackedBlock.resealed(hostile), like: subject, &outcomes)
        #expect(outcomes.refused == 0 && outcomes.proven == 0)
        // The most commits: their headers are missing.
        hostile.replaceSubrange(40..<44, with: [0, 0, 1, 0])
        outcomes = Outcomes()
        try Self.read(PackedBlock.resealed(hostile), like: subject, &outcomes)
        #expect(outcomes.refused == 1)
    }

    @Test("A block that states other sizes than its records have is refused when they are read")
    func otherSizes() throws {
        let subject = try Self.block(1)
        for (offset, what) in [(44, "events"), (48, "bytes")] {
            for change in [1, -1] as [Int32] {
                var hostile = subject.bytes
                hostile.withUnsafeMutableBytes { bytes in
                    let value = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                    bytes.storeBytes(of: value + change, toByteOffset: offset, as: Int32.self)
                }
                var state = try PackedLog(records: subject.before).state(at: Version(UInt64(subject.before.count)))
                PackedBlock.resealed(hostile).withUnsafeBytes { bytes in
                    #expect(throws: RecordError.self, "\(change) \(what)") {
                        try PackedBlock(bytes).forEachRecord(with: &state) { _, _ in }
                    }
                }
            }
        }
    }

    @Test("Values that no writer writes are refused, also if the record would be the same")
    func unwritten() throws {
        var log = PackedLog(records: [GoldenRecordTests.record])
        try log.pack(BlockPacker.Options())
        let plain = try PlainBlock(log.blocks[0].bytes)
        /// Replaces some bytes of a piece, which occur in it once.
        func refuses(_ piece: Int, _ old: [UInt8], by new: [UInt8]) throws {
            var hostile = plain
            let places = hostile.pieces[piece].indices.filter { hostile.pieces[piece][$0...].starts(with: old) }
            try #require(places.count == 1)
            hostile.pieces[piece].replaceSubrange(places[0]..<places[0] + old.count, with: new)
            hostile.bytes().withUnsafeBytes { bytes in
                var state = ListState()
                var rebuilt = ListState()
                #expect(throws: RecordError.self, "\(new)") { try PackedBlock(bytes).replay(into: &state) }
                #expect(throws: RecordError.self, "\(new)") {
                    try PackedBlock(bytes).forEachRecord(with: &rebuilt) { _, _ in }
                }
            }
        }
        // The kinds of the ids of the section and of the row; the id of the row.
        let identifiers: [UInt8] = [2, 2, 0, 1, 14]
        try refuses(0, identifiers, by: [2, 2, 3, 1, 14])
        try refuses(0, identifiers, by: [2, 6, 0, 1, 14])
        try refuses(0, identifiers, by: [3, 2, 0x80, 4, 1, 14])
        // The tag of its content, before columns without a value.
        try refuses(1, [1, 0, 0, 0, 0, 0, 0], by: [1, 4, 0, 0, 0, 0, 0])
        // One content more than the events have.
        try refuses(3, [1, 1, 2, 0xA6, 0x01, 1, 32], by: [1, 2, 2, 0xA6, 0x01, 2, 32, 0])
    }

    @Test("Few bytes cannot ask for many strings, contents or events")
    func bombs() throws {
        let subject = try Self.block(1)
        let plain = try PlainBlock(subject.bytes)
        func refusal(_ change: (inout PlainBlock) -> Void) throws -> RecordError? {
            var hostile = plain
            change(&hostile)
            // The most bytes of records that a block may state.
            hostile.header.replaceSubrange(48..<52, with: [0, 0, 0x80, 0])
            var state = try PackedLog(records: subject.before).state(at: Version(UInt64(subject.before.count)))
            return hostile.bytes().withUnsafeBytes { bytes in
                #expect(throws: RecordError.self) {
                    try PackedBlock(bytes).forEachRecord(with: &state) { _, _ in }
                }
            }
        }
        /// A part in which a column has other bytes.
        func part(_ part: PackedPart, _ columns: [PackedColumn: [UInt8]]) -> [UInt8] {
            var writer = ColumnWriter()
            for (column, bytes) in columns { bytes.withUnsafeBytes { writer.put(column, bytes: $0) } }
            return writer.plain(part)
        }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let strings = try refusal { $0.pieces[2] = part(.headers, [.strings: zeros]) }
        #expect(strings?.description.contains("one for each use") == true)
        // Together they would take more memory than the records.
        let chunks = try refusal {
            let chunk = part(.headers, [.strings: zeros + zeros])
            $0.pieces.replaceSubrange(2..<3, with: [[UInt8]](repeating: chunk, count: 20))
            $0.commitCounts.replaceSubrange(0..<1, with: [Int](repeating: 1, count: 20))
        }
        #expect(chunks?.description.contains("size of all chunks") == true)
        // Rows whose contents are nowhere in a record.
        let rows = try refusal {
            $0.pieces[0] = part(.identifiers, [.identifierKinds: zeros, .integers: zeros])
            $0.pieces[1] = part(
                .events,
                [
                    .kinds: [EventKind.itemsInserted.rawValue], .sections: [0], .rows: [0],
                    .rowCounts: [0x80, 0x80, 0x40], .contentTags: zeros,
                ])
            $0.pieces[3] = part(
                .contents, [.contentCounts: [0x80, 0x80, 0x40], .contentGaps: zeros, .contentLengths: zeros])
        }
        #expect(rows?.description.contains("one in its record") == true)
    }
}
