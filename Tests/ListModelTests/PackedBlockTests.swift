// Compares packed blocks with the records that they were made of, over seeded random logs, in blocks of random sizes.

@testable import ListModel
import TestSupport
import Testing

@Suite("Packed blocks")
struct PackedBlockTests {
    private static let seeds: [UInt64] = (1...(16 * UInt64(Soak.factor))).map { $0 }

    private static func packed(_ seed: UInt64) throws -> PackedLog {
        var log = try PackedLog(seed: seed, commits: 160)
        var generator = SeededGenerator(seed: ~seed)
        let count = Int.random(in: 1...(generator.oneIn(3) ? 300 : 40), using: &generator)
        let record = generator.oneIn(3) ? 400 : 65_536
        let headers = generator.oneIn(3) ? 512 : Int.random(in: 1...20, using: &generator)
        try log.pack(
            BlockPacker.Options(
                commitCount: count, recordBytes: record, totalBytes: 200_000, headerCount: headers))
        return log
    }

    @Test("Every commit is in a block, unless it is too large", arguments: seeds)
    func pieces(seed: UInt64) throws {
        let log = try Self.packed(seed)
        var next = Version(1)
        for piece in log.pieces {
            switch piece {
            case .block(let first, let last, let bytes):
                #expect(first == next, "seed \(seed)")
                let block = try bytes.withUnsafeBytes { try PackedBlock($0).last }
                #expect(block == last, "seed \(seed)")
                next = last.next
            case .record(let version, let reason):
                #expect(version == next, "seed \(seed)")
                #expect(reason == .tooLarge && log.record(of: version).count > 400, "seed \(seed)")
                next = version.next
            }
        }
        #expect(next.rawValue == UInt64(log.records.count) + 1, "seed \(seed)")
    }

    @Test("Records are rebuilt byte for byte", arguments: seeds)
    func records(seed: UInt64) throws {
        let log = try Self.packed(seed)
        for (first, bytes) in log.blocks {
            var state = try log.state(at: Version(first.rawValue - 1))
            var next = first
            try bytes.withUnsafeBytes { bytes in
                let block = try PackedBlock(bytes)
                #expect(block.checksumBefore == log.checksum(before: first))
                try block.forEachRecord(with: &state) { version, record in
                    try #require(version == next, "seed \(seed)")
                    try #require(record == log.record(of: version), "seed \(seed), version \(version)")
                    next = version.next
                }
                #expect(next == block.last.next, "seed \(seed)")
                #expect(state.version == block.last && state.stateHash() == block.stateHash, "seed \(seed)")
                #expect(block.checksum == RecordBytes.checksum(log.record(of: block.last)))
            }
            try state.checkInvariants()
        }
    }

    @Test("A replay gives the rows and the history of every version", arguments: seeds)
    func replay(seed: UInt64) throws {
        let log = try Self.packed(seed)
        var generator = SeededGenerator(seed: seed)
        for (first, bytes) in log.blocks {
            try bytes.withUnsafeBytes { bytes in
                let block = try PackedBlock(bytes)
                // Every version of small blocks, some of large ones.
                for version in first.rawValue...block.last.rawValue where block.commitCount < 8 || generator.oneIn(8) {
                    var state = try log.state(at: Version(first.rawValue - 1))
                    try block.replay(into: &state, through: Version(version))
                    let commit = try Commit(record: log.record(of: Version(version)), version: Version(version))
                    #expect(state.version == commit.version, "seed \(seed)")
                    #expect(state.stateHash() == commit.stateHash, "seed \(seed), version \(version)")
                    let history = commit.scope.map { state.history(of: $0) }
                    #expect(history == commit.history, "seed \(seed), version \(version)")
                    try state.checkInvariants()
                }
            }
        }
    }

    @Test("The headers of the commits are listed without a state", arguments: seeds)
    func listing(seed: UInt64) throws {
        let log = try Self.packed(seed)
        for (first, bytes) in log.blocks {
            var next = first
            try bytes.withUnsafeBytes { bytes in
                try PackedBlock(bytes).forEachHeader { found in
                    let commit = try Commit(record: log.record(of: next), version: next)
                    #expect(found.version == commit.version && found.cause == commit.cause, "seed \(seed)")
                    #expect(found.name.hasSameBytes(as: commit.name), "seed \(seed), version \(next)")
                    #expect(found.origin.hasSameBytes(as: commit.origin), "seed \(seed), version \(next)")
                    #expect(found.time == commit.time && found.mark == commit.mark, "seed \(seed)")
                    #expect(found.tracking == commit.tracking && found.isDiscardable == commit.isDiscardable)
                    #expect(found.eventCount == commit.eventCount, "seed \(seed)")
                    next = next.next
                }
                var ids: [UntypedID] = []
                try PackedBlock(bytes).forEachIdentifier { ids.append($0) }
                var expected: [UntypedID] = []
                for number in first.rawValue..<next.rawValue {
                    let version = Version(number)
                    let commit = try Commit(record: log.record(of: version), version: version)
                    expected += try commit.events().flatMap(Self.identifiers)
                }
                #expect(ids == expected, "seed \(seed)")
            }
        }
    }

    /// The ids of the rows and sections that an event inserted, or that a reload gave to the list.
    private static func identifiers(_ event: ListEvent) -> [UntypedID] {
        func all(_ sections: [ListSection]) -> [UntypedID] {
            sections.flatMap { section in [section.id] + section.items.map(\.id) }
        }
        return switch event {
        case .itemsInserted(_, let rows): rows.map(\.id)
        case .sectionInserted(_, let section): all([section])
        case .listReloaded(_, let new): all(new)
        default: []
        }
    }

    @Test("Every content is found without a state; a wrong reference finds nothing", arguments: seeds)
    func contents(seed: UInt64) throws {
        let log = try Self.packed(seed)
        for (_, bytes) in log.blocks {
            try bytes.withUnsafeBytes { bytes in
                let block = try PackedBlock(bytes)
                for number in block.first.rawValue...block.last.rawValue {
                    let version = Version(number)
                    let record = log.record(of: version)
                    let commit = try Commit(record: record, version: version)
                    var written = Set<UInt32>()
                    // A reference of a commit to itself means its own content, which is inline once.
                    for reference in try commit.events().flatMap(\.references) where reference.version == version {
                        let expected = Array(record[Int(reference.offset)...].prefix(Int(reference.length)))
                        let found = try block.withContent(of: reference) { Array($0) }
                        #expect(found == expected, "seed \(seed), version \(number)")
                        written.insert(reference.offset)
                    }
                    for offset in stride(from: 0, through: record.count, by: 7)
                    where !written.contains(UInt32(offset)) {
                        #expect(throws: RecordError.self) {
                            try block.content(version: version, offset: offset, length: 1)
                        }
                    }
                }
                for version in [block.first.rawValue - 1, block.last.rawValue + 1] {
                    #expect(throws: RecordError.self) {
                        try block.content(version: Version(version), offset: 60, length: 1)
                    }
                }
            }
        }
    }

    @Test("One record is rebuilt without those after it")
    func oneRecord() throws {
        var log = try PackedLog(seed: 6, commits: 40)
        try log.pack(BlockPacker.Options(commitCount: 40))
        for number in 1...40 as ClosedRange<UInt64> {
            var state = ListState()
            var newest: [UInt8] = []
            try log.blocks[0].bytes.withUnsafeBytes {
                try PackedBlock($0).forEachRecord(with: &state, through: Version(number)) { newest = $1 }
            }
            #expect(newest == log.record(of: Version(number)))
            #expect(state.version == Version(number))
        }
    }

    @Test("Undos and redos of commits before the block take very few bytes")
    func distantUndo() throws {
        var list = try MemoryList([[]])
        for number in 1...200 { try list.commit { try $0.insert(NewRow(number), at: .end(ofSection: "s0")) } }
        for _ in 0..<200 { try list.undo() }
        for _ in 0..<200 { try list.redo() }
        var log = PackedLog(records: (1...list.log.head.rawValue).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options(commitCount: 201))
        let sizes = log.blocks.map { Double($0.bytes.count) / 200 }
        // Content is typed, undone, and restored by a reference with its hash of eight bytes.
        #expect(sizes.count == 3 && sizes[1] < 3 && sizes[2] < 13, "\(sizes)")
    }

    @Test("A block continues only the state before it, or one of its own versions")
    func otherState() throws {
        var log = try PackedLog(seed: 5, commits: 30)
        try log.pack(BlockPacker.Options(commitCount: 10))
        let second = log.blocks[1]
        for version in [0, 9, 21, 30] {
            var state = try log.state(at: Version(UInt64(version)))
            second.bytes.withUnsafeBytes { bytes in
                #expect(throws: RecordError.self) { try PackedBlock(bytes).replay(into: &state) }
            }
        }
        for version in [0, 9, 11, 20, 30] {
            var state = try log.state(at: Version(UInt64(version)))
            second.bytes.withUnsafeBytes { bytes in
                #expect(throws: RecordError.self) { try PackedBlock(bytes).forEachRecord(with: &state) { _, _ in } }
            }
        }
        for version in 10...20 {
            for end in version...20 where end > 10 {
                var state = try log.state(at: Version(UInt64(version)))
                var expected = try log.state(at: Version(UInt64(end)))
                try second.bytes.withUnsafeBytes { bytes in
                    try PackedBlock(bytes).replay(into: &state, through: Version(UInt64(end)))
                }
                #expect(state.version == expected.version && state.histories == expected.histories)
                #expect(state.stateHash() == expected.stateHash())
            }
            var state = try log.state(at: Version(UInt64(version)))
            second.bytes.withUnsafeBytes { bytes in
                guard version > 11 else { return }
                #expect(throws: RecordError.self) {
                    try PackedBlock(bytes).replay(into: &state, through: Version(UInt64(version - 1)))
                }
            }
        }
        var state = try log.state(at: Version(10))
        try second.bytes.withUnsafeBytes { bytes in
            #expect(throws: RecordError.self) { try PackedBlock(bytes).replay(into: &state, through: Version(21)) }
            try PackedBlock(bytes).replay(into: &state)
        }
        #expect(state.version == Version(20))
    }
}
