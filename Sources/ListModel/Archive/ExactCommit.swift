// A commit on its way into a block and out of it: its parts, and the record that follows from them and the state.
//
// Always holds: a commit is packed only if the record that is rebuilt from its parts has the same bytes.

/// The parts of a commit, as a block stores them.
struct ExactCommit {
    let header: PackedCommit
    let stateHash: StateHash
    let checksum: UInt64
    /// The events of the record.
    private let events: [ListEvent]
    /// The same, without the parts that follow from the state.
    private(set) var packed: [PackedEvent] = []
    /// Where the contents of each event lie in the record, in its order; nil stands for a reference to an earlier one.
    private(set) var contents: [[Range<Int>?]] = []

    /// The parts of a record.
    ///
    /// - Returns: nil if the kind of an event is unknown.
    /// - Throws: ``RecordError`` if the record is damaged.
    init?(_ record: UnsafeRawBufferPointer, version: Version, previousChecksum: UInt64) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: previousChecksum)
        let (name, origin) = try header.names(record, version: version)
        self.header = PackedCommit(
            version: version, cause: header.cause, name: name, origin: origin, time: header.time,
            tracking: header.tracking, isDiscardable: header.isDiscardable,
            mark: HistoryMark(scope: header.tracking.scope { origin }, entry: header.entry),
            eventCount: header.eventCount)
        (stateHash, checksum) = (header.stateHash, header.checksum)
        var reader = RecordReader(record, version: version, from: header.eventsOffset)
        events = try reader.readEvents(header.eventCount)
        var end = header.eventsOffset
        for event in events {
            guard let event = PackedEvent(event) else { return nil }
            contents.append(
                event.contents.map { content in
                    // If this guess is wrong, another record is rebuilt.
                    let place = content.place(in: record, of: version, after: end)
                    if let place { end = place.upperBound }
                    return place
                })
            packed.append(event)
        }
    }

    /// Folds the commit into a state.
    ///
    /// - Returns: whether the record can be rebuilt from the parts. It cannot if its rows differ from the rows of the state in
    ///   more than their ids, a number takes more bytes than it needs, or the hash differs.
    /// - Throws: ``ListError`` if an event does not fit the rows.
    func isExact(
        _ record: UnsafeRawBufferPointer, _ state: inout ListState, link: UInt32, _ writer: inout ByteWriter
    ) throws -> Bool {
        var index = 0
        let again = try state.rebuild(header, link: link, atMost: .max, &writer) { state in
            defer { index += 1 }
            let contents = contents[index].map { $0.map { UnsafeRawBufferPointer(rebasing: record[$0]) } }
            return (events[index], try state.resolve(packed[index]), contents)
        }
        return again.elementsEqual(record)
    }
}

extension ListState {
    /// Folds a commit, and returns its record.
    ///
    /// - Parameters:
    ///   - most: how many bytes it may have.
    ///   - next: returns the next event, the same event as the record states it, and the contents that stand there; nil
    ///     for each that is a reference.
    /// - Throws: ``ListError`` if an event does not fit the rows, ``RecordError`` if there are too many bytes, and what `next`
    ///   throws.
    mutating func rebuild(
        _ commit: PackedCommit, link: UInt32, atMost most: Int, _ writer: inout ByteWriter,
        _ next: (borrowing ListState) throws -> (ListEvent, stated: ListEvent, contents: [UnsafeRawBufferPointer?])
    ) throws -> [UInt8] {
        var draft = CommitDraft(name: commit.name, origin: commit.origin, time: commit.time)
        draft.cause = commit.cause
        draft.tracking = commit.tracking
        draft.isDiscardable = commit.isDiscardable
        writer.begin(draft, version: commit.version, entry: commit.mark.entry, link: link)
        for _ in 0..<commit.eventCount {
            let (event, stated, contents) = try next(self)
            var rest = contents.makeIterator()
            writer.write(stated, version: commit.version) { writer, reference, isChecked, isNew in
                let start = writer.count
                if isNew, let content = rest.next() ?? nil {
                    writer.write(varint: UInt64(content.count) << 2 | (isChecked ? 1 : 0))
                    if writer.count == Int(reference.offset) { return writer.write(raw: content) }
                    // It is not where it should be: the record becomes another one, which its checksum shows.
                    writer.truncate(to: start)
                }
                writer.write(reference, isChecked: isChecked, commit.version)
            }
            guard writer.count <= most else {
                throw RecordError(
                    version: commit.version, offset: writer.count,
                    problem: .invalid(what: "record", expected: "at most \(most) bytes", found: "more"))
            }
            try apply(event)
        }
        version = commit.version
        histories.note(commit.mark, at: version)
        return writer.finish(
            version: version, entry: commit.mark.entry, stateHash: stateHash(), eventCount: commit.eventCount)
    }
}
