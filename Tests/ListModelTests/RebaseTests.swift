// Tests making commits again that lost a race, against the naive merge by id.

@testable import ListModel
import TestSupport
import Testing

@Suite("Commits that lost a race")
struct RebaseTests {
    /// The records of a log whose last ones may be replaced.
    private final class Log: CommitSource, @unchecked Sendable {
        // @unchecked Sendable: used by one test.
        var records: [[UInt8]] = []

        func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            try records[Int(version.rawValue) - 1].withUnsafeBytes(body)
        }
    }

    /// A process: its rows and the log as it knows it.
    private struct Process: ~Copyable {
        let log: Log
        var editor: UntypedEditor
        var rows: ReferenceList

        init(_ records: [[UInt8]] = []) throws {
            let log = Log()
            log.records = records
            var state = ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
            var checksum: UInt64 = 0
            for record in records {
                checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
            }
            var editor = UntypedEditor(state, checksum: checksum, source: log)
            editor.coalescingPolicy = CoalescingPolicy(interval: .seconds(1))
            rows = try ReferenceList(editor.snapshot(), log)
            self.log = log
            self.editor = editor
        }

        /// Makes a commit in the own history of an origin.
        mutating func commit(_ origin: String, _ edit: (inout UntypedEditor) throws -> Void) throws {
            let time = Timestamp(microseconds: Int64(log.records.count) * 10_000_000)
            let draft = CommitDraft(name: "edit", origin: origin, time: time, tracking: .own)
            if let commit = try editor.commit(draft, edit) { log.records.append(commit.record) }
        }

        /// The content of a row, when the newest commit is not in the log yet.
        func content(of id: UntypedID, _ newest: Commit) throws -> [UInt8]? {
            let log = Log()
            log.records = self.log.records + [newest.record]
            return try editor.state.item(id).map { try log.content(of: $0.content) }
        }

        /// Makes one commit, which may be an undo or a redo.
        mutating func act(_ edits: inout RandomEdits, origin: String, _ tracking: Tracking) throws -> Commit? {
            let time = Timestamp(microseconds: Int64(log.records.count) * 100_000)
            let scope: HistoryScope = tracking == .own ? .origin(origin) : .shared
            var commit: Commit?
            do {
                switch edits.generator.next() % 8 {
                case 0: commit = try editor.undo(in: scope, origin: origin, time: time, onConflict: .skip).commit
                case 1: commit = try editor.redo(in: scope, origin: origin, time: time, onConflict: .skip).commit
                default:
                    let draft = CommitDraft(name: "edit", origin: origin, time: time, tracking: tracking)
                    let edit = edits.next(rows)
                    commit = try editor.commit(draft) { try $0.apply(edit) }
                }
            } catch is ListError {}
            if let commit {
                log.records.append(commit.record)
                rows = try ReferenceList(editor.snapshot(), log)
            }
            return commit
        }
    }

    @Test("They are merged by id, one after another; the new log replays, and its histories follow from its commits")
    func random() throws {
        let seed = UInt64.random(in: .min ... .max)
        var edits = RandomEdits(seed: seed, targetCount: 20)
        var (rebasedCount, conflictCount) = (0, 0)
        for round in 0..<(Soak.isEnabled ? 4_000 : 300) {
            let comment: Comment = "seed \(seed), round \(round)"
            let tracking: [Tracking] = [.shared, .own, .untracked]
            let trackings = (0..<2).map { _ in tracking[Int(edits.generator.next() % 3)] }
            var mine = try Process()
            for _ in 0..<Int(edits.generator.next() % 12) { _ = try mine.act(&edits, origin: "a", trackings[0]) }
            var others = try Process(mine.log.records)
            for _ in 0..<1 + Int(edits.generator.next() % 4) { _ = try others.act(&edits, origin: "b", trackings[1]) }
            let end = mine.log.records.count
            let (histories, checksum) = (mine.editor.state.histories, mine.editor.checksum)
            var queue: [Commit] = []
            for _ in 0..<1 + Int(edits.generator.next() % 4) {
                if let commit = try mine.act(&edits, origin: "a", trackings[0]) { queue.append(commit) }
            }
            let old = Log()
            old.records = mine.log.records
            let shift = others.log.records.count - end
            guard let first = queue.first, shift > 0 else { continue }

            let rows = try mine.editor.takeBack(queue, to: histories, checksum: checksum)
            try #require(rows[0].stateHash == rows.first?.stateHash, comment)
            mine.log.records = others.log.records
            for index in end..<others.log.records.count {
                try others.log.records[index].withUnsafeBytes {
                    try mine.editor.replay($0, isLast: index + 1 == others.log.records.count)
                }
            }
            let foreign = Version(UInt64(end) + 1)..<Version(UInt64(others.log.records.count) + 1)
            let moved = MovedContents(from: first.version, behind: Array(foreign)) { try old.content(of: $0) }
            var expected = histories
            func shifted(_ version: Version) -> Version {
                version < first.version ? version : Version(version.rawValue + UInt64(shift))
            }
            for (index, commit) in queue.enumerated() {
                var isUndisturbed = false
                if let scope = commit.scope {
                    let position = expected[scope].position
                    isUndisturbed = mine.editor.state.histories[scope].position == shifted(position)
                }
                let now = (try ReferenceList(mine.editor.snapshot(), mine.log), mine.editor.snapshot())
                let merge = ReferenceMerge(
                    .init(
                        base: (try ReferenceList(rows[index], old), rows[index]),
                        target: (try ReferenceList(rows[index + 1], old), rows[index + 1]), now: now,
                        placed: try Changeset.Elements(placedBy: [commit]),
                        placedByOthers: try Changeset.Elements(placedBy: foreign.map(mine.log.commit))))
                let new = try mine.editor.repeating(
                    commit, (rows[index], rows[index + 1]), now: shifted, position: shifted,
                    isUndisturbed: isUndisturbed, moved)
                mine.log.records.append(new.commit.record)
                expected.note(commit.mark, at: commit.version)
                #expect(new.commit.version.rawValue == commit.version.rawValue + UInt64(shift), comment)
                // Also those that undo and redo: what they have changed is changed again.
                try #require(try ReferenceList(mine.editor.snapshot(), mine.log) == merge.result, comment)
                try #require(Set(new.conflicts) == merge.conflicts, comment)
                rebasedCount += 1
                conflictCount += new.conflicts.count
            }
            try mine.editor.checkInvariants()
            let shown = mine.editor.snapshot().stateHash
            var again = try Process(mine.log.records)
            try #require(try again.editor.snapshot().stateHash == shown, comment)
            var check = HistoryCheck(of: mine.log, after: .empty, HistoryTable())
            for (index, record) in mine.log.records.enumerated() {
                let commit = try Commit(record: record, version: Version(UInt64(index + 1)))
                try #require(try check.check(commit) == nil, comment)
            }
        }
        #expect(rebasedCount > 100 && conflictCount > 0, "seed \(seed)")
    }

    @Test(
        "Which of two rows others have dragged across the other, their commits say", arguments: [1, 2] as [UntypedID])
    func draggedByOthers(_ dragged: UntypedID) throws {
        var mine = try Process()
        try mine.commit("anna") {
            try $0.insertSection(NewSection(id: "s", items: [NewRow(1), NewRow(2)]))
            try $0.insertSection(NewSection(id: "t", items: []))
        }
        let (histories, checksum) = (mine.editor.state.histories, mine.editor.checksum)
        var others = try Process(mine.log.records)
        try others.commit("ben") {
            try $0.move(.item(dragged), to: dragged == 1 ? .after(2) : .before(1))
        }
        try mine.commit("anna") { try $0.move(.item(1), to: .end(ofSection: "t")) }
        let pending = try Commit(record: mine.log.records.removeLast(), version: 2)
        let rows = try mine.editor.takeBack([pending], to: histories, checksum: checksum)
        try others.log.records.last!.withUnsafeBytes { try mine.editor.replay($0, isLast: true) }
        mine.log.records.append(others.log.records.last!)
        let moved = MovedContents(from: 2, behind: [2]) { _ in [] }
        let new = try mine.editor.repeating(
            pending, (rows[0], rows[1]), now: { $0.next }, position: { $0.next }, isUndisturbed: true, moved)
        #expect(new.conflicts == (dragged == 1 ? [MergeConflict(.item(1), .moved)] : []))
        #expect(mine.editor.snapshot().ids == (dragged == 1 ? [[2, 1], []] : [[2], [1]]))
    }

    /// Rows 1 and 2, of which two users have changed the first.
    private func company() throws -> Process {
        var process = try Process()
        try process.commit("anna") { try $0.insertSection(NewSection(id: "s", items: [NewRow(1), NewRow(2)])) }
        try process.commit("anna") { try $0.update(1, content: [65]) }
        try process.commit("ben") { try $0.update(1, content: [66]) }
        return process
    }

    @Test("A commit whose content cannot be read for a moment is made again later")
    func failedRead() throws {
        struct Unreadable: Error {}
        var mine = try company()
        let (histories, checksum) = (mine.editor.state.histories, mine.editor.checksum)
        var others = try Process(mine.log.records)
        try mine.commit("anna") { try $0.update(2, content: [67]) }
        let record = mine.log.records.removeLast()
        let pending = try Commit(record: record, version: Version(UInt64(mine.log.records.count + 1)))
        try others.commit("cleo") { try $0.setChecked(true, for: .item(1)) }
        let rows = try mine.editor.takeBack([pending], to: histories, checksum: checksum)
        try others.log.records.last!.withUnsafeBytes { try mine.editor.replay($0, isLast: true) }
        mine.log.records.append(others.log.records.last!)
        let unreadable = MovedContents(from: pending.version, behind: nil) { _ in throw Unreadable() }
        var isThrown = false
        do {
            _ = try mine.editor.repeating(
                pending, (rows[0], rows[1]), now: { $0 }, position: { $0 }, isUndisturbed: true, unreadable)
        } catch is Unreadable { isThrown = true }
        // Otherwise the next commit ends the process.
        let isEditing = mine.editor.isEditing
        try #require(isThrown && !isEditing)
        let moved = MovedContents(from: pending.version, behind: nil) { content in
            try pending.record.withUnsafeBytes { Array(try content.content(in: $0)) }
        }
        let new = try mine.editor.repeating(
            pending, (rows[0], rows[1]), now: { $0 }, position: { $0 }, isUndisturbed: true, moved)
        #expect(new.conflicts.isEmpty && new.reason == nil)
        #expect(try mine.content(of: 2, new.commit) == [67])
    }

    @Test(
        "An undo that overrides what others wrote still does when it is made again, and so does its redo",
        arguments: [false, true])
    func overriding(isRedone: Bool) throws {
        var mine = try company()
        let anna = HistoryScope.origin("anna")
        let before = mine.editor.snapshot()
        func time() -> Timestamp { Timestamp(microseconds: Int64(mine.log.records.count) * 10_000_000) }
        let undo = try #require(
            try mine.editor.undo(in: anna, origin: "anna", time: time(), onConflict: .mine).commit)
        let shown = mine.editor.snapshot()
        var (pending, rows) = (undo, (before: before, after: shown))
        if isRedone {
            mine.log.records.append(undo.record)
            pending = try #require(try mine.editor.redo(in: anna, origin: "anna", time: time()).commit)
            rows = (shown, mine.editor.snapshot())
        }
        let content = try mine.content(of: 1, pending)
        #expect(isRedone ? content == [66] : content != [66])
        // Another user checks another row meanwhile.
        var others = try Process(mine.log.records)
        let (histories, checksum) = (others.editor.state.histories, others.editor.checksum)
        try others.commit("cleo") { try $0.setChecked(true, for: .item(2)) }
        _ = try mine.editor.takeBack([pending], to: histories, checksum: checksum)
        try others.log.records.last!.withUnsafeBytes { try mine.editor.replay($0, isLast: true) }
        mine.log.records.append(others.log.records.last!)
        let old = Log()
        old.records = mine.log.records.dropLast() + [pending.record]
        let moved = MovedContents(from: pending.version, behind: nil) { try old.content(of: $0) }
        let new = try mine.editor.repeating(
            pending, rows, now: { $0 < pending.version ? $0 : $0.next },
            position: { $0 < pending.version ? $0 : $0.next }, isUndisturbed: true, moved)
        #expect(new.conflicts.isEmpty && new.commit.cause == pending.cause)
        #expect(try mine.content(of: 1, new.commit) == content)
        #expect(mine.editor.snapshot().sections[0].items[1].isChecked)
    }
}
