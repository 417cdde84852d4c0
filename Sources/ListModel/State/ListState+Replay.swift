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
        guard next.rawValue < Limits.versions else {
            throw RecordError(
                version: next, offset: 0,
                problem: .invalid(
                    what: "version", expected: "at most \(Limits.versions - 1)", found: next.description))
        }
        let header = try RecordHeader(record, version: next, previousChecksum: previousChecksum)
        var reader = RecordReader(record, version: next, from: header.eventsOffset)
        // If the hashes are not compared on the way, they are computed once at the end.
        followsHashes = check == .everyHash
        defer { followsHashes = true }
        for _ in 0..<header.eventCount { try reader.readEvent(to: &self) }
        try reader.checkEnd(after: header.eventCount)
        version = next
        histories.note(try header.place(in: record, version: next), at: next)
        if check == .everyHash { try checkHash(header.stateHash) }
        return header.checksum
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
