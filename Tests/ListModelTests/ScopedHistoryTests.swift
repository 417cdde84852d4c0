// Tests several histories in one list: undo, redo, groups and checkouts among commits of other scopes, whose changes
// stay.

@testable import ListModel
import TestSupport
import Testing

@Suite("Histories of several scopes")
struct ScopedHistoryTests {
    /// One section with rows, untracked.
    private func list(_ rows: [Int]) throws -> KeptList {
        var list = KeptList()
        try list.commit(tracking: .untracked) { try $0.insertSection(NewSection(0, rows)) }
        return list
    }

    private func add(_ number: Int, before id: UntypedID? = nil) -> (inout UntypedEditor) throws -> Void {
        { try $0.insert(NewRow(number), at: id.map { .before($0) } ?? .end(ofSection: "s0")) }
    }

    @Test("A group is undone and redone although others edited between its commits, and their edits stay")
    func interruptedGroup() throws {
        var list = try list([1, 2, 3])
        list.editor.beginGroup(in: .origin("a"))
        try list.commit(by: "a", add(10))
        try list.commit(by: "b", add(20, before: 1))
        try list.commit(by: "a") { try $0.delete(.item(2)) }
        try list.commit(tracking: .untracked) { try $0.delete(.item(1)) }
        try list.commit(by: "a", add(11, before: 3))
        try list.editor.endGroup(in: .origin("a"))
        #expect(list.editor.snapshot().ids == [[20, 11, 3, 10]])
        let after = list.editor.snapshot().stateHash
        try list.undo("a")
        #expect(list.editor.snapshot().ids == [[20, 2, 3]])
        #expect(list.editor.state.history(of: .origin("a")).undoCount == 0)
        try list.redo("a")
        #expect(list.editor.snapshot().stateHash == after)
        try list.editor.checkInvariants()
    }

    @Test("A row in conflict with two commits of a group is listed once")
    func conflictOfInterruptedGroup() throws {
        var list = try list([1, 2])
        list.editor.beginGroup(in: .origin("a"))
        try list.commit(by: "a") { try $0.update(1, content: [10]) }
        try list.commit(by: "b") { try $0.toggle(.item(2)) }
        try list.commit(by: "a") { try $0.update(1, content: [11]) }
        try list.editor.endGroup(in: .origin("a"))
        try list.commit(by: "b") { try $0.update(1, content: [12]) }
        #expect(try list.undo("a", onConflict: .skip).conflicts == [MergeConflict(.item(1), .changed)])
    }

    @Test("Of a group whose changes others have taken back, nothing is left to undo or redo, and that is no conflict")
    func groupTakenBack() throws {
        var list = try list([1, 2])
        list.editor.beginGroup(in: .origin("a"))
        try list.commit(by: "a", add(10))
        try list.commit(by: "a") { try $0.setChecked(true, for: .item(10)) }
        try list.commit(by: "a") { try $0.move(.item(10), to: .before(1)) }
        try list.editor.endGroup(in: .origin("a"))
        try list.commit(by: "b") { try $0.delete(.item(10)) }
        let undo = try list.undo("a")
        #expect(undo.conflicts.isEmpty && undo.commit?.eventCount == 0)
        #expect(list.editor.snapshot().ids == [[1, 2]])
        try list.undo("b")
        #expect(list.editor.snapshot().ids == [[10, 1, 2]])
        // The row is there, as the group has left it.
        #expect(try list.redo("a").conflicts.isEmpty)
        #expect(list.editor.snapshot().ids == [[10, 1, 2]])
    }

    @Test("A redo does not overwrite rows of others who took back the edits on which it was made")
    func redoOnOtherRows() throws {
        var list = try list([1, 2, 3])
        try list.commit(by: "a", add(10))
        try list.commit(by: "b") { try $0.insert([20, 21].map { NewRow($0) }, at: .before(1)) }
        try list.commit(by: "a", add(11, before: 3))
        try list.undo("a")
        try list.undo("b")
        // The rows are those of the position's commit, but not those on which the next step was made.
        #expect(list.editor.snapshot().ids == [[1, 2, 3, 10]])
        try list.redo("a")
        #expect(list.editor.snapshot().ids == [[1, 2, 11, 3, 10]])
        try list.redo("b")
        #expect(list.editor.snapshot().ids == [[20, 21, 1, 2, 11, 3, 10]])
    }

    @Test("Checkouts in an own history keep the rows of others")
    func goAmongOthers() throws {
        var list = try list([1])
        let first = try #require(try list.commit(by: "a", add(10))).version
        try list.commit(by: "b", add(20))
        try list.commit(by: "a", add(11))
        try list.commit(tracking: .untracked, add(30))
        let last = try #require(try list.commit(by: "a", add(12))).version
        let hash = list.editor.snapshot().stateHash
        try list.go(to: first, "a")
        #expect(list.editor.snapshot().ids == [[1, 10, 20, 30]])
        try list.go(to: last, "a")
        #expect(list.editor.snapshot().stateHash == hash)
        try list.go(to: .empty, "a")
        #expect(list.editor.snapshot().ids == [[1, 20, 30]])
        // To another branch and back: the changes of one are undone, those of the other are made.
        let other = try #require(try list.commit(by: "a", add(13, before: 1))).version
        try list.go(to: last, "a")
        #expect(list.editor.snapshot().stateHash == hash)
        try list.go(to: other, "a")
        #expect(list.editor.snapshot().ids == [[13, 1, 20, 30]])
        #expect(throws: ListError.notInHistory(Version(3))) { try list.go(to: Version(3), "a") }
    }

    @Test("A checkout over many revisions is one change without edits of others, otherwise one for each interruption")
    func ways() throws {
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0)) }
        for number in 1...40 { try list.commit("add", add(number)) }
        try list.undo()
        try list.undo()
        for number in 41...60 { try list.commit("add", add(number)) }
        let tree = HistoryTree(list.log, oldest: .empty)
        let tip = list.editor.state.history.tip
        // The undos in between end with the rows on which the next revision was made.
        #expect(try tree.changes(from: tip, to: .empty) == [HistoryChange(from: tip, to: .empty)])
        #expect(
            try tree.changes(from: Version(41), to: tip) == [HistoryChange(from: Version(41), to: tip)])
        try list.commit(tracking: .untracked, add(100))
        let newest = try #require(try list.commit("add", add(61))).version
        #expect(
            try tree.changes(from: newest, to: .empty) == [
                HistoryChange(from: newest, to: newest.previous), HistoryChange(from: tip, to: .empty),
            ])
        #expect(try tree.changes(from: newest, to: newest) == [])
    }

    @Test("An undo reports a conflict only for the field that it changes")
    func otherField() throws {
        var list = try list([1, 2])
        try list.commit(by: "a") { try $0.toggle(.item(1)) }
        try list.commit(by: "b") { try $0.update(1, content: [99]) }
        try list.undo("a")
        let row = try list.contents().sections[0].items[0]
        #expect(row.content == [99] && !row.isChecked)
        try list.redo("a")
        try list.undo("b")
        let other = try list.contents().sections[0].items[0]
        #expect(other.content == [1] && other.isChecked)
    }

    @Test("Which of two rows others have dragged across the other, so many commits since the step say")
    func draggedByOthers() throws {
        for (limit, conflicts) in [(2, []), (1, [MergeConflict(.item(9), .moved)])] as [(UInt64, [MergeConflict])] {
            var list = try list([1, 2])
            try list.commit(tracking: .untracked) { try $0.insertSection(NewSection(1, [9])) }
            try list.commit(by: "a") { try $0.move(.item(9), to: .after(1)) }
            try list.commit(by: "b") { try $0.toggle(.item(1)) }
            try list.commit(by: "b") { try $0.move(.item(2), to: .before(9)) }
            #expect(list.editor.snapshot().ids == [[1, 2, 9], []])
            list.editor.othersLimit = limit
            // Beyond the limit, the other row may be taken for the one that moved.
            let expected: [[UntypedID]] = conflicts.isEmpty ? [[1, 2], [9]] : [[1, 2, 9], []]
            #expect(try list.undo("a", onConflict: .skip).conflicts == conflicts)
            #expect(list.editor.snapshot().ids == expected)
        }
    }

    @Test("Rows that a user's own steps had moved, which are undone by now, are not taken for moved by others")
    func ownStepsSince() throws {
        var list = try list([1, 8, 2, 3])
        try list.commit(by: "a") { try $0.delete(.item(3)) }
        try list.commit(by: "a") { try $0.move(.item(8), to: .before(1)) }
        try list.commit(by: "b") { try $0.toggle(.item(1)) }
        try list.undo("a")
        try list.commit(by: "b") { try $0.move(.item(2), to: .before(8)) }
        #expect(list.editor.snapshot().ids == [[1, 2, 8]])
        try list.undo("a")
        #expect(list.editor.snapshot().ids == [[1, 2, 8, 3]])
    }

    @Test("A revert of what is taken back already makes no commit", arguments: [false, true])
    func revertedTwice(isUndone: Bool) throws {
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0, [1, 2, 3])) }
        try list.commit { try $0.move(.item(1), to: .after(3)) }
        try list.commit { try $0.insertSection(NewSection(1, [4]), at: .at(0)) }
        try list.commit { try $0.deleteSection(.section("s1")) }
        for version in [4, 2] as [Version] {
            for isFirst in [true, false] {
                if isFirst && isUndone && version == 4 {
                    try list.undo()
                    continue
                }
                let draft = CommitDraft(name: "revert", time: list.now())
                let reversal = try list.editor.revert(version, as: draft)
                list.keep(reversal.commit)
                #expect((reversal.commit != nil) == isFirst && reversal.conflicts.isEmpty, "\(version)")
            }
        }
        #expect(list.editor.snapshot().ids == [[4], [1, 2, 3]])
    }

    @Test("An editor after a replay continues like the editor that wrote the log")
    func replayedLog() throws {
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0, [1])) }
        var other = try list.replayed()
        func draft(_ time: Int64) -> CommitDraft { CommitDraft(name: "n", time: Timestamp(microseconds: time)) }
        other.coalescingPolicy = .standard
        let mine = try #require(try other.commit(draft(1)) { try $0.update(1, content: [5]) })
        list.editor.coalescingPolicy = .standard
        list.keep(try list.editor.commit(draft(1)) { try $0.update(1, content: [5]) })
        #expect(try list.log.commit(mine.version).record == mine.record)
        // When the position moves away.
        try list.undo()
        try list.commit { try $0.update(1, content: [6]) }
        other = try list.replayed()
        let next = try #require(try other.commit(draft(9_000_001)) { try $0.update(1, content: [7]) })
        list.editor.breakUndoCoalescing()
        let expected = try #require(try list.editor.commit(draft(9_000_001)) { try $0.update(1, content: [7]) })
        #expect(next.record == expected.record && !next.continuesStep)
    }
}
