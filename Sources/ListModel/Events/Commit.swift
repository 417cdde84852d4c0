// A commit: the events of one user action, with its name, origin and time, and the record that is written to the log.
//
// Always holds: a `Commit` that exists was checked against its checksum; its header was decoded, its events were not.

/// The events of one user action: atomic in the log, and what one undo reverts.
public struct Commit: Sendable {
    /// Why a commit was made.
    public enum Cause: Hashable, Sendable {
        /// Somebody edited the list.
        case edit
        /// A commit (an edit or a redo) was undone.
        case undo(of: Version)
        /// An undo was taken back.
        case redo(of: Version)
    }

    /// The version that the commit made.
    public let version: Version
    /// Why it was made.
    public let cause: Cause
    /// What the user did, as a menu names it: "Add milk". An undo and a redo have the name of what they revert.
    public let name: String
    /// Who made it: a user, a device, a sync. May be empty.
    public let origin: String
    /// When it was made.
    public let time: Timestamp
    /// What undo and redo revert after it.
    public let history: History
    /// The hash of the list after it.
    public let stateHash: StateHash
    /// How many events it has.
    public let eventCount: Int
    /// The bytes that stand in the log.
    public let record: [UInt8]
    /// Where in the record the events begin, in bytes.
    let eventsOffset: Int
}

extension Commit {
    /// The checksum of the record; the next commit links to it.
    public var checksum: UInt64 {
        record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// A commit from its record.
    ///
    /// - Parameters:
    ///   - record: the bytes as they stand in the log.
    ///   - version: the version that the commit made, which is its place in the log.
    ///   - previousChecksum: the checksum of the commit before (0 for the first), or nil to leave the link unchecked.
    /// - Throws: ``RecordError`` if the bytes are damaged, foreign or newer than this library.
    /// - Complexity: O(bytes).
    public init(record: [UInt8], version: Version, previousChecksum: UInt64? = nil) throws {
        let (header, names) = try record.withUnsafeBytes { bytes in
            let header = try RecordHeader(bytes, version: version, previousChecksum: previousChecksum)
            return (header, try header.names(bytes, version: version))
        }
        self.init(
            version: version, cause: header.cause, name: names.name, origin: names.origin, time: header.time,
            history: header.history, stateHash: header.stateHash, eventCount: header.eventCount, record: record,
            eventsOffset: header.eventsOffset)
    }

    /// The events, in the order in which they happened.
    ///
    /// - Throws: ``RecordError`` if a record with a valid checksum holds something that this library does not know.
    /// - Complexity: O(bytes).
    public func events() throws -> [Event] {
        try record.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes, version: version)
            _ = try reader.readBytes(eventsOffset, "the header")
            var events: [Event] = []
            // Every event has bytes of its own; a number beyond that is found out while reading.
            events.reserveCapacity(min(eventCount, record.count))
            for _ in 0..<eventCount { events.append(try reader.readEvent()) }
            try reader.checkEnd(after: eventCount)
            return events
        }
    }
}
