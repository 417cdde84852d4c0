// Records of a log that a stranger wrote.
//
// An input is a byte of choices and records, each after its length. Choices: 1: the records get right checksums and
// links; 2: and right state hashes, so that any number of them can follow one another.
//
// Always holds, and is checked: an accepted log gives a valid list, which can be edited; with right state hashes, it can
// be replayed with every hash, and packing it loses nothing. Backwards, it leads to a valid list or to a typed error.

@testable import ListModel
import TestSupport

enum RecordTarget {
    private static let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
    private static let most = 64

    private static func emptyState() -> ListState { ListState(NodePool(limits: limits, salt: 7)) }

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choices = input.byte()
        var records: [[UInt8]] = []
        var checksum: UInt64 = 0
        var state = emptyState()
        while !input.isAtEnd && records.count < most {
            let version = state.version.next
            var record = input.piece()
            if choices & 1 != 0 { record = sealed(record, version, after: checksum) }
            var next: UInt64 = 0
            let isAccepted = try answer {
                let commit = try Commit(record: record, version: version, previousChecksum: checksum)
                for event in try commit.events() { _ = event.inverse }
                _ = try record.withUnsafeBytes { try RecordHeader.mark($0, version: version) }
                next = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
            }
            guard isAccepted else {
                // The state is invalid now. The log ends before this record.
                state = try replayed(records, .records)
                break
            }
            if choices & 3 == 3 {
                withUnsafeBytes(of: state.stateHash().rawValue.littleEndian) {
                    record.replaceSubrange(RecordLayout.stateHash..<RecordLayout.stateHash + 8, with: $0)
                }
                record = sealed(record, version, after: checksum)
                next = record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
            }
            records.append(record)
            checksum = next
        }
        try state.checkInvariants()
        if choices & 3 == 3 { try checkLog(records) }

        let log = FuzzLog(records)
        var editor = UntypedEditor(state, checksum: checksum, source: log)
        let before = editor.snapshot()
        try ListUse.read(before, log)
        try ListUse.edit(&editor, log)
        try editor.checkInvariants()
        let after = editor.snapshot()
        _ = Changeset(from: before, to: after)
        _ = Changeset(from: after, to: before)
    }

    /// Checks a log whose records have right hashes: forwards, backwards, packed.
    private static func checkLog(_ records: [[UInt8]]) throws {
        var state = try replayed(records, .everyHash)
        // What an event says about the rows before it is not compared with them, so going back need not lead there.
        for (index, record) in records.enumerated().reversed() {
            guard try answer({ try record.withUnsafeBytes { try state.unreplay($0) } }) else { break }
            try state.checkInvariants()
            if index > 0 { try answer { try records[index - 1].withUnsafeBytes { try state.checkHash(in: $0) } } }
        }
        var unpacked: [[UInt8]] = []
        state = emptyState()
        var packed = emptyState()
        var packer = BlockPacker(after: 0, options: BlockPacker.Options(commitCount: 8))
        func take(_ piece: BlockPacker.Piece, _ state: inout ListState) throws {
            switch piece {
            case .record(let version, _):
                let record = records[Int(version.rawValue) - 1]
                let before = unpacked.last.map(checksum) ?? 0
                _ = try record.withUnsafeBytes { try state.replay($0, previousChecksum: before) }
                unpacked.append(record)
            case .block(_, _, let bytes):
                try bytes.withUnsafeBytes { bytes in
                    try PackedBlock(bytes).forEachRecord(with: &state) { unpacked.append($1) }
                }
            }
        }
        for record in records {
            try record.withUnsafeBytes { try packer.add($0, to: &packed) { try take($0, &state) } }
        }
        try packer.finish { try take($0, &state) }
        try BrokenPromise.check(unpacked == records, "packing changed the log")
    }

    private static func checksum(_ record: [UInt8]) -> UInt64 {
        record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private static func replayed(_ records: [[UInt8]], _ check: ReplayCheck) throws -> ListState {
        var state = emptyState()
        var checksum: UInt64 = 0
        for record in records {
            checksum = try record.withUnsafeBytes {
                try state.replay($0, previousChecksum: checksum, check: check)
            }
        }
        return state
    }

    /// The record with a right link and checksum, as an attacker would make it.
    private static func sealed(_ record: [UInt8], _ version: Version, after checksum: UInt64) -> [UInt8] {
        guard record.count >= RecordLayout.variable else { return record }
        var result = record
        withUnsafeBytes(of: RecordLayout.link(to: checksum).littleEndian) {
            result.replaceSubrange(RecordLayout.link..<RecordLayout.link + 4, with: $0)
        }
        let sum = result.withUnsafeBytes { RecordLayout.checksum($0, version: version) }
        withUnsafeBytes(of: sum.littleEndian) { result.replaceSubrange(0..<8, with: $0) }
        return result
    }

    /// Logs of random commits, as they are and to be sealed.
    static func seeds() throws -> [[UInt8]] {
        try [(1, 12), (2, 20), (6, 6), (7, 1)].flatMap { seed, count in
            let log = try FuzzSamples.log(seed: UInt64(seed), commits: count)
            let pieces = log.records.flatMap(FuzzInput.piece)
            return [0, 1, 3].map { [$0] + pieces }
        }
    }
}
