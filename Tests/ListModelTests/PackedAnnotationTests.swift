// Tests annotations in packed blocks: they are rebuilt byte for byte, and are small if they change little.

@testable import ListModel
import TestSupport
import Testing

@Suite("Packed annotations")
struct PackedAnnotationTests {
    /// The records that are rebuilt from the blocks of a log.
    private static func unpacked(_ log: PackedLog) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        for piece in log.pieces {
            switch piece {
            case .record(let version, _):
                let record = log.record(of: version)
                let checksum = log.checksum(before: version)
                _ = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
                found.append(record)
            case .block(_, _, let bytes):
                try bytes.withUnsafeBytes { bytes in
                    let block = try PackedBlock(bytes)
                    try block.forEachRecord(with: &state) { found.append($1) }
                }
            }
        }
        return found
    }

    /// A log of typing in one row after another, each keystroke with the selection before and after it.
    private static func typing(
        _ count: Int, selection: ((Int) -> [UInt8])?, names: (String, String) = ("before", "after")
    ) throws -> PackedLog {
        var list = try MemoryList([[]])
        for index in 0..<count {
            try list.commit("type") { editor in
                if let selection { editor.annotate(names.0, with: selection(index)) }
                if index % 16 == 15 {
                    try editor.delete(.at(ListIndexPath(0, editor.state.itemCount - 1)))
                } else {
                    try editor.insert(NewRow(index, content: UInt8(97 + index % 26)), at: .end(ofSection: "s0"))
                }
                if let selection { editor.annotate(names.1, with: selection(index + 1)) }
            }
        }
        var log = PackedLog(records: (1...list.log.head.rawValue).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options())
        return log
    }

    @Test("A selection before and after every keystroke takes less than two bytes of a block, in JSON less than three")
    func selections() throws {
        let plain = try Self.typing(800, selection: nil)
        let size = try #require(plain.blocks.first).bytes.count
        let little = try Self.typing(800) { index in
            withUnsafeBytes(of: UInt64(index).littleEndian) { Array($0) } + [0, 0, 0, 0]
        }
        let json = try Self.typing(800) { Array("{\"anchor\":\($0),\"head\":\($0)}".utf8) }
        for (log, limit) in [(little, 1_600), (json, 2_400)] {
            try #require(log.blocks.count == 1 && log.plain.isEmpty)
            #expect(try Self.unpacked(log) == log.records)
            #expect(log.blocks[0].bytes.count - size < limit, "\(log.blocks[0].bytes.count) and \(size) bytes")
        }
    }

    @Test("Random commits with random annotations are rebuilt byte for byte", arguments: 0..<8 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var edits = RandomEdits(seed: seed)
        var list = MemoryList()
        var last: [UInt8] = []
        func value() -> [UInt8] {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: last = []
            case 1:
                last = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            case 2: last.append(.random(in: 0...255, using: &generator))
            case 3: if !last.isEmpty { last[Int.random(in: 0..<last.count, using: &generator)] &+= 1 }
            case 4: if !last.isEmpty { last.removeLast() }
            default: break
            }
            return last
        }
        let names = ["", "a", "selection", "Zoë", "e\u{301}", "\u{E9}"]
        while list.log.head.rawValue < 150 {
            if generator.oneIn(6), list.editor.state.history.undoCount > 0 {
                try list.undo()
                continue
            }
            let reference = try list.contents()
            let operation = edits.next(reference)
            _ = try? list.commit { editor in
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    editor.annotate(names.randomElement(using: &generator)!, with: value())
                }
                try editor.apply(operation)
                if generator.oneIn(2) { editor.annotate(names.randomElement(using: &generator)!, with: value()) }
            }
        }
        var log = PackedLog(records: (1...list.log.head.rawValue).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options(commitCount: Int.random(in: 1...150, using: &generator)))
        try #require(log.plain.isEmpty, "seed \(seed)")
        #expect(try Self.unpacked(log) == log.records, "seed \(seed)")
        // Replaying the blocks without records gives the same rows.
        var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        for (_, bytes) in log.blocks {
            try bytes.withUnsafeBytes { bytes in
                let block = try PackedBlock(bytes)
                try block.replay(into: &state)
                try state.checkHash(block.stateHash)
            }
        }
    }

    @Test("A commit with an unknown event stays a record, and those around it are packed")
    func unknown() throws {
        var list = try MemoryList([[1, 2, 3]])
        for version in 2...9 {
            try list.commit { editor in
                try editor.toggle(.item(.integer(Int64(version % 3 + 1))))
                if version == 5 { try editor.append(.unrecognised(kind: 222, payload: [1, 2, 3])) }
            }
        }
        var log = PackedLog(records: (1...9).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(5): .notExact])
        #expect(log.blocks.map(\.first) == [Version(1), Version(6)])
        #expect(try Self.unpacked(log) == log.records)
    }

    @Test("A block with damaged annotations is refused or gives other records, and reading it ends")
    func hostile() throws {
        let log = try Self.typing(40) { [UInt8($0), 0, 1] }
        let block = try PlainBlock(#require(log.blocks.first).bytes)
        let values = block.pieces[1].count - 80..<block.pieces[1].count
        var refused = 0
        for offset in values {
            for change in [1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var damaged = block
                damaged.pieces[1][offset] ^= change
                do {
                    var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
                    try damaged.bytes().withUnsafeBytes { try PackedBlock($0).forEachRecord(with: &state) { _, _ in } }
                } catch is RecordError { refused += 1 }
            }
        }
        // A value is part of its record, so every change in these bytes is detected.
        #expect(refused == values.count * 4)
    }
}
