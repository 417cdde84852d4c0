// A commit on its way into a block: split into its parts, after a check that the record follows from the parts and the
// state.
//
// Always holds: the record rebuilt from the header, the resolved events and the contents has the same bytes.

/// A commit whose record can be rebuilt byte for byte from its parts.
struct ExactCommit {
    let header: RecordHeader
    let name: String
    let origin: String
    /// The events, without the parts that follow from the state.
    private(set) var events: [PackedEvent] = []
    /// For each content of an event: whether it is in the record; otherwise it is a reference to an earlier one.
    private(set) var isNew: [Bool] = []
    /// Where the contents lie in the record.
    private(set) var contents: [Range<Int>] = []

    /// Applies a commit to the state and splits it into its parts.
    ///
    /// - Parameters:
    ///   - header: the header of the record, whose checksum was compared.
    ///   - state: the list before the commit; afterwards the list after it, in any case.
    ///   - writer: receives the rebuilt record.
    /// - Returns: nil if the record cannot be rebuilt from its parts: its rows differ from the rows of the state in
    ///   more than their ids, a number takes more bytes than it needs, the hash differs, or the kind of an event is
    ///   unknown.
    /// - Throws: ``RecordError``, ``ListError``: the record is damaged or does not fit the rows.
    init?(
        _ header: RecordHeader, _ record: UnsafeRawBufferPointer, _ state: inout ListState, link: UInt32,
        _ writer: inout ByteWriter
    ) throws {
        let version = state.version.next
        self.header = header
        (name, origin) = try header.names(record, version: version)
        var draft = CommitDraft(name: name, origin: origin, time: header.time)
        draft.cause = header.cause
        draft.tracking = header.tracking
        draft.isDiscardable = header.isDiscardable
        writer.begin(draft, version: version, entry: header.entry, link: link)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        var isKnown = true
        for _ in 0..<header.eventCount {
            let event = try reader.readEvent()
            guard let packed = PackedEvent(event) else {
                isKnown = false
                continue
            }
            try writer.write(state.resolve(packed), version: version) { writer, reference, isChecked, isNew in
                guard isNew else { return writer.write(reference, isChecked: isChecked, version) }
                write(reference, isChecked, version, record, to: &writer)
            }
            events.append(packed)
            try state.apply(event)
        }
        try reader.checkEnd(after: header.eventCount)
        state.version = version
        state.histories.note(try header.mark(in: record, version: version), at: version)
        guard isKnown, state.stateHash() == header.stateHash else { return nil }
        let again = writer.finish(
            version: version, entry: header.entry, stateHash: header.stateHash, eventCount: header.eventCount)
        guard again.elementsEqual(record) else { return nil }
    }

    /// Writes a content of the record: its bytes if they are at this position, otherwise a reference.
    private mutating func write(
        _ reference: ContentReference, _ isChecked: Bool, _ version: Version, _ record: UnsafeRawBufferPointer,
        to writer: inout ByteWriter
    ) {
        let start = writer.count
        let length = Int(reference.length)
        writer.write(varint: UInt64(length) << 2 | (isChecked ? 1 : 0))
        let offset = writer.count
        let isHere = reference.version == version && reference.offset == offset
        guard isHere && offset <= record.count && length <= record.count - offset else {
            writer.truncate(to: start)
            isNew.append(false)
            return writer.write(reference, isChecked: isChecked, version)
        }
        isNew.append(true)
        contents.append(offset..<offset + length)
        writer.write(raw: UnsafeRawBufferPointer(rebasing: record[offset..<offset + length]))
    }
}
