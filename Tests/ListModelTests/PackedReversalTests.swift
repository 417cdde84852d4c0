// Compares taking packed commits back with replaying them, over seeded random logs: the rows, and where their contents are.

@testable import ListModel
import TestSupport
import Testing

@Suite("Taking packed commits back")
struct PackedReversalTests {
    private static let seeds: [UInt64] = (1...(24 * UInt64(Soak.factor))).map { $0 }

    /// Everything that a snapshot says of its rows; where a content is, too.
    private static func rows(_ snapshot: UntypedSnapshot) -> [[String]] {
        snapshot.sections.map { section in
            section.items.map { row in
                let content = row.content
                let place = "\(content.version) \(content.offset) \(content.length) \(content.hash)"
                return "\(row.id) \(row.isChecked) \(row.outline) \(place)"
            }
        }
    }

    private static func stateHash(_ log: PackedLog, _ version: Version) throws -> StateHash {
        try Commit(record: log.record(of: version), version: version).stateHash
    }

    private static func changesOnlyRows(_ log: PackedLog, _ versions: Range<Version>) throws -> Bool {
        try versions.allSatisfy { version in
            try Commit(record: log.record(of: version), version: version).events().allSatisfy { event in
                switch event {
                case .sectionInserted, .sectionDeleted, .sectionMoved, .sectionRenamed, .listReloaded: false
                default: true
                }
            }
        }
    }

    @Test("The rows, and the places of their contents, are those of a replay, from and to any version of some blocks")
    func reversal() throws {
        var (reversed, refused) = (0, 0)
        for seed in Self.seeds {
            var log = try PackedLog(seed: seed, commits: 160)
            var generator = SeededGenerator(seed: ~seed)
            try log.pack(BlockPacker.Options(commitCount: Int.random(in: 1...16, using: &generator)))
            for (index, block) in log.blocks.enumerated() {
                let base = block.first.previous
                let blocks = log.blocks[index...].prefix(Int.random(in: 1...3, using: &generator))
                let last = try blocks.last!.bytes.withUnsafeBytes { try PackedBlock($0).last }
                let end = Version(.random(in: block.first.rawValue...last.rawValue, using: &generator))
                let target = Version(.random(in: base.rawValue...end.rawValue, using: &generator))
                var start = try log.state(at: base)
                var state = try log.state(at: end)
                var reversal = PackedReversal(from: start.snapshot(), to: target, pieceCount: 4)
                var isPossible = true
                for block in blocks where isPossible && reversal.version < end {
                    isPossible = try block.bytes.withUnsafeBytes { try reversal.read(PackedBlock($0), through: end) }
                }
                let isExpected = try Self.changesOnlyRows(log, block.first..<end.next)
                try #require(isPossible == isExpected, "seed \(seed), versions \(base), \(target), \(end)")
                guard isPossible else {
                    refused += 1
                    continue
                }
                reversed += 1
                try reversal.apply(to: &state)
                var replayed = try log.state(at: target)
                try #require(state.version == target)
                try #require(
                    Self.rows(state.snapshot()) == Self.rows(replayed.snapshot()),
                    "seed \(seed), versions \(base), \(target), \(end)")
                try state.checkInvariants()
            }
        }
        #expect(reversed > 4 * Self.seeds.count && refused > Self.seeds.count)
    }

    @Test("A list that the block does not lead to is refused, and so is a block that does not follow")
    func otherList() throws {
        var log = try PackedLog(seed: 4, commits: 40)
        try log.pack(BlockPacker.Options(commitCount: 1))
        let (first, second) = try #require(
            zip(log.blocks, log.blocks.dropFirst()).first {
                let hashes = try [$0.0, $0.1].map { block in try Self.stateHash(log, block.first) }
                return try hashes[0] != hashes[1] && Self.changesOnlyRows(log, $0.0.first..<$0.1.first.next)
            })
        var start = try log.state(at: first.first.previous)
        let base = start.snapshot()
        var reversal = PackedReversal(from: base, to: base.version)
        let isRead = try second.bytes.withUnsafeBytes { try reversal.read(PackedBlock($0), through: second.first) }
        #expect(!isRead)
        let isNextRead = try first.bytes.withUnsafeBytes { try reversal.read(PackedBlock($0), through: second.first) }
        #expect(isNextRead)
        var other = try log.state(at: second.first)
        other.version = first.first
        var isRefused = false
        do { try reversal.apply(to: &other) } catch is ListError { isRefused = true }
        #expect(isRefused)
    }

    /// A row of the model.
    private struct Row: Equatable {
        var source: RowPiece.Source
        var offset: Int
        var isToggled = false
    }

    @Test("Pieces are the rows that they stand for", arguments: seeds)
    func pieces(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...300, using: &generator)
        var list = PieceList(section: 3, count: count, capacity: seed % 2 == 0 ? 4 : 64)
        var rows = (0..<count).map { Row(source: .section(3), offset: $0) }
        func expanded(_ pieces: [RowPiece]) -> [Row] {
            pieces.flatMap { piece in
                (piece.offset..<piece.offset + piece.count).map {
                    Row(source: piece.source, offset: $0, isToggled: piece.isToggled)
                }
            }
        }
        for step in 0..<500 {
            let start = Int.random(in: 0...rows.count, using: &generator)
            let most = min(rows.count - start, generator.oneIn(4) ? 40 : 3)
            let range = start..<start + Int.random(in: 0...most, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0...1:
                let added = Int.random(in: 0...3, using: &generator)
                let new = RowPiece(source: .event(step), offset: 0, count: added)
                list.insert(added > 0 ? [new] : [], at: start)
                rows.insert(contentsOf: (0..<added).map { Row(source: .event(step), offset: $0) }, at: start)
            case 2:
                #expect(expanded(list.take(start, range.count)) == Array(rows[range]), "seed \(seed), step \(step)")
                rows.removeSubrange(range)
            case 3:
                list.change(start, range.count) { $0.isToggled.toggle() }
                for index in range { rows[index].isToggled.toggle() }
            default:
                let taken = list.take(start, range.count)
                let moved = Array(rows[range])
                rows.removeSubrange(range)
                let target = Int.random(in: 0...rows.count, using: &generator)
                list.insert(taken, at: target)
                rows.insert(contentsOf: moved, at: target)
            }
            #expect(list.count == rows.count, "seed \(seed), step \(step)")
        }
        #expect(expanded(list.take(0, list.count)) == rows && list.count == 0, "seed \(seed)")
    }
}
