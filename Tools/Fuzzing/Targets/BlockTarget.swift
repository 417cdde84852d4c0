// A packed block that a stranger wrote, in a log that is sound up to it.
//
// An input is a byte of choices and the block. Choices: 1: the block gets a right checksum; 2: the log before it is
// empty; 4: its columns are not compressed yet, each piece after its length in two bytes.
//
// Always holds, and is checked: a block that replays gives a valid list; a record from a block is well-formed, and
// replaying the records leads to the rows that replaying the block leads to.

@testable import ListModel
import TestSupport

enum BlockTarget {
    private static let before = 12
    private static let count = 12

    private static let records: Result<[[UInt8]], any Error> = Result {
        try FuzzSamples.log(seed: 2, commits: before + count).records
    }

    /// The list after some commits.
    private static func state(_ count: Int) throws -> ListState {
        var state = ListState(NodePool(limits: FuzzSamples.limits, salt: 7))
        var checksum: UInt64 = 0
        for record in try records.get().prefix(count) {
            checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
        }
        return state
    }

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choices = input.byte()
        let length = choices & 2 != 0 ? 0 : before
        var bytes = Array(input.rest)
        if choices & 4 != 0 { bytes = compressed(bytes) }
        if choices & 1 != 0 { bytes = sealed(bytes) }
        try bytes.withUnsafeBytes { bytes in
            _ = try answer { try read(PackedBlock(bytes), after: length) }
        }
    }

    private static func read(_ block: PackedBlock, after length: Int) throws {
        var replayed = try state(length)
        let isReplayed = try answer {
            try block.replay(into: &replayed)
            try replayed.checkInvariants()
        }
        var rebuilt = try state(length)
        var records: [[UInt8]] = []
        let isRebuilt = try answer {
            try block.forEachRecord(with: &rebuilt) { version, record in
                _ = try Commit(record: record, version: version)
                records.append(record)
            }
        }
        if isReplayed && isRebuilt {
            try BrokenPromise.check(
                replayed.stateHash() == rebuilt.stateHash(), "a block and its records lead to different rows")
        }
        try answer { try block.forEachIdentifier { _ in } }
        for version in [block.first, block.last] {
            try answer { _ = try block.headers(near: version).commit(version) }
            for (offset, length) in [(0, 0), (60, 1), (.max, .max)] as [(UInt32, UInt32)] {
                let reference = ContentReference(version: version, offset: offset, length: length, hash: 0)
                try answer { _ = try block.withContent(of: reference) { $0.count } }
            }
        }
        // A reference to each content that the records have.
        for (index, record) in records.prefix(8).enumerated() {
            let version = Version(block.first.rawValue + UInt64(index))
            try answer {
                var references: [ContentReference] = []
                for event in try Commit(record: record, version: version).events() {
                    event.forEachContent { if $1.version == version && !$1.isErased { references.append($1) } }
                }
                for reference in references {
                    let found = try block.withContent(of: reference) { Array($0) }
                    let start = Int(reference.offset)
                    try BrokenPromise.check(
                        found == Array(record[start..<start + found.count]), "a block has another content")
                }
            }
        }
    }

    /// The block with a right checksum, as an attacker would make it.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= PackedLayout.variable else { return bytes }
        var result = bytes
        let sum = bytes.withUnsafeBytes {
            PackedLayout.checksum(
                $0, first: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: PackedLayout.first, as: UInt64.self)))
        }
        withUnsafeBytes(of: sum.littleEndian) { result.replaceSubrange(0..<8, with: $0) }
        return result
    }

    /// A block from one whose columns are not compressed. Otherwise most changes would end with the compression.
    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes.dropFirst(PackedLayout.variable)
        var writer = ByteWriter()
        bytes.prefix(PackedLayout.variable).withUnsafeBytes { writer.write(raw: $0) }
        var number = 0
        while rest.count >= 3 {
            // The identifiers and the events; then the chunks, each with the number of its commits.
            let commitCount = number < 2 ? nil : rest.removeFirst()
            let count = min(Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8, rest.count)
            let plain = rest.prefix(count)
            rest = rest.dropFirst(count)
            let packed = plain.isEmpty ? [] : plain.withUnsafeBytes { Deflate.packed($0) }
            if let commitCount { writer.write(byte: commitCount) }
            writer.write(count: count)
            writer.write(count: packed.count)
            packed.withUnsafeBytes { writer.write(raw: $0) }
            number += 1
        }
        return writer.withBytes { Array($0) }
    }

    /// A block of few commits, without the compression.
    private static func plain(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes, version: .empty, from: PackedLayout.variable)
            var (plain, number) = (Array(bytes.prefix(PackedLayout.variable)), 0)
            while !reader.isAtEnd {
                if number >= 2 { plain.append(try reader.readByte("a number of commits")) }
                let count = try reader.readIndex("a size")
                let packed = try reader.readBytes(reader.readCount("a size"), "a piece")
                plain += [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
                plain += UnpackedBytes(packed, count: count).map { Array($0.bytes) } ?? []
                number += 1
            }
            return plain
        }
    }

    /// The second half of the log, and the first.
    static func seeds() throws -> [[UInt8]] {
        try [(before, 0), (0, 2)].flatMap { length, choice in
            var state = try state(length)
            let last = try records.get().prefix(length).last
            let checksum = try last.map { try Commit(record: $0, version: state.version).checksum } ?? 0
            var packer = BlockPacker(after: checksum)
            var blocks: [[UInt8]] = []
            func keep(_ piece: BlockPacker.Piece) { if case .block(_, _, let bytes) = piece { blocks.append(bytes) } }
            for record in try records.get()[length..<length + count] {
                try record.withUnsafeBytes { try packer.add($0, to: &state, keep) }
            }
            try packer.finish(keep)
            var seeds: [[UInt8]] = []
            for block in blocks {
                seeds.append([UInt8(choice)] + block)
                seeds.append([UInt8(choice) | 1] + block)
                seeds.append([UInt8(choice) | 5] + (try plain(block)))
            }
            return seeds
        }
    }
}
