// Going back: taking commits back one after the other, to look at the past.
//
// Every event carries its inverse, so a version can be reached from a later one as well as from an earlier one, whichever
// is nearer. Nothing of this touches what undo and redo would revert.

extension ListState {
    /// Takes the newest commit back.
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

    /// Compares the hash of the rows with the one that the record of their version says they have.
    ///
    /// - Parameter record: the record of the commit that made the present version.
    package mutating func checkHash(in record: UnsafeRawBufferPointer) throws {
        try checkHash(try RecordHeader(record, version: version, previousChecksum: nil).stateHash)
    }
}
