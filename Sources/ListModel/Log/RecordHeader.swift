// The header of a record: everything before its events. Reading, checking and writing it.
//
// Layout of a record (all integers little-endian; see Docs/Design/FileFormat.md):
//
//     0  checksum   u64  XXH64 of everything after it, with the version as the seed
//     8  link       u32  lower half of the checksum of the commit before
//    12  format     u8   2
//    13  cause      u8   0 edit, 1 undo, 2 redo, 3 go, 4 revert, 5 restore
//    14  flags      u16  tracking, whether it continues a step, is discardable; a bit that is not known is an error
//    16  state hash u64  of the list after the commit
//    24  time       i64  microseconds since 1970 UTC
//    32  events     u32  how many
//    36  steps      u32  that undo can go back after the commit
//    40  varints: target (unless an edit), place in the history (unless untracked); name, origin; then the events
//
// Always holds: a header belongs to a record whose checksum was right.

/// The fixed offsets in a record, in bytes.
enum RecordLayout {
    static let link = 8
    static let format = 12
    static let cause = 13
    static let flags = 14
    static let stateHash = 16
    static let time = 24
    static let eventCount = 32
    static let steps = 36
    /// The offset of the part of varying length.
    static let variable = 40

    /// The format that this library reads and writes. Records of format 1 knew of no tree.
    static let currentFormat: UInt8 = 2

    /// The link of a record: the lower half of the checksum of the record before it, so the truncation is intended.
    static func link(to checksum: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: checksum) }

    /// The checksum that a record should have.
    static func checksum(_ record: UnsafeRawBufferPointer, version: Version) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: record[link...]), seed: version.rawValue)
    }
}

/// The flags of a record.
struct RecordFlags: OptionSet, Hashable {
    var rawValue: UInt16

    /// The commit continues the step before it.
    static let continues = RecordFlags(rawValue: 4)
    /// The commit is discardable.
    static let isDiscardable = RecordFlags(rawValue: 8)
    static let known: UInt16 = 15

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ tracking: Tracking, isDiscardable: Bool) {
        rawValue = UInt16(tracking.rawValue) | (isDiscardable ? RecordFlags.isDiscardable.rawValue : 0)
    }

    /// Which history the commit belongs to; nil if the bits are invalid.
    var tracking: Tracking? { Tracking(rawValue: UInt8(rawValue & 3)) }
}

/// The header of a record.
package struct RecordHeader {
    var cause: Commit.Cause
    /// The offset of the name; the origin follows it.
    private(set) var nameOffset: Int
    var time: Timestamp
    var flags: RecordFlags
    var tracking: Tracking
    var entry: HistoryEntry
    var stateHash: StateHash
    package private(set) var eventCount: Int
    var checksum: UInt64
    var eventsOffset: Int

    /// The mark of the commit in the history.
    ///
    /// - Parameter record: the bytes that the header was read from.
    @inline(__always)
    func mark(in record: UnsafeRawBufferPointer, version: Version) throws -> HistoryMark {
        HistoryMark(scope: try tracking.scope { try names(record, version: version).origin }, entry: entry)
    }

    var isDiscardable: Bool { flags.contains(.isDiscardable) }

    /// Reads and checks the header, and the checksum of the whole record.
    package init(_ bytes: UnsafeRawBufferPointer, version: Version, previousChecksum: UInt64?) throws {
        let fixed = try Fixed(checked: bytes, version: version, previousChecksum: previousChecksum)
        checksum = fixed.checksum
        stateHash = fixed.stateHash
        time = fixed.time
        eventCount = fixed.eventCount
        var reader = RecordReader(bytes, version: version, from: RecordLayout.variable)
        flags = try fixed.checkedFlags(version)
        cause = try RecordHeader.readCause(fixed.cause, &reader)
        (tracking, entry) = try RecordHeader.readEntry(flags, cause, steps: fixed.steps, &reader)
        nameOffset = reader.offset
        _ = try reader.readBytes(try reader.readCount("a name"), "a name")
        _ = try reader.readBytes(try reader.readCount("an origin"), "an origin")
        eventsOffset = reader.offset
        try RecordHeader.checkEventCount(eventCount, cause, reader)
    }

    /// The fields at fixed offsets: one check of the length covers all of them.
    private struct Fixed {
        let checksum: UInt64
        let link: UInt32
        let format: UInt8
        let cause: UInt8
        private let flags: UInt16
        let stateHash: StateHash
        let time: Timestamp
        let eventCount: Int
        let steps: Int

        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer, version: Version) throws {
            guard bytes.count >= RecordLayout.variable else {
                let problem = RecordError.Problem.truncated(expected: "a header")
                throw RecordError(version: version, offset: 0, problem: problem)
            }
            // SAFETY: all fixed offsets are before the part of varying length, which was checked to exist.
            @inline(__always)
            func read<Integer: FixedWidthInteger>(_ offset: Int, _ type: Integer.Type) -> Integer {
                Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
            }
            checksum = read(0, UInt64.self)
            link = read(RecordLayout.link, UInt32.self)
            format = read(RecordLayout.format, UInt8.self)
            cause = read(RecordLayout.cause, UInt8.self)
            flags = read(RecordLayout.flags, UInt16.self)
            stateHash = StateHash(rawValue: read(RecordLayout.stateHash, UInt64.self))
            time = Timestamp(microseconds: read(RecordLayout.time, Int64.self))
            eventCount = Int(read(RecordLayout.eventCount, UInt32.self))
            steps = Int(read(RecordLayout.steps, UInt32.self))
        }

        /// Reads the fields, and checks the version, the size and the checksum of the whole record, the link if the checksum of the
        /// commit before is known, and the format.
        @inline(__always)
        init(checked bytes: UnsafeRawBufferPointer, version: Version, previousChecksum: UInt64?) throws {
            try self.init(bytes, version: version)
            guard version.rawValue < Limits.versions else {
                let problem = RecordError.Problem.invalid(
                    what: "version", expected: "at most \(Limits.versions - 1)", found: version.description)
                throw RecordError(version: version, offset: 0, problem: problem)
            }
            guard bytes.count <= Limits.recordBytes else {
                let problem = RecordError.Problem.invalid(
                    what: "record", expected: "at most \(Limits.recordBytes) bytes", found: String(bytes.count))
                throw RecordError(version: version, offset: 0, problem: problem)
            }
            let expected = RecordLayout.checksum(bytes, version: version)
            guard checksum == expected else {
                let problem = RecordError.Problem.checksum(expected: expected, found: checksum)
                throw RecordError(version: version, offset: 0, problem: problem)
            }
            if let previousChecksum, link != RecordLayout.link(to: previousChecksum) {
                let problem = RecordError.Problem.link(
                    expected: RecordLayout.link(to: previousChecksum), found: link)
                throw RecordError(version: version, offset: RecordLayout.link, problem: problem)
            }
            guard format == RecordLayout.currentFormat else {
                throw RecordError(
                    version: version, offset: RecordLayout.format, problem: .unknownFormat(found: Int(format)))
            }
        }

        /// The flags; unknown bits throw.
        @inline(__always)
        func checkedFlags(_ version: Version) throws -> RecordFlags {
            guard flags & ~RecordFlags.known == 0 else {
                let problem = RecordError.Problem.unknown(what: "flags", found: Int(flags))
                throw RecordError(version: version, offset: RecordLayout.flags, problem: problem)
            }
            return RecordFlags(rawValue: flags)
        }
    }

    @inline(__always)
    private static func readCause(_ byte: UInt8, _ reader: inout RecordReader) throws -> Commit.Cause {
        if byte == 0 { return .edit }
        let start = reader
        guard Commit.Cause(number: byte, target: .empty) != nil else {
            throw start.error(.unknown(what: "cause", found: Int(byte)))
        }
        let distance = try reader.readVarint("a distance in versions")
        guard distance >= 1 && distance <= reader.version.rawValue else {
            throw start.error(.invalid(what: "version", expected: "one of this log", found: "\(distance) back"))
        }
        guard let cause = Commit.Cause(number: byte, target: Version(reader.version.rawValue - distance)) else {
            throw start.error(.unknown(what: "cause", found: Int(byte)))
        }
        return cause
    }

    private static func readEntry(
        _ flags: RecordFlags, _ cause: Commit.Cause, steps: Int, _ reader: inout RecordReader
    ) throws -> (Tracking, HistoryEntry) {
        guard let tracking = flags.tracking else {
            throw reader.error(.unknown(what: "flags", found: Int(flags.rawValue)))
        }
        let shape = HistoryEntry.Shape(
            isNode: !cause.isMove, continues: flags.contains(.continues), steps: steps)
        guard tracking != .untracked || (shape.isNode && !shape.continues && steps == 0) else {
            throw reader.error(
                .invalid(what: "untracked commit", expected: "an edit of its own", found: "flags \(flags.rawValue)"))
        }
        if tracking == .untracked { return (tracking, .untracked) }
        var next = reader
        let entry = try HistoryEntry(shape, at: reader.version) {
            try next.readVarint("a place in the history")
        } fail: { what, found in
            reader.invalid(what, expected: "one of this log", found: found)
        }
        reader = next
        return (tracking, entry)
    }

    /// A commit has at least one event, unless it is a checkout; an event has at least one byte.
    @inline(__always)
    private static func checkEventCount(_ count: Int, _ cause: Commit.Cause, _ reader: RecordReader) throws {
        let valid = (cause.isMove ? 0 : 1)...max(1, reader.bytes.count - reader.offset)
        guard valid.contains(count), count <= reader.bytes.count - reader.offset else {
            throw reader.error(
                .invalid(
                    what: "number of events", expected: "\(valid.lowerBound) to \(reader.bytes.count - reader.offset)",
                    found: String(count)))
        }
    }

    /// The name and the origin, which a replay does not need.
    func names(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> (name: String, origin: String) {
        var reader = RecordReader(bytes, version: version, from: nameOffset)
        let name = try reader.readString("a name")
        return (name, try reader.readString("an origin"))
    }

    /// Where the events of a record begin, and how many there are. The checksum of the whole record is checked; what of the
    /// header is not needed is skipped, which takes half as long as reading it.
    static func events(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> (offset: Int, count: Int) {
        let fixed = try Fixed(checked: bytes, version: version, previousChecksum: nil)
        var reader = RecordReader(bytes, version: version, from: RecordLayout.variable)
        let flags = try fixed.checkedFlags(version)
        let cause = try readCause(fixed.cause, &reader)
        if flags.tracking != .untracked {
            try HistoryEntry.skipWords(isNode: !cause.isMove) { try reader.readVarint("a place in the history") }
        }
        _ = try reader.readBytes(try reader.readCount("a name"), "a name")
        _ = try reader.readBytes(try reader.readCount("an origin"), "an origin")
        try checkEventCount(fixed.eventCount, cause, reader)
        return (reader.offset, fixed.eventCount)
    }

    /// The hash of the list after a commit, from a record that was checked when it was written or replayed.
    package static func stateHash(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> StateHash {
        try Fixed(bytes, version: version).stateHash
    }

    /// The number of events of a commit, from a record that was checked when it was written or replayed.
    package static func eventCount(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> Int {
        try Fixed(bytes, version: version).eventCount
    }

    /// The number of events of a commit, after checking the checksum of its record, the link and the format.
    ///
    /// - Complexity: O(bytes).
    package static func verifiedEventCount(
        _ bytes: UnsafeRawBufferPointer, version: Version, previousChecksum: UInt64
    ) throws -> Int {
        try Fixed(checked: bytes, version: version, previousChecksum: previousChecksum).eventCount
    }

    /// The time of a commit, from a record that was checked when it was written or replayed.
    package static func time(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> Timestamp {
        try Fixed(bytes, version: version).time
    }

    /// The checksum of a record, and its link to the record before; nil if the bytes are not the record of the version.
    ///
    /// - Complexity: O(bytes).
    package static func identity(
        _ bytes: UnsafeRawBufferPointer, version: Version
    ) -> (checksum: UInt64, link: UInt32)? {
        guard let fixed = try? Fixed(bytes, version: version), bytes.count <= Limits.recordBytes,
            fixed.checksum == RecordLayout.checksum(bytes, version: version)
        else { return nil }
        return (fixed.checksum, fixed.link)
    }

    /// The mark of a commit in the history, from a record that was checked when it was written or replayed.
    ///
    /// - Complexity: O(1), whatever the size of the commit.
    package static func mark(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> HistoryMark {
        let fixed = try Fixed(bytes, version: version)
        var reader = RecordReader(bytes, version: version, from: RecordLayout.variable)
        let flags = try fixed.checkedFlags(version)
        let cause = try readCause(fixed.cause, &reader)
        let (tracking, entry) = try readEntry(flags, cause, steps: fixed.steps, &reader)
        let scope = try tracking.scope {
            _ = try reader.readBytes(try reader.readCount("a name"), "a name")
            return try reader.readString("an origin")
        }
        return HistoryMark(scope: scope, entry: entry)
    }
}

extension Commit.Cause {
    /// The number of the cause in a record.
    var number: UInt8 {
        switch self {
        case .edit: 0
        case .undo: 1
        case .redo: 2
        case .go: 3
        case .revert: 4
        case .restore: 5
        }
    }

    /// The version that it refers to; nil for an edit.
    public var target: Version? {
        switch self {
        case .edit: nil
        case .undo(let target), .redo(let target), .go(let target), .revert(let target), .restore(let target): target
        }
    }

    /// Whether it is a checkout and makes no revision.
    public var isMove: Bool {
        switch self {
        case .undo, .redo, .go: true
        case .edit, .revert, .restore: false
        }
    }

    init?(number: UInt8, target: Version) {
        switch number {
        case 1: self = .undo(of: target)
        case 2: self = .redo(of: target)
        case 3: self = .go(to: target)
        case 4: self = .revert(of: target)
        case 5: self = .restore(of: target)
        default: return nil
        }
    }
}

extension ByteWriter {
    /// Writes the header of a commit. ``finish(_:)`` fills in the fields that are known only at the end.
    mutating func begin(_ draft: borrowing CommitDraft, version: Version, entry: HistoryEntry, link: UInt32) {
        truncate(to: 0)
        write(fixed: UInt64(0))
        write(fixed: link)
        write(byte: RecordLayout.currentFormat)
        write(byte: draft.cause.number)
        write(fixed: RecordFlags(draft.tracking, isDiscardable: draft.isDiscardable).rawValue)
        write(fixed: UInt64(0))
        write(fixed: draft.time.microseconds)
        write(fixed: UInt32(0))
        write(fixed: UInt32(0))
        if let target = draft.cause.target { write(varint: version.rawValue - target.rawValue) }
        entry.forEachWord(at: version) { write(varint: $0) }
        write(draft.name)
        write(draft.origin)
    }

    /// Completes the header and returns the record. The bytes are no longer needed here then.
    mutating func finish(
        version: Version, entry: HistoryEntry, stateHash: StateHash, eventCount: Int
    ) -> [UInt8] {
        patch(stateHash.rawValue, at: RecordLayout.stateHash)
        patch(UInt32(eventCount), at: RecordLayout.eventCount)
        patch(UInt32(clamping: entry.history(after: version)?.undoCount ?? 0), at: RecordLayout.steps)
        if case .node(let node) = entry, node.continues {
            let flags = withBytes { $0.loadUnaligned(fromByteOffset: RecordLayout.flags, as: UInt16.self) }
            patch(UInt16(littleEndian: flags) | RecordFlags.continues.rawValue, at: RecordLayout.flags)
        }
        patch(withBytes { RecordLayout.checksum($0, version: version) }, at: 0)
        let record = withBytes { Array($0) }
        clear()
        return record
    }
}
