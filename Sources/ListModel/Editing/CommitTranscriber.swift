// Makes records again from what was written down of commits elsewhere: in an export, by another build.
//
// The events are those that happened, so nothing is merged or computed again. Only the places of contents are new: a
// content is written into the record of the commit that needs it, even if an earlier record has it too.
//
// Always holds: every record was applied to the rows, and the rows then had the state hash that was written down.

/// What is written down of a commit, without its events.
public struct CommitTranscript: Hashable, Sendable {
    /// The version that the commit made.
    public var version: Version
    /// The cause of the commit.
    public var cause: Commit.Cause
    /// The name of the user's action.
    public var name: String
    /// Who made it.
    public var origin: String
    /// When it was made.
    public var time: Timestamp
    /// Which history it belongs to.
    public var tracking: Tracking
    /// Whether nothing needs to be saved because of it.
    public var isDiscardable: Bool
    /// Whether it continues the undo step of the commit before it in its scope.
    public var continuesStep: Bool
    /// Where it hangs in the tree of commits: how many steps undo can go back after it, and then the numbers that the file
    /// format has for its place in the history.
    public var place: [UInt64]
    /// The hash of the list after it.
    public var stateHash: StateHash

    /// What is written down of a commit.
    public init(_ commit: Commit) {
        (version, cause, name, origin) = (commit.version, commit.cause, commit.name, commit.origin)
        (time, tracking, isDiscardable) = (commit.time, commit.tracking, commit.isDiscardable)
        (continuesStep, stateHash) = (commit.continuesStep, commit.stateHash)
        place = [UInt64(commit.entry.steps)] + commit.entry.words(at: commit.version)
    }

    /// What was written down of a commit.
    public init(
        version: Version, cause: Commit.Cause, name: String, origin: String, time: Timestamp, tracking: Tracking,
        isDiscardable: Bool, continuesStep: Bool, place: [UInt64], stateHash: StateHash
    ) {
        (self.version, self.cause, self.name, self.origin) = (version, cause, name, origin)
        (self.time, self.tracking, self.isDiscardable) = (time, tracking, isDiscardable)
        (self.continuesStep, self.place, self.stateHash) = (continuesStep, place, stateHash)
    }

    /// The mark in the history.
    fileprivate func entry() throws -> HistoryEntry {
        var rest = place[...]
        func next() throws -> UInt64 {
            guard let number = rest.popFirst() else { throw mismatch("number", expected: "one more", found: "none") }
            return number
        }
        let steps = try next()
        if tracking == .untracked { return .untracked }
        let shape = HistoryEntry.Shape(
            isNode: !cause.isMove, continues: continuesStep, steps: Int(clamping: steps))
        return try HistoryEntry(shape, at: version, next: next) { what, found in
            mismatch("\(what)", expected: "one of this log", found: "\(found)")
        }
    }

    private func mismatch(_ what: String, expected: String, found: String) -> ListError {
        ListError.eventMismatch(what: "\(what) in the place of commit \(version)", expected: expected, found: found)
    }
}

/// What is written down of a history where a log begins whose earlier commits were dropped.
public struct HistoryTranscript: Hashable, Sendable {
    /// Whose history it is; nil for the one that all share.
    public var origin: String?
    /// The numbers that a checkpoint has of it: position, tip, newest revision, newest change of the branch, steps back,
    /// steps forward, depth.
    public var numbers: [UInt64]

    /// What was written down of a history.
    public init(origin: String?, numbers: [UInt64]) { (self.origin, self.numbers) = (origin, numbers) }

    private init(_ origin: String?, _ history: ListHistory) {
        let versions = [history.position, history.tip, history.newest, history.switched].map(\.rawValue)
        let counts = [history.undoCount, history.redoCount, history.depth].map { UInt64($0) }
        self.init(origin: origin, numbers: versions + counts)
    }

    /// What is written down of histories: the shared one, then those of origins, in the order of their UTF-8 bytes.
    package static func all(_ histories: HistoryTable) -> [HistoryTranscript] {
        let own = histories.own.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return [HistoryTranscript(nil, histories.shared)] + own.map { HistoryTranscript($0.key, $0.value) }
    }

    /// The history at a version.
    fileprivate func history(at version: Version) throws -> ListHistory {
        guard numbers.count == 7, numbers.allSatisfy({ $0 <= version.rawValue }) else {
            throw ListError.eventMismatch(
                what: "history of \(origin ?? "all")", expected: "seven numbers up to \(version)", found: "\(numbers)")
        }
        return ListHistory(
            position: Version(numbers[0]), tip: Version(numbers[1]), newest: Version(numbers[2]),
            switched: Version(numbers[3]), undoCount: Int(numbers[4]), redoCount: Int(numbers[5]),
            depth: Int(numbers[6]))
    }
}

/// Makes the records of commits, one after another from the first.
package struct CommitTranscriber: ~Copyable {
    /// The rows after the last record.
    package var state: ListState
    /// The checksum of the last record.
    private var checksum: UInt64 = 0
    private var writer = ByteWriter()
    /// The contents of the next commit.
    private var contents: [[UInt8]] = []

    /// A transcriber of a log that begins with a list without sections.
    package init(_ state: consuming ListState) { self.state = state }

    /// A content for the next commit.
    package mutating func content(_ bytes: [UInt8]) -> ContentReference {
        contents.append(bytes)
        return ContentReference(
            version: state.version.next, offset: UInt32(clamping: contents.count - 1),
            length: UInt32(clamping: bytes.count), hash: bytes.withUnsafeBytes { ContentReference.hash(of: $0) })
    }

    /// A content for the next commit that was erased; nil if the hash is not one.
    package func erasedContent(length: UInt32, hash: UInt64) -> ContentReference? {
        if hash >= SequenceHash.modulus { return nil }
        return ContentReference(
            version: state.version.next, offset: ContentReference.erasedOffset, length: length, hash: hash)
    }

    /// Begins after a version whose commits were dropped.
    ///
    /// - Parameters:
    ///   - version: the version, before any commit was made.
    ///   - sections: its rows, with contents of ``content(_:)``.
    ///   - histories: the histories at that version.
    /// - Returns: where the contents of its rows are from now on.
    package mutating func begin(
        at version: Version, _ sections: [ListSection], _ histories: [HistoryTranscript]
    ) throws -> [ContentReference: [UInt8]] {
        guard state.version == .empty, version > .empty, version.rawValue < Limits.versions else {
            throw ListError.eventMismatch(
                what: "oldest version", expected: "one before the first commit", found: "\(version)")
        }
        var places: [ContentReference: [UInt8]] = [:]
        let placed = try sections.map { section in
            var section = section
            section.items = try section.items.map { row in
                guard row.content.isErased || contents.indices.contains(Int(row.content.offset)) else {
                    throw ListError.eventMismatch(
                        what: "content of row \(row.id)", expected: "one of \(contents.count)", found: "another")
                }
                let reference = ContentReference(
                    version: version, offset: row.content.offset, length: row.content.length, hash: row.content.hash)
                if !reference.isErased { places[reference] = contents[Int(reference.offset)] }
                var row = row
                row.setContent(reference)
                return row
            }
            return section
        }
        try state.apply(.listReloaded(old: [], new: placed))
        state.version = version
        for history in histories {
            state.histories[history.origin.map { .origin($0) } ?? .shared] = try history.history(at: version)
        }
        contents = []
        return places
    }

    /// The record of the next commit.
    ///
    /// - Parameter events: what happened. Contents that rows get are those of ``content(_:)``; what events say of rows that
    ///   go is read from the rows.
    /// - Throws: `ListError` if the commit is not the next, an event does not fit the rows, or the rows have another hash
    ///   afterwards. The transcriber cannot be used then.
    package mutating func record(_ transcript: CommitTranscript, _ events: [ListEvent]) throws -> [UInt8] {
        let version = state.version.next
        guard transcript.version == version, transcript.cause.target.map({ $0 < version }) ?? true,
            transcript.cause.isMove || !events.isEmpty
        else {
            throw ListError.eventMismatch(
                what: "commit", expected: "version \(version), of earlier ones, with events",
                found: "version \(transcript.version), \(transcript.cause), with \(events.count) events")
        }
        var draft = CommitDraft(
            name: transcript.name, origin: transcript.origin, time: transcript.time, tracking: transcript.tracking,
            isDiscardable: transcript.isDiscardable)
        draft.cause = transcript.cause
        let entry = try transcript.entry()
        writer.begin(draft, version: version, entry: entry, link: RecordLayout.link(to: checksum))
        for event in events { try append(event, version) }
        guard writer.count <= Limits.recordBytes else { throw ListError.commitTooLarge(bytes: writer.count) }
        state.version = version
        state.histories.note(entry, in: draft.scope, at: version)
        try state.checkHash(transcript.stateHash)
        let record = writer.finish(
            version: version, entry: entry, stateHash: transcript.stateHash, eventCount: events.count)
        checksum = record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        contents.removeAll(keepingCapacity: true)
        return record
    }

    private mutating func append(_ event: ListEvent, _ version: Version) throws {
        let start = writer.count
        let contents = contents
        try writer.write(state.naming(event), version: version) { writer, content, isChecked, isNew in
            guard isNew else { return writer.write(content, isChecked: isChecked, version) }
            let isKnown = content.isErased || contents.indices.contains(Int(content.offset))
            guard content.version == version, isKnown else {
                throw ListError.eventMismatch(
                    what: "content", expected: "one of commit \(version)", found: "one of commit \(content.version)")
            }
            if content.isErased { return writer.write(content, isChecked: isChecked, version) }
            let isWritten = contents[Int(content.offset)].withUnsafeBytes {
                writer.write(newContent: $0, isChecked: isChecked, version) != nil
            }
            if !isWritten { throw ListError.commitTooLarge(bytes: writer.count) }
        }
        // With the contents where they are now.
        let written = try writer.withBytes { bytes in
            var reader = RecordReader(bytes, version: version, from: start)
            return try reader.readEvent()
        }
        try state.apply(written)
    }
}
