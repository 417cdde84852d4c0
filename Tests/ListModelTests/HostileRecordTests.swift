// Tests records that an attacker made: any bytes, with a right checksum. No value in them is trusted.

@testable import ListModel
import TestSupport
import Testing

@Suite("Hostile records")
struct HostileRecordTests {
    /// The outcome of reading a hostile record.
    enum Outcome: Hashable { case refused, doesNotFit, accepted }

    /// Decodes a record and replays it after those before it; rethrows any error but the two typed ones.
    private func outcome(_ record: [UInt8], at index: Int, in log: [[UInt8]]) throws -> Outcome {
        let version = Version(UInt64(index) + 1)
        do { _ = try Commit(record: record, version: version).events() } catch is RecordError { return .refused }
        var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var checksum: UInt64 = 0
        for before in log[..<index] {
            checksum = try before.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
        }
        do {
            _ = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
        } catch is RecordError {
            return .refused
        } catch is ListError {
            return .doesNotFit
        }
        // An accepted record gives a valid list: it can be shown, edited and undone.
        try state.checkInvariants()
        let checksumAfter = try Commit(record: record, version: version).checksum
        let source = ArraySource(records: log[..<index] + [record])
        var editor = UntypedEditor(state, checksum: checksumAfter, source: source)
        _ = editor.snapshot()
        do {
            let time = Timestamp(microseconds: 0)
            if editor.state.history.undoCount > 0 { _ = try editor.undo(time: time) }
            _ = try editor.commit(CommitDraft(name: "", time: time)) { try $0.insertSection(NewSection(id: "fresh")) }
        } catch is RecordError {} catch is ListError {} catch is ArraySource.Missing {}
        try editor.checkInvariants()
        return .accepted
    }

    @Test("A record with any one byte replaced and a right checksum is refused or read, without a crash")
    func everyByte() throws {
        let log = try DamagedRecordTests.log()
        var outcomes: [Outcome: Int] = [:]
        for (index, record) in log.enumerated() {
            for offset in RecordLayout.format..<record.count {
                for value in [0, 1, 2, 3, 0x7F, 0x80, 0xFF, record[offset] ^ 1, record[offset] &+ 1] as Set<UInt8> {
                    let hostile = TestRecords.resealed(
                        record, version: Version(UInt64(index) + 1), byte: value, at: offset)
                    outcomes[try outcome(hostile, at: index, in: log), default: 0] += 1
                }
            }
        }
        #expect(outcomes.count == 3, "\(outcomes)")
    }

    @Test("A record with bytes replaced, removed, doubled and inserted never causes a crash", arguments: 1...12)
    func randomDamage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try DamagedRecordTests.log()
        for round in 0..<1_500 * Soak.factor {
            let index = Int.random(in: 0..<log.count, using: &generator)
            var record = log[index]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: RecordLayout.format..<record.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: record[offset] = UInt8.random(in: 0...255, using: &generator)
                case 1: record.removeSubrange(offset..<min(record.count, offset + 3))
                case 2: record.insert(contentsOf: record[offset..<min(record.count, offset + 9)], at: offset)
                default:
                    let bytes = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    record.insert(contentsOf: bytes, at: offset)
                }
                if record.count <= RecordLayout.variable { break }
            }
            let hostile = TestRecords.resealed(record, version: Version(UInt64(index) + 1))
            do { _ = try outcome(hostile, at: index, in: log) } catch {
                Issue.record("seed \(seed), round \(round): \(error)")
            }
        }
    }

    @Test("A record with a number of up to 2⁶⁴ − 1 at any place is refused or read, without a crash")
    func greatNumbers() throws {
        let log = try DamagedRecordTests.log()
        var outcomes: [Outcome: Int] = [:]
        for (index, record) in log.enumerated() {
            for offset in RecordLayout.variable..<record.count {
                for number in HostileNodeTests.greatNumbers {
                    var hostile = record
                    hostile.replaceSubrange(offset...offset, with: number)
                    hostile = TestRecords.resealed(hostile, version: Version(UInt64(index) + 1))
                    outcomes[try outcome(hostile, at: index, in: log), default: 0] += 1
                }
            }
        }
        #expect(outcomes[.refused, default: 0] > 1_000, "\(outcomes)")
    }

    // MARK: Fields that could ask for too much

    private static let event = ListEvent.sectionInserted(at: 0, ListSection(id: 7, title: "", items: []))

    @Test("A commit that states no events is refused: there would be nothing to undo")
    func noEvents() {
        let record = TestRecords.record(of: [], version: Version(1))
        #expect(throws: RecordError.self) { try Commit(record: record, version: Version(1)) }
    }

    @Test(
        "A commit that states more events than bytes is refused before memory is allocated",
        arguments: [
            2, 1_000, Int(UInt32.max),
        ])
    func tooManyEvents(count: Int) {
        let record = TestRecords.record(of: [Self.event], version: Version(1), eventCount: count)
        #expect(throws: RecordError.self) { try Commit(record: record, version: Version(1)).events() }
    }

    @Test("A commit with bytes after its last event is refused")
    func bytesBehindTheEvents() {
        let record = TestRecords.record(of: [Self.event, Self.event], version: Version(1), eventCount: 1)
        #expect(throws: RecordError.self) { try Commit(record: record, version: Version(1)).events() }
        var state = ListState()
        #expect(throws: RecordError.self) {
            try record.withUnsafeBytes { _ = try state.replay($0, previousChecksum: 0) }
        }
    }

    @Test(
        "Steps and depths that are more than the log has versions are refused", arguments: [4, 1_000, Int(UInt32.max)])
    func tooManySteps(count: Int) {
        func node(depth: Int, steps: Int) -> HistoryEntry {
            .node(
                HistoryRevision(
                    version: Version(3), parent: Version(2), jump: .empty, depth: depth, steps: steps,
                    continues: false, previous: Version(2), switched: .empty, branchSwitch: nil))
        }
        func move(undo: Int, redo: Int, depth: Int) -> HistoryEntry {
            .move(
                ListHistory(
                    position: Version(1), tip: Version(2), newest: Version(2), switched: .empty, undoCount: undo,
                    redoCount: redo, depth: depth), nil)
        }
        for entry in [node(depth: count, steps: 3), node(depth: 3, steps: count)] {
            let record = TestRecords.record(of: [Self.event], version: Version(3), entry: entry)
            #expect(throws: RecordError.self) { try Commit(record: record, version: Version(3)) }
        }
        for entry in [
            move(undo: count, redo: 1, depth: 1), move(undo: 1, redo: count, depth: 1),
            move(undo: 1, redo: 1, depth: count),
        ] {
            let record = TestRecords.record(
                of: [Self.event], version: Version(3), cause: .undo(of: Version(2)), entry: entry)
            #expect(throws: RecordError.self) { try Commit(record: record, version: Version(3)) }
        }
    }

    @Test("A record of a version that no log can have is refused, and so are its numbers beyond 63 bits")
    func impossibleVersions() {
        for number in [Limits.versions, 1 << 63, .max] as [UInt64] {
            let version = Version(number)
            let entry = HistoryEntry.node(
                HistoryRevision(
                    version: version, parent: version.previous, jump: .empty, depth: Int(truncatingIfNeeded: number),
                    steps: 1, continues: false, previous: version.previous, switched: .empty, branchSwitch: nil))
            let record = TestRecords.record(of: [Self.event], version: version, entry: entry)
            #expect(throws: RecordError.self) { try Commit(record: record, version: version) }
            // Reading the mark alone does not check the version.
            if Int(exactly: number) != nil { continue }
            #expect(throws: RecordError.self) {
                try record.withUnsafeBytes { _ = try RecordHeader.mark($0, version: version) }
            }
        }
    }

    @Test("A count that is larger than the bytes that follow is refused")
    func tooLargeCounts() throws {
        let path = ListIndexPath(section: 0, item: 0)
        let events: [ListEvent] = [
            .itemsMoved(from: path, to: path, .many(["x", "y"])),
            .sectionInserted(at: 0, ListSection(id: "x", title: "", items: [])),
            .listReloaded(old: [], new: []),
        ]
        for event in events {
            let record = TestRecords.record(of: [event], version: Version(1))
            let start = try Commit(record: record, version: Version(1)).eventsOffset
            for offset in start + 1..<record.count {
                // Nine bytes of ones: a count of 2⁶³ − 1, or an impossible index.
                var hostile = record
                hostile.replaceSubrange(offset...offset, with: Array(repeating: 0xFF, count: 8) + [0x7F])
                let sealed = TestRecords.resealed(hostile, version: Version(1))
                var state = ListState()
                #expect(throws: (any Error).self, "\(event), byte \(offset)") {
                    try sealed.withUnsafeBytes { _ = try state.replay($0, previousChecksum: 0) }
                }
            }
        }
    }

    @Test("Text that is not UTF-8, a run without rows and a checkmark of 2 are invalid")
    func invalidValues() throws {
        let path = ListIndexPath(section: 0, item: 0)
        let cases: [(event: ListEvent, fromEnd: Int, byte: UInt8, what: String)] = [
            (.sectionRenamed(at: 0, 1, old: "", new: "x"), 1, 0xC3, "title"),
            (.itemsMoved(from: path, to: path, .one(1)), 3, 0, "number of rows"),
            (.itemToggled(at: path, 1, isChecked: true), 1, 2, "checkmark"),
            (.itemToggled(at: path, 1, isChecked: true), 3, 3, "kind of identifier"),
            (.itemToggled(at: path, 1, isChecked: true), 3, 4, "kind of identifier"),
            (.itemCollapsed(at: path, 1, isCollapsed: true), 1, 2, "whether a row is collapsed"),
            (.itemsIndented(at: path, .one(1), by: 1), 4, 0, "change of depth"),
            (.itemsIndented(at: path, .one(1), by: 1), 4, 127, "change of depth"),
            (.itemsInserted(at: path, .one(TestRecords.deepItem)), 13, 0, "place in an outline"),
            (.itemsInserted(at: path, .one(TestRecords.deepItem)), 13, 128, "place in an outline"),
            (.itemsInserted(at: path, .one(TestRecords.deepItem)), 14, 7, "kind of identifier"),
        ]
        for (event, fromEnd, byte, what) in cases {
            let record = TestRecords.record(of: [event], version: Version(1))
            let hostile = TestRecords.resealed(record, version: Version(1), byte: byte, at: record.count - fromEnd)
            let problem = TestRecords.problem(hostile, version: Version(1))
            guard case .invalid(let found, _, _) = problem, found.contains(what) else {
                Issue.record("\(event): \(String(describing: problem))")
                continue
            }
        }
    }

    @Test("An event that leads to an impossible depth is refused, and the rows do not change")
    func depthsOutOfRange() throws {
        let content = ContentReference(version: Version(1), offset: 0, length: 0, hash: 0)
        let rows = [0, 3, 62].map { UntypedRow(id: .integer(Int64($0)), isChecked: false, content: content, depth: $0) }
        var state = ListState()
        try state.apply(.sectionInserted(at: 0, ListSection(id: "s", title: "", items: rows)))
        let hash = state.stateHash()
        let ids: [UntypedID] = [0, 3, 62]
        let path = ListIndexPath(section: 0, item: 0)
        for (change, id, depth) in [(2, 62, 64), (-1, 0, -1), (63, 3, 66), (-63, 0, -63)] as [(Int, UntypedID, Int)] {
            let error = #expect(throws: ListError.self) {
                try state.apply(.itemsIndented(at: path, .many(ids), by: change))
            }
            #expect(error == .depthOutOfRange(id, depth: depth))
            #expect(state.stateHash() == hash)
        }
        try state.apply(.itemsIndented(at: path, .many(ids), by: 1))
        try state.checkInvariants()
        #expect(state.stateHash() != hash)
    }

    @Test("A reference to content of a later commit is invalid")
    func referenceForwards() {
        let later = ContentReference(version: Version(9), offset: 0, length: 1, hash: 0)
        let record = TestRecords.record(
            of: [.itemUpdated(at: ListIndexPath(section: 0, item: 0), 1, old: later, new: later)], version: Version(3))
        guard case .invalid = TestRecords.problem(record, version: Version(3)) else {
            Issue.record("accepted")
            return
        }
    }

    @Test("A deletion that names other rows than the section has does not fit")
    func deletedSectionWithOtherRows() throws {
        let content = ContentReference(version: Version(1), offset: 0, length: 0, hash: 0)
        let (mine, other) = (
            UntypedRow(id: 1, isChecked: false, content: content), UntypedRow(id: 2, isChecked: false, content: content)
        )
        var state = ListState()
        try state.apply(.sectionInserted(at: 0, ListSection(id: "a", title: "", items: [mine])))
        let error = #expect(throws: ListError.self) {
            try state.apply(.sectionDeleted(at: 0, ListSection(id: "a", title: "", items: [other])))
        }
        #expect(error?.code == "eventMismatch")
        #expect(state.itemCount == 1)
    }
}
