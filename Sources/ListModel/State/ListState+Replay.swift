// Replay: applies the records of a log, commit by commit.
//
// Always holds: replay throws for a commit whose record is damaged, does not follow the state's version, or does not
// fit the rows. The state is then invalid, and replay has to start again from an intact one.

/// The checks of a replay.
package enum ReplayCheck: Sendable {
    /// The checksums and links of all records, and whether every event fits.
    case records
    /// In addition the state hash after every commit.
    case everyHash
}

extension ListState {
    /// Applies the next commit to the state.
    ///
    /// - Parameters:
    ///   - record: the commit's record.
    ///   - previousChecksum: the checksum of the commit that made the present version; 0 for the empty list.
    /// - Returns: the checksum of the record, which the next commit links to.
    /// - Throws: ``RecordError`` for damaged bytes, ``ListError`` for events that do not fit.
    /// - Complexity: O(k log n) for k rows that the commit names.
    public mutating func replay(_ record: UnsafeRawBufferPointer, previousChecksum: UInt64) throws -> UInt64 {
        try replay(record, previousChecksum: previousChecksum, check: .records)
    }

    /// Folds the next commit into the state, as ``replay(_:previousChecksum:)`` does, and makes the comparisons that
    /// `check` names.
    package mutating func replay(
        _ record: UnsafeRawBufferPointer, previousChecksum: UInt64, check: ReplayCheck
    ) throws -> UInt64 {
        let next = version.next
        let header = try RecordHeader(record, version: next, previousChecksum: previousChecksum)
        var reader = RecordReader(record, version: next, from: header.eventsOffset)
        // If the hashes are not compared on the way, they are computed once at the end.
        followsHashes = check == .everyHash
        defer { followsHashes = true }
        for _ in 0..<header.eventCount { try fold(&reader) }
        try reader.checkEnd(after: header.eventCount)
        version = next
        histories.note(try header.mark(in: record, version: next), at: next)
        if check == .everyHash { try checkHash(header.stateHash) }
        return header.checksum
    }

    /// Reads the next event and applies it. No `ListEvent` is made of the events that most logs consist of.
    @inline(__always)
    private mutating func fold(_ reader: inout RecordReader) throws {
        let start = reader
        switch EventKind(rawValue: try reader.readByte("an event")) {
        case .itemsInserted: try itemsInserted(at: try reader.readPath(), try reader.readItems())
        case .itemsDeleted: try itemsDeleted(at: try reader.readPath(), try reader.readItems())
        case .itemsMoved:
            try itemsMoved(from: try reader.readPath(), to: try reader.readPath(), try reader.readIdentifiers())
        case .itemToggled:
            try itemToggled(
                at: try reader.readPath(), try reader.readIdentifier(), isChecked: try reader.readBool("a checkmark"))
        case .itemUpdated:
            try itemUpdated(
                at: try reader.readPath(), try reader.readIdentifier(), old: try reader.readContent().reference,
                new: try reader.readContent().reference)
        default:
            reader = start
            try apply(reader.readEvent())
        }
    }

    /// Checks that the hash of the rows is the state hash of a commit.
    package mutating func checkHash(_ expected: StateHash) throws {
        let found = stateHash()
        guard found == expected else {
            throw ListError.eventMismatch(
                what: "state hash of version \(version)", expected: expected.description, found: found.description)
        }
    }
}

// MARK: - Backwards

extension ListState {
    /// Reverts the newest commit.
    ///
    /// - Parameter record: the record of the commit that made the present version.
    /// - Throws: ``RecordError`` for damaged bytes, ``ListError`` for events that do not fit.
    /// - Complexity: O(k log n) for k rows that the commit names.
    package mutating func unreplay(_ record: UnsafeRawBufferPointer) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        for event in try reader.readEvents(header.eventCount).reversed() {
            if let inverse = event.inverse { try apply(inverse) }
        }
        version = Version(version.rawValue - 1)
    }

    /// Checks that the hash of the rows is the state hash in the record of their version.
    ///
    /// - Parameter record: the record of the commit that made the present version.
    package mutating func checkHash(in record: UnsafeRawBufferPointer) throws {
        try checkHash(try RecordHeader(record, version: version, previousChecksum: nil).stateHash)
    }
}
