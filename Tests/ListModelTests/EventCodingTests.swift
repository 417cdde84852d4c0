// Tests encoding and decoding of events and headers.

@testable import ListModel
import TestSupport
import Testing

@Suite("Event coding")
struct EventCodingTests {
    private static let version = Version(1 << 40)

    @Test("Every kind of event is read as it was written, with every kind of identifier")
    func everyKind() throws {
        let events = TestRecords.everyKind
        let commit = try Commit(record: TestRecords.record(of: events, version: Self.version), version: Self.version)
        let found = try commit.events()
        try #require(found.count == events.count && commit.eventCount == events.count)
        for (found, expected) in zip(found, events) {
            #expect(found == expected)
            #expect(found.references == expected.references)
        }
    }

    @Test("The test has an event of every kind")
    func kindsAreComplete() throws {
        let kinds = try TestRecords.everyKind.map { event in
            let commit = try Commit(
                record: TestRecords.record(of: [event], version: Self.version), version: Self.version)
            return commit.record[commit.eventsOffset]
        }
        #expect(Set(kinds) == Set(1...12))
    }

    @Test("Written again, an event that was read has the same bytes")
    func canonical() throws {
        for event in TestRecords.everyKind {
            let record = TestRecords.record(of: [event], version: Self.version)
            let events = try Commit(record: record, version: Self.version).events()
            #expect(TestRecords.record(of: events, version: Self.version) == record, "\(event)")
        }
    }

    @Test("The inverse of the inverse is the event; the inverse itself is another")
    func inverses() {
        for event in TestRecords.everyKind {
            #expect(event.inverse?.inverse == event)
            if case .listReloaded(old: [], new: []) = event { continue }
            #expect(event.inverse != event)
        }
    }

    /// History entries with numbers at the edges of their ranges.
    private static let entries: [HistoryEntry] = {
        let version = Version(1_000)
        let versions = [Version.empty, Version(1), Version(744), Version(999)]
        var entries: [HistoryEntry] = []
        for (index, other) in versions.enumerated() {
            for switched in versions + [version] {
                let left = switched == version ? HistorySwitch(left: other, previous: versions[3 - index]) : nil
                entries.append(
                    .node(
                        HistoryRevision(
                            version: version, parent: other, jump: versions[index / 2],
                            depth: [1, 127, 128, 1_000][index], steps: [1, 100, 128, 1][index],
                            continues: index % 2 == 1, previous: Version(999),
                            switched: switched, branchSwitch: left)))
                entries.append(
                    .move(
                        ListHistory(
                            position: other, tip: versions[3 - index], newest: Version(999), switched: switched,
                            undoCount: [0, 999, 1, 128][index], redoCount: [1_000, 0, 5, 127][index],
                            depth: [0, 1_000, 3, 128][index]), left))
            }
        }
        return entries
    }()

    @Test(
        "A header is read as it was written",
        arguments: [
            Commit.Cause.edit, .undo(of: Version(1)), .undo(of: Version(999)), .redo(of: Version(872)),
            .go(to: .empty), .go(to: Version(5)), .revert(of: Version(999)), .restore(of: .empty),
        ])
    func header(cause: Commit.Cause) throws {
        let version = Version(1_000)
        for entry in Self.entries {
            if case .node = entry, cause.isMove { continue }
            if case .move = entry, !cause.isMove { continue }
            for (tracking, isDiscardable) in [(Tracking.shared, false), (.own, true)] {
                let record = TestRecords.record(
                    of: [.sectionMoved(from: 0, to: 1, 7)], version: version, cause: cause,
                    name: "Rückgängig \u{21A9}", origin: "me", tracking: tracking, isDiscardable: isDiscardable,
                    entry: entry, link: 0x1234_5678)
                let commit = try Commit(record: record, version: version, previousChecksum: 0xFFFF_FFFF_1234_5678)
                #expect(commit.version == version)
                #expect(commit.cause == cause)
                #expect(commit.name == "Rückgängig \u{21A9}")
                #expect(commit.origin == "me")
                #expect(commit.entry == entry)
                #expect(commit.isDiscardable == isDiscardable)
                #expect(commit.scope == (tracking == .own ? .origin("me") : .shared))
                #expect(commit.stateHash == StateHash(rawValue: 0xABCD))
                #expect(commit.time == Timestamp(microseconds: 1))
                #expect(commit.record == record)
                let mark = try record.withUnsafeBytes { try RecordHeader.mark($0, version: version) }
                #expect(mark == commit.mark)
            }
        }
    }

    @Test("The record of an untracked commit has no history")
    func untracked() throws {
        let record = TestRecords.record(
            of: [.sectionMoved(from: 0, to: 1, 7)], version: Version(3), tracking: .untracked)
        let commit = try Commit(record: record, version: Version(3))
        #expect(commit.entry == .untracked && commit.history == nil && commit.scope == nil)
    }

    @Test("A checkout may have no events, an edit may not")
    func withoutEvents() throws {
        let undo = TestRecords.record(of: [], version: Version(3), cause: .undo(of: Version(2)))
        #expect(try Commit(record: undo, version: Version(3)).events().isEmpty)
        let edit = TestRecords.record(of: [], version: Version(3))
        #expect(throws: RecordError.self) { try Commit(record: edit, version: Version(3)) }
    }

    @Test("Times before 1970 and at the ends of the range are kept", arguments: [.min, -1, 0, 1, .max] as [Int64])
    func times(microseconds: Int64) throws {
        var list = MemoryList()
        let time = Timestamp(microseconds: microseconds)
        let made = try list.editor.commit(CommitDraft(name: "", time: time)) {
            try $0.insertSection(NewSection(id: 1))
        }
        let commit = try #require(made)
        #expect(try Commit(record: commit.record, version: Version(1)).time == time)
    }

    @Test("The commit of the editor equals the commit that is read from its record", arguments: 1...6)
    func editorCommits(seed: UInt64) throws {
        var list = MemoryList()
        var edits = RandomEdits(seed: seed)
        var reference = ReferenceList()
        var checksum: UInt64 = 0
        for step in 0..<400 {
            let made: Commit?
            if step % 10 == 9, list.editor.state.history.undoCount > 0 {
                made = try list.undo()
                reference = try list.contents()
            } else {
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                made = try list.commit { try $0.apply(operation) }
            }
            guard let made else { continue }
            let comment: Comment = "seed \(seed), step \(step)"
            let read = try Commit(record: made.record, version: made.version, previousChecksum: checksum)
            #expect(read.cause == made.cause && read.name == made.name && read.origin == made.origin, comment)
            #expect(read.history == made.history && read.history == list.editor.state.history, comment)
            #expect(read.stateHash == made.stateHash && read.stateHash == list.snapshot().stateHash, comment)
            #expect(read.eventsOffset == made.eventsOffset && read.time == made.time, comment)
            #expect(try read.events() == made.events(), comment)
            #expect(try read.events().count == made.eventCount && made.eventCount > 0, comment)
            checksum = made.checksum
        }
    }

    @Test("New content is stored in the record of its commit, and an undo refers to it")
    func contentStaysWhereItWasWritten() throws {
        var list = MemoryList()
        let content = Array("the content of the row".utf8)
        let made = try list.commit { editor in
            try editor.insertSection(NewSection(id: "s", items: [NewRow(id: 1, content: content)]))
        }
        let inserted = list.editor.state.item(1)
        let reference = try #require(inserted).content
        #expect(reference.version == Version(1) && Int(reference.length) == content.count)
        let record = try #require(made).record
        #expect(Array(record[Int(reference.offset)..<Int(reference.offset) + content.count]) == content)
        try list.commit { try $0.delete(.item(1)) }
        let undo = try list.undo()
        #expect(undo.record.count < 100)
        #expect(list.editor.state.item(1)?.content == reference)
        #expect(try list.log.content(of: reference) == content)
        #expect(
            try undo.events() == [
                .itemsInserted(
                    at: ListIndexPath(section: 0, item: 0),
                    .one(UntypedRow(id: 1, isChecked: false, content: reference)))
            ])
    }

    @Test("Varints of every length are read as written, and one of more than 64 bits is an error")
    func varints() throws {
        let values = (0..<64).flatMap { [UInt64(1) << $0, (UInt64(1) << $0) - 1] } + [.max]
        var writer = ByteWriter()
        for value in values { writer.write(varint: value) }
        try writer.withBytes { bytes in
            var reader = RecordReader(bytes, version: Version(1))
            for value in values {
                let found = try reader.readVarint("a value")
                #expect(found == value)
            }
            #expect(reader.isAtEnd)
        }
        let tooLong: [[UInt8]] = [
            Array(repeating: 0xFF, count: 9) + [0x02], Array(repeating: 0x80, count: 10) + [0x00],
            Array(repeating: 0xFF, count: 20),
        ]
        for bytes in tooLong {
            #expect(throws: RecordError.self) {
                try bytes.withUnsafeBytes { bytes in
                    var reader = RecordReader(bytes, version: Version(1))
                    _ = try reader.readVarint("a value")
                }
            }
        }
    }

    @Test("Content beyond the range of offsets is refused before a byte of it is read")
    func contentTooLarge() {
        var writer = ByteWriter()
        let fourGigabytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: 0x1000), count: Int(UInt32.max) + 1)
        #expect(writer.write(newContent: fourGigabytes, isChecked: false, Version(1)) == nil)
    }
}
