// Logs for the tests of packed blocks: random commits of every kind, and their blocks.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
@testable import ListModel
import TestSupport

/// A log, and the blocks and records that it was packed into.
struct PackedLog {
    var records: [[UInt8]]
    var pieces: [BlockPacker.Piece] = []

    /// The checksum of the record before a version.
    func checksum(before version: Version) -> UInt64 {
        version.rawValue <= 1 ? 0 : RecordBytes.checksum(records[Int(version.rawValue) - 2])
    }

    func record(of version: Version) -> [UInt8] { records[Int(version.rawValue) - 1] }

    /// The blocks, each with its first version.
    var blocks: [(first: Version, bytes: [UInt8])] {
        pieces.compactMap { piece in
            if case .block(let first, _, let bytes) = piece { (first, bytes) } else { nil }
        }
    }

    /// The commits that are in no block.
    var plain: [Version: BlockPacker.Reason] {
        var result: [Version: BlockPacker.Reason] = [:]
        for case .record(let version, let reason) in pieces { result[version] = reason }
        return result
    }

    /// A state at a version, by replaying the records.
    func state(at version: Version) throws -> ListState {
        var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var checksum: UInt64 = 0
        for record in records[..<Int(version.rawValue)] {
            checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
        }
        return state
    }

    /// Packs the records.
    mutating func pack(_ options: BlockPacker.Options) throws {
        var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var packer = BlockPacker(after: 0, options: options)
        pieces = []
        for record in records {
            try record.withUnsafeBytes { try packer.add($0, to: &state) { pieces.append($0) } }
        }
        try packer.finish { pieces.append($0) }
    }
}

enum RecordBytes {
    static func checksum(_ record: [UInt8]) -> UInt64 {
        record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}

extension PackedLog {
    /// A log of random commits: of several events, undone and redone, with odd names and times.
    init(seed: UInt64, commits: Int) throws {
        var edits = RandomEdits(seed: seed, targetCount: seed % 3 == 0 ? 200 : 40)
        let log = MemoryLog()
        var editor = UntypedEditor(ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4)), source: log)
        editor.coalescingPolicy = CoalescingPolicy(interval: .seconds(1_000_000))
        var time: Int64 = seed % 2 == 0 ? 1_700_000_000_000_000 : .min
        while log.head.rawValue < UInt64(commits) {
            time &+= PackedLog.step(&edits.generator)
            let now = Timestamp(microseconds: time)
            let history = editor.state.history
            var commit: Commit?
            switch Int.random(in: 0..<12, using: &edits.generator) {
            case 0 where history.undoCount > 0:
                commit = try editor.undo(
                    origin: PackedLog.name(&edits.generator), time: now, onConflict: .skip
                ).commit
            case 1 where history.redoCount > 0: commit = try editor.redo(time: now, onConflict: .skip).commit
            case 2 where log.head > .empty:
                let target = Version(UInt64.random(in: 0...log.head.rawValue, using: &edits.generator))
                // Not every commit can be checked out.
                commit = (try? editor.go(to: target, time: now, onConflict: .skip))?.commit
            case 3 where log.head > .empty && edits.generator.oneIn(4):
                let target = Version(UInt64.random(in: 1...log.head.rawValue, using: &edits.generator))
                let draft = CommitDraft(name: "", time: now)
                commit = try editor.revert(target, as: draft, onConflict: .skip).commit
            default:
                let draft = CommitDraft(
                    name: PackedLog.name(&edits.generator), origin: PackedLog.name(&edits.generator), time: now,
                    tracking: PackedLog.tracking(&edits.generator), isDiscardable: edits.generator.oneIn(5))
                let list = try ReferenceList(editor.snapshot(), log)
                let count = edits.generator.oneIn(3) ? Int.random(in: 1...5, using: &edits.generator) : 1
                commit = try editor.commit(draft) { editor in
                    for _ in 0..<count { try PackedLog.edit(&editor, list, &edits) }
                }
            }
            if let commit { log.append(commit) }
        }
        records = (1...log.head.rawValue).map { log.record(of: Version($0)) }
    }

    private static func tracking(_ generator: inout SeededGenerator) -> Tracking {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .untracked
        case 1, 2: .own
        default: .shared
        }
    }

    /// One edit, or none if it no longer fits.
    private static func edit(_ editor: inout UntypedEditor, _ list: ReferenceList, _ edits: inout RandomEdits) throws {
        do {
            if !list.sections.isEmpty, edits.generator.oneIn(6) {
                try editor.insert(oddItem(&edits.generator), at: .end(ofSection: list.sections[0].id))
            } else {
                try editor.apply(edits.next(list))
            }
        } catch is ListError {}
    }

    /// A row with a UUID or a non-ASCII string as id, and content that may be large, or JSON.
    private static func oddItem(_ generator: inout SeededGenerator) -> NewRow {
        let words = (UInt64.random(in: 0...(.max), using: &generator), UInt64.random(in: 0...(.max), using: &generator))
        let uuid = withUnsafeBytes(of: words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        let id: UntypedID = generator.oneIn(2) ? .uuid(uuid) : .string("Zoë \u{1F95B} \(words.0)")
        let content: [UInt8] =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: (0..<3_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            case 1: Array("{\"title\":\"\(words.1)\",\"note\":\"\"}".utf8)
            case 2: Array("\"\(Character(UnicodeScalar(UInt8.random(in: 97...122, using: &generator))))\"".utf8)
            default: []
            }
        return NewRow(id: id, isChecked: generator.oneIn(3), content: content)
    }

    private static let names = [
        "", "edit", "edit", "edit", "e\u{301}", "\u{E9}", "nul \0", "\u{1F95B}", String(repeating: "long ", count: 70),
    ]

    private static func name(_ generator: inout SeededGenerator) -> String {
        names.randomElement(using: &generator)!
    }

    /// A time step: forward, zero, backward, or a jump.
    private static func step(_ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: Int64.random(in: .min ... .max, using: &generator)
        case 1: Int64.random(in: -1_000_000...1_000_000, using: &generator)
        case 2: 0
        default: 1
        }
    }
}

extension PackedBlock {
    /// Calls `body` with the header of each commit.
    func forEachHeader(_ body: (PackedCommit) throws -> Void) throws {
        var next = first
        while next <= last {
            let headers = try headers(near: next)
            for version in headers.versions { try body(headers.commit(version)) }
            next = headers.versions.upperBound
        }
    }

    /// A copy of the content at a place of a record.
    func content(version: Version, offset: Int, length: Int) throws -> [UInt8] {
        let reference = ContentReference(
            version: version, offset: UInt32(offset), length: UInt32(length), hash: 0)
        return try withContent(of: reference) { Array($0) }
    }

    /// The bytes with a right checksum, as an attacker would make them.
    static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= PackedLayout.variable else { return bytes }
        var result = bytes
        let checksum = bytes.withUnsafeBytes {
            PackedLayout.checksum(
                $0, first: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
        withUnsafeBytes(of: checksum.littleEndian) { result.replaceSubrange(0..<8, with: $0) }
        return result
    }
}

/// A block whose columns are unpacked, so that a test can look at their bytes, or change them.
struct PlainBlock {
    /// Everything before the columns.
    var header: [UInt8]
    /// The columns of the identifiers and of the events; then the chunks of headers and those of contents.
    var pieces: [[UInt8]] = []
    /// How many commits each chunk has.
    var commitCounts: [Int] = []

    /// - Parameter bytes: a sound block.
    init(_ bytes: [UInt8]) throws {
        header = Array(bytes[..<PackedLayout.variable])
        try bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes, version: .empty, from: PackedLayout.variable)
            while !reader.isAtEnd {
                if pieces.count >= 2 { commitCounts.append(try reader.readIndex("a number of commits")) }
                let count = try reader.readIndex("a size")
                let packed = try reader.readBytes(reader.readCount("a size"), "a piece")
                guard let memory = UnpackedBytes(packed, count: count) else {
                    throw reader.error(.truncated(expected: "a piece"))
                }
                pieces.append(Array(memory.bytes))
            }
        }
    }

    /// How many bytes all columns have.
    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Changes the columns at a place among all their bytes.
    mutating func change(at place: Int, _ body: (inout [UInt8], Int) -> Void) {
        var place = place
        for index in pieces.indices {
            if place < pieces[index].count { return body(&pieces[index], place) }
            place -= pieces[index].count
        }
    }

    /// The block, with a right checksum.
    func bytes() -> [UInt8] {
        var writer = ByteWriter()
        header.withUnsafeBytes { writer.write(raw: $0) }
        for (index, piece) in pieces.enumerated() {
            if index >= 2 { writer.write(count: commitCounts[index - 2]) }
            let packed = piece.isEmpty ? [] : piece.withUnsafeBytes { Deflate.packed($0) }
            writer.write(count: piece.count)
            writer.write(count: packed.count)
            packed.withUnsafeBytes { writer.write(raw: $0) }
        }
        return PackedBlock.resealed(writer.withBytes { Array($0) })
    }
}
