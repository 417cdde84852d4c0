// Reverts commits one after another, to read a past version.
//
// Every event contains its inverse, so a version can be computed from a later version as well as from an earlier one,
// whichever is nearer. This does not change the histories.

extension ListState {
    /// Reverts the newest commit.
    ///
    /// - Parameter record: the record of the commit that made the present version.
    /// - Throws: ``RecordError`` for damaged bytes, ``ListError`` for events that do not fit.
    /// - Complexity: O(k log n) for k rows that the commit names.
    package mutating func unreplay(_ record: UnsafeRawBufferPointer) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        var events: [Event] = []
        events.reserveCapacity(header.eventCount)
        for _ in 0..<header.eventCount { events.append(try reader.readEvent()) }
        try reader.checkEnd(after: header.eventCount)
        for event in events.reversed() {
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
