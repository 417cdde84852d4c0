// What stands in a record before its events: reading and checking it, and writing it.
//
// Layout of a record (all integers little-endian; see Docs/FileFormat.md):
//
//     0  checksum   u64  XXH64 of everything after it, with the version as the seed
//     8  link       u32  lower half of the checksum of the commit before
//    12  format     u8   1
//    13  cause      u8   0 edit, 1 undo, 2 redo
//    14  flags      u16  0; a bit that is not known is an error
//    16  state hash u64  of the list after the commit
//    24  time       i64  microseconds since 1970 UTC
//    32  events     u32  how many
//    36  varints: depth and top of undo and of redo, target (unless an edit); name, origin; then the events
//
// Always holds: a header that exists belongs to a record whose checksum was right.

/// The fixed places in a record, in bytes from its start.
enum RecordLayout {
    static let link = 8
    static let format = 12
    static let stateHash = 16
    static let eventCount = 32
    /// Where the part of varying length begins.
    static let variable = 36

    /// The newest format that this library reads, and the one it writes.
    static let currentFormat: UInt8 = 1

    /// The checksum that a record should have.
    static func checksum(_ record: UnsafeRawBufferPointer, version: Version) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: record[link...]), seed: version.rawValue)
    }
}

/// What stands in a record before its events.
package struct RecordHeader {
    var cause: Commit.Cause
    /// Where the name begins; the origin follows it.
    private var nameOffset: Int
    var time: Timestamp
    var history: History
    var stateHash: StateHash
    var eventCount: Int
    var checksum: UInt64
    var eventsOffset: Int

    /// Reads and checks the header, and the checksum of the whole record.
    init(_ bytes: UnsafeRawBufferPointer, version: Version, previousChecksum: UInt64?) throws {
        var reader = RecordReader(bytes, version: version)
        guard bytes.count >= RecordLayout.variable else { throw reader.error(.truncated(expected: "a header")) }
        checksum = try reader.read(fixed: UInt64.self, "a checksum")
        let expected = RecordLayout.checksum(bytes, version: version)
        guard checksum == expected else {
            throw RecordError(version: version, offset: 0, problem: .checksum(expected: expected, found: checksum))
        }
        let link = try reader.read(fixed: UInt32.self, "a link")
        if let previousChecksum, link != UInt32(truncatingIfNeeded: previousChecksum) {
            let problem = RecordError.Problem.link(expected: UInt32(truncatingIfNeeded: previousChecksum), found: link)
            throw RecordError(version: version, offset: RecordLayout.link, problem: problem)
        }
        let format = try reader.readByte("a format")
        guard format >= 1 && format <= RecordLayout.currentFormat else {
            throw RecordError(
                version: version, offset: RecordLayout.format, problem: .unknownFormat(found: Int(format)))
        }
        let causeByte = try reader.readByte("a cause")
        let flags = try reader.read(fixed: UInt16.self, "flags")
        guard flags == 0 else { throw reader.error(.unknown(what: "flags", found: Int(flags))) }
        stateHash = StateHash(rawValue: try reader.read(fixed: UInt64.self, "a state hash"))
        time = Timestamp(microseconds: try reader.read(fixed: Int64.self, "a time"))
        eventCount = Int(try reader.read(fixed: UInt32.self, "a number of events"))
        let undo = try RecordHeader.readStack(&reader)
        history = History(undo: undo, redo: try RecordHeader.readStack(&reader))
        switch causeByte {
        case 0: cause = .edit
        case 1: cause = .undo(of: try RecordHeader.readEarlier(&reader))
        case 2: cause = .redo(of: try RecordHeader.readEarlier(&reader))
        default: throw reader.error(.unknown(what: "cause", found: Int(causeByte)))
        }
        nameOffset = reader.offset
        _ = try reader.readBytes(try reader.readCount("a name"), "a name")
        _ = try reader.readBytes(try reader.readCount("an origin"), "an origin")
        eventsOffset = reader.offset
        // A commit has at least one event, and an event at least one byte: undo counts on the first.
        let mostEvents = bytes.count - eventsOffset
        guard eventCount >= 1 && eventCount <= mostEvents else {
            throw reader.error(
                .invalid(
                    what: "number of events", expected: "1 to \(mostEvents)", found: String(eventCount)))
        }
    }

    /// The name and the origin, which replay has no use for.
    func names(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> (name: String, origin: String) {
        var reader = RecordReader(bytes, version: version)
        _ = try reader.readBytes(nameOffset, "the header")
        let name = try reader.readString("a name")
        return (name, try reader.readString("an origin"))
    }

    /// The number of events of a commit, from a record that was checked when it was written or replayed.
    package static func eventCount(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> Int {
        var reader = RecordReader(bytes, version: version)
        _ = try reader.readBytes(RecordLayout.eventCount, "the header")
        return Int(try reader.read(fixed: UInt32.self, "a number of events"))
    }

    /// The history after a commit, from a record that was checked when it was written or replayed.
    ///
    /// - Complexity: O(1), whatever the size of the commit.
    package static func history(_ bytes: UnsafeRawBufferPointer, version: Version) throws -> History {
        var reader = RecordReader(bytes, version: version)
        _ = try reader.readBytes(RecordLayout.variable, "the header")
        let undo = try readStack(&reader)
        return History(undo: undo, redo: try readStack(&reader))
    }

    /// A version before that of the record, or the record's own, as a distance.
    private static func readEarlier(_ reader: inout RecordReader) throws -> Version {
        let distance = try reader.readVarint("a distance in versions")
        guard distance < reader.version.rawValue else {
            throw reader.error(.invalid(what: "version", expected: "one of this log", found: "\(distance) back"))
        }
        return Version(reader.version.rawValue - distance)
    }

    private static func readStack(_ reader: inout RecordReader) throws -> History.Stack {
        let depth = try reader.readIndex("a depth")
        guard depth <= reader.version.rawValue else {
            throw reader.error(.invalid(what: "depth", expected: "at most \(reader.version)", found: String(depth)))
        }
        return depth == 0 ? .empty : History.Stack(top: try readEarlier(&reader), depth: depth)
    }
}

extension RecordWriter {
    /// Writes the header of a commit; what is known only at its end is filled in by ``finish(stateHash:eventCount:)``.
    mutating func begin(_ draft: borrowing CommitDraft, version: Version, history: History, link: UInt32) {
        truncate(to: 0)
        write(fixed: UInt64(0))
        write(fixed: link)
        write(byte: RecordLayout.currentFormat)
        switch draft.cause {
        case .edit: write(byte: 0)
        case .undo: write(byte: 1)
        case .redo: write(byte: 2)
        }
        write(fixed: UInt16(0))
        write(fixed: UInt64(0))
        write(fixed: draft.time.microseconds)
        write(fixed: UInt32(0))
        for stack in [history.undo, history.redo] {
            write(count: stack.depth)
            if stack.depth > 0 { write(varint: version.rawValue - stack.top.rawValue) }
        }
        switch draft.cause {
        case .edit: break
        case .undo(let target), .redo(let target): write(varint: version.rawValue - target.rawValue)
        }
        write(draft.name)
        write(draft.origin)
    }

    /// Completes the header and returns the record.
    mutating func finish(version: Version, stateHash: StateHash, eventCount: Int) -> [UInt8] {
        patch(stateHash.rawValue, at: RecordLayout.stateHash)
        patch(UInt32(truncatingIfNeeded: eventCount), at: RecordLayout.eventCount)
        patch(withBytes { RecordLayout.checksum($0, version: version) }, at: 0)
        return withBytes { Array($0) }
    }
}
