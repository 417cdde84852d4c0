// Tests ancillary events, which do not change the rows: annotations, and unknown ones of a newer release.

@testable import ListModel
import TestSupport
import Testing

@Suite("Ancillary events")
struct AncillaryEventTests {
    private static let version = Version(1_000)

    private static func read(_ bytes: [UInt8]) throws -> [ListEvent] {
        var record = TestRecords.record(of: [], version: version, eventCount: 1)
        record += bytes
        return try Commit(record: TestRecords.resealed(record, version: version), version: version).events()
    }

    @Test("An annotation and an unknown event are read as they were written")
    func coding() throws {
        var events: [ListEvent] = [
            .annotated(name: "", value: []), .annotated(name: "selection", value: [0, 255]),
            .annotated(name: "Zoë \u{1F95B}", value: Array(repeating: 7, count: 300)),
            .annotated(name: String(repeating: "n", count: 127), value: []),
            .annotated(name: String(repeating: "n", count: 128), value: [1]),
        ]
        for kind in UInt8(129)...255 { events.append(.unrecognised(kind: kind, payload: [kind, 1, 2])) }
        events.append(.unrecognised(kind: 255, payload: Array(repeating: 9, count: 200)))
        let record = TestRecords.record(of: events, version: Self.version)
        #expect(try Commit(record: record, version: Self.version).events() == events)
        for event in events { #expect(event.isAncillary && event.inverse == nil) }
        for event in TestRecords.everyKind { #expect(!event.isAncillary && event.inverse != nil) }
    }

    @Test("An unknown critical kind is refused with version, byte and kind; an unknown ancillary one is read")
    func criticality() throws {
        let known = Set<UInt8>(1...12)
        for kind in UInt8.min...UInt8.max where !known.contains(kind) && kind != 128 {
            do {
                let events = try Self.read([kind, 2, 5, 6])
                #expect(kind >= 128 && events == [.unrecognised(kind: kind, payload: [5, 6])], "kind \(kind)")
            } catch let error as RecordError {
                #expect(kind < 128, "kind \(kind)")
                let start = TestRecords.record(of: [], version: Self.version).count
                #expect(
                    error
                        == RecordError(
                            version: Self.version, offset: start,
                            problem: .unknown(what: "kind of event", found: Int(kind))))
                #expect(error.description.contains("written by a newer version of the library"))
            }
        }
    }

    @Test(
        "A payload of a wrong size is refused",
        arguments: [
            [200, 1], [200], [200, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [128, 2, 1],
            [128, 0], [128, 1, 1], [128, 2, 2, 65], [128, 2, 1, 0xFF],
        ] as [[UInt8]])
    func payloads(bytes: [UInt8]) throws {
        #expect(throws: RecordError.self) { try Self.read(bytes) }
    }

    @Test("A name that extends beyond its payload is refused, even if there are more bytes")
    func nameBeyondPayload() throws {
        // The payload has two bytes; the name claims three, which would extend into the next event.
        #expect(throws: RecordError.self) { try Self.read([128, 2, 3, 65, 66, 67]) }
        #expect(try Self.read([128, 4, 3, 65, 66, 67]) == [.annotated(name: "ABC", value: [])])
    }

    @Test("An annotation is an event of its commit; undo and redo ignore it")
    func undoing() throws {
        var list = try MemoryList([[1, 2, 3]])
        let before = try list.contents()
        let made = try list.commit { editor in
            editor.annotate("before", with: [1])
            try editor.toggle(.item(2))
            editor.annotate("after", with: [2])
            editor.annotate("after", with: [3])
        }
        let commit = try #require(made)
        #expect(commit.eventCount == 4)
        #expect(
            try commit.annotations() == [
                CommitAnnotation(name: "before", value: [1]), CommitAnnotation(name: "after", value: [2]),
                CommitAnnotation(name: "after", value: [3]),
            ])
        #expect(try commit.annotation(named: "after") == [3])
        #expect(try commit.annotation(named: "other") == nil)
        let after = try list.contents()
        let undo = try list.undo()
        #expect(try undo.events().count == 1 && undo.annotations().isEmpty)
        #expect(try list.contents() == before)
        _ = try list.redo()
        #expect(try list.contents() == after)
        // A backward replay to an old version also ignores annotations.
        var state = try Self.replayed(list.log)
        while state.version > Version(1) {
            try list.log.record(of: state.version).withUnsafeBytes { try state.unreplay($0) }
        }
        #expect(try ReferenceList(state.snapshot(), list.log) == before)
    }

    private static func replayed(_ log: MemoryLog) throws -> ListState {
        var state = ListState()
        var checksum: UInt64 = 0
        for version in 1...log.head.rawValue {
            checksum = try log.record(of: Version(version)).withUnsafeBytes {
                try state.replay($0, previousChecksum: checksum, check: .everyHash)
            }
        }
        return state
    }

    @Test("Annotations alone make no commit, and leave nothing behind")
    func annotationsAlone() throws {
        var list = try MemoryList([[1]])
        let head = list.log.head
        #expect(try list.commit { $0.annotate("selection", with: [1]) } == nil)
        #expect(list.log.head == head && list.editor.pendingEventCount == 0)
        let next = try list.commit { try $0.toggle(.item(1)) }
        #expect(try #require(next).annotations().isEmpty)
    }

    @Test(
        "A commit with an annotation that only the library may attach is refused",
        arguments: [CommitAnnotation.identifier, CommitAnnotation.lostRace])
    func reservedNames(name: String) throws {
        struct Stop: Error {}
        var list = try MemoryList([[1]])
        let before = try list.contents()
        for isToggled in [true, false] {
            #expect(throws: ListError.reservedAnnotation(name)) {
                try list.commit { editor in
                    if isToggled { try editor.toggle(.item(1)) }
                    editor.annotate(name, with: [1])
                }
            }
            #expect(try list.contents() == before)
        }
        // It goes with the edits that are taken back.
        let made = try list.commit { editor in
            editor.annotate(name, with: [1])
            editor.cancel()
            try? editor.atomically { editor in
                editor.annotate(name, with: [2])
                throw Stop()
            }
            try editor.toggle(.item(1))
        }
        #expect(try #require(made).annotations().isEmpty)
    }

    @Test("If an edit in a commit is rolled back, its annotations are too")
    func rollingBack() throws {
        struct Stop: Error {}
        var list = try MemoryList([[1, 2]])
        #expect(throws: Stop.self) {
            try list.commit { editor in
                editor.annotate("lost", with: [1])
                try editor.toggle(.item(1))
                throw Stop()
            }
        }
        let made = try list.commit { editor in
            editor.annotate("kept", with: [2])
            try? editor.atomically { editor in
                editor.annotate("lost", with: [3])
                try editor.toggle(.item(1))
                throw Stop()
            }
        }
        // Only an annotation is left, and that makes no commit.
        #expect(made == nil)
        let toggled = try list.commit { editor in
            try? editor.atomically { editor in
                try editor.toggle(.item(2))
                editor.annotate("lost", with: [3])
                throw Stop()
            }
            try editor.toggle(.item(1))
        }
        #expect(try #require(toggled).events().count == 1)
    }

    @Test("Undo of a commit with only unknown ancillary events is a commit, and the steps before can be undone")
    func nothingToTakeBack() throws {
        var list = try MemoryList([[1]])
        try list.commit { try $0.toggle(.item(1)) }
        let toggled = try list.contents()
        // Only a newer release makes such a commit.
        let draft = CommitDraft(name: "newer", time: Timestamp(microseconds: 0))
        try list.editor.begin(draft)
        try list.editor.append(.unrecognised(kind: 200, payload: [1]))
        let newer = try #require(try list.editor.finish())
        list.log.append(newer)
        let undo = try list.undo()
        #expect(undo.cause == .undo(of: newer.version) && undo.eventCount == 0)
        #expect(try list.contents() == toggled)
        try list.undo()
        #expect(list.snapshot().item(at: ListIndexPath(0, 0))?.isChecked == false)
        try list.redo()
        #expect(try list.contents() == toggled)
        try list.redo()
        #expect(try list.contents() == toggled)
        _ = try Self.replayed(list.log)
    }

    @Test(
        "Annotations in random commits do not change the result of a replay",
        arguments: 0..<6 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var plain = MemoryList()
        var annotated = MemoryList()
        var edits = RandomEdits(seed: seed)
        for _ in 0..<120 {
            let reference = try plain.contents()
            let operation = edits.next(reference)
            if edits.generator.oneIn(5), plain.editor.state.history.undoCount > 0 {
                try plain.undo()
                try annotated.undo()
            } else {
                _ = try? plain.commit { try $0.apply(operation) }
                _ = try? annotated.commit { editor in
                    editor.annotate("n", with: [1, 2])
                    try editor.apply(operation)
                    editor.annotate("m", with: [3])
                }
            }
            try #require(plain.snapshot().stateHash == annotated.snapshot().stateHash, "seed \(seed)")
        }
        #expect(plain.log.head == annotated.log.head, "seed \(seed)")
        _ = try Self.replayed(annotated.log)
    }
}
