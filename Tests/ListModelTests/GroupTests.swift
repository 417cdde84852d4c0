// Tests groups: commits that are one step because the app grouped them.

@testable import ListModel
import TestSupport
import Testing

@Suite("Groups")
struct GroupTests {
    private func toggle(_ id: UntypedID) -> (inout UntypedEditor) throws -> Void {
        { try $0.toggle(.item(id)) }
    }

    @Test("All commits of a group are one step, whatever they do and however long they take")
    func oneStep() throws {
        var typing = try TypingList()
        try typing.commit(doing: toggle(1))
        let before = try typing.list.contents()
        typing.list.editor.beginGroup()
        #expect(try !typing.commit(doing: toggle(2)))
        #expect(try typing.commit(after: 1_000_000_000, "move") { try $0.move(.item(3), to: .end(ofSection: "s1")) })
        #expect(try typing.commit(after: -5_000, "delete", by: "pen") { try $0.deleteSection(.at(0)) })
        try typing.list.editor.endGroup()
        #expect(typing.list.editor.state.history.undoCount == 2)
        try typing.list.undo()
        #expect(try typing.list.contents() == before)
        try typing.list.redo()
        #expect(typing.list.editor.state.history.undoCount == 2 && typing.list.editor.state.history.redoCount == 0)
    }

    @Test("A group continues no step before it, and no later step continues it, even if the edits would coalesce")
    func edges() throws {
        var typing = try TypingList()
        func update(_ content: UInt8) -> (inout UntypedEditor) throws -> Void {
            { try $0.update(1, content: [content]) }
        }
        try typing.commit(doing: update(90))
        typing.list.editor.beginGroup()
        #expect(try !typing.commit(doing: update(91)))
        #expect(try typing.commit(doing: update(92)))
        typing.list.editor.breakUndoCoalescing()
        #expect(try typing.commit(doing: update(93)))
        try typing.list.editor.endGroup()
        #expect(try !typing.commit(doing: update(94)))
        #expect(try typing.commit(doing: update(95)))
        #expect(typing.list.editor.state.history.undoCount == 3)
    }

    @Test("Groups nest, and the outermost counts")
    func nested() throws {
        var typing = try TypingList()
        typing.list.editor.beginGroup()
        try typing.commit(doing: toggle(1))
        typing.list.editor.beginGroup()
        #expect(try typing.commit(doing: toggle(2)))
        try typing.list.editor.endGroup()
        #expect(try typing.commit(doing: toggle(3)))
        try typing.list.editor.endGroup()
        #expect(try !typing.commit(doing: toggle(4)))
        #expect(typing.list.editor.state.history.undoCount == 2)
    }

    @Test("The commits of a group have the name of the outermost group that has one")
    func names() throws {
        var typing = try TypingList()
        typing.list.editor.beginGroup()
        try typing.commit("own", doing: toggle(1))
        typing.list.editor.beginGroup(name: "inner")
        typing.list.editor.beginGroup(name: "innermost")
        try typing.commit("own", doing: toggle(2))
        try typing.list.editor.endGroup()
        try typing.list.editor.endGroup()
        // The commit named the group when it began, and its name stays.
        try typing.commit("own", doing: toggle(3))
        try typing.list.editor.endGroup()
        try typing.commit("own", doing: toggle(4))
        let names = try (2...5).map { try typing.list.log.commit(Version($0)).name }
        #expect(names == ["own", "inner", "inner", "own"])
        typing.list.editor.beginGroup(name: "all")
        try typing.commit("own", by: "b", in: .own, doing: toggle(5))
        try typing.commit("own", by: "", in: .untracked, doing: toggle(6))
        #expect(try typing.list.log.commit(Version(6)).name == "own")
        #expect(try typing.list.log.commit(Version(7)).name == "own")
        try typing.list.editor.endGroup()
    }

    @Test("Ending a group that was not begun is an error, separately in each history")
    func unbalanced() throws {
        var typing = try TypingList()
        let expected = ListError.groupMismatch(expected: "a group that was begun")
        #expect(throws: expected) { try typing.list.editor.endGroup() }
        typing.list.editor.beginGroup(in: .origin("a"))
        #expect(throws: expected) { try typing.list.editor.endGroup() }
        #expect(throws: expected) { try typing.list.editor.endGroup(in: .origin("b")) }
        try typing.list.editor.endGroup(in: .origin("a"))
        #expect(throws: expected) { try typing.list.editor.endGroup(in: .origin("a")) }
        typing.list.editor.beginGroup()
        typing.list.editor.beginGroup()
        try typing.list.editor.endGroup()
        try typing.list.editor.endGroup()
        #expect(throws: expected) { try typing.list.editor.endGroup() }
    }

    @Test("While a group is open, a checkout in its history is refused, and nothing changes")
    func noMoves() throws {
        var typing = try TypingList()
        try typing.commit(doing: toggle(1))
        try typing.commit(by: "a", in: .own, doing: toggle(2))
        typing.list.editor.beginGroup(name: "group")
        try typing.commit(doing: toggle(3))
        let (head, rows) = (typing.list.log.head, try typing.list.contents())
        let expected = ListError.groupMismatch(expected: "the end of the group first")
        #expect(throws: expected) { try typing.list.undo() }
        #expect(throws: expected) { try typing.list.redo() }
        #expect(throws: expected) { try typing.list.go(to: .empty) }
        #expect(throws: expected) { try typing.list.go(to: Version(99)) }
        #expect(try typing.list.contents() == rows)
        #expect(typing.list.log.head == head)
        // The history of another origin does.
        try typing.list.undo("a")
        #expect(try typing.commit(doing: toggle(4)))
        try typing.list.editor.endGroup()
        #expect(typing.list.editor.state.history.undoCount == 2)
    }

    @Test("A revert and a restore in a group belong to its step")
    func revertInAGroup() throws {
        var typing = try TypingList()
        try typing.commit(doing: toggle(1))
        let before = try typing.list.contents()
        typing.list.editor.beginGroup()
        try typing.commit(doing: toggle(2))
        let draft = CommitDraft(name: "", time: Timestamp(microseconds: typing.list.clock))
        let revert = try #require(typing.list.keep(try typing.list.editor.revert(Version(2), as: draft).commit))
        let restore = try #require(typing.list.keep(try typing.list.editor.restore(Version(1), as: draft)))
        #expect(revert.continuesStep && restore.continuesStep)
        try typing.list.editor.endGroup()
        try typing.list.undo()
        #expect(try typing.list.contents() == before)
        #expect(typing.list.editor.state.history.undoCount == 1)
    }

    @Test("A revert outside of groups is a step of its own, which typing does not continue")
    func revertAlone() throws {
        var typing = try TypingList()
        try typing.commit { try $0.update(1, content: [90]) }
        let draft = CommitDraft(name: "type", time: Timestamp(microseconds: typing.list.clock))
        let revert = try #require(typing.list.keep(try typing.list.editor.revert(Version(2), as: draft).commit))
        #expect(!revert.continuesStep)
        #expect(try !typing.commit(after: 0) { try $0.update(1, content: [91]) })
    }

    @Test("A group that begins after an undo leaves the branch once and is one step on the new one")
    func afterUndo() throws {
        var typing = try TypingList()
        try typing.commit(doing: toggle(1))
        try typing.commit(doing: toggle(2))
        try typing.list.undo()
        typing.list.editor.beginGroup()
        #expect(try !typing.commit(doing: toggle(3)))
        #expect(try typing.commit(doing: toggle(4)))
        try typing.list.editor.endGroup()
        let history = typing.list.editor.state.history
        #expect(history.undoCount == 2 && history.redoCount == 0)
        #expect(try HistoryTree(typing.list.log, oldest: .empty).branches(history, limit: .max).count == 2)
    }

    @Test("A commit of a group that changes nothing or fails does not change the group")
    func nothing() throws {
        var typing = try TypingList()
        try typing.commit(doing: toggle(1))
        typing.list.editor.beginGroup()
        try typing.commit { _ in }
        #expect(throws: ListError.self) { try typing.commit { try $0.delete(.item(99)) } }
        #expect(try !typing.commit(doing: toggle(2)))
        try typing.commit { _ in }
        #expect(try typing.commit(doing: toggle(3)))
        try typing.list.editor.endGroup()
        #expect(typing.list.editor.state.history.undoCount == 2)
    }

    @Test("A step that is undone from its middle is redone completely")
    func fromTheMiddle() throws {
        var typing = try TypingList()
        typing.list.editor.beginGroup()
        for id in 1...3 { try typing.commit(doing: toggle(.integer(Int64(id)))) }
        try typing.list.editor.endGroup()
        let tip = typing.list.editor.state.history.tip
        let hash = typing.list.editor.snapshot().stateHash
        for middle in [tip.previous, tip.previous.previous] {
            try typing.list.go(to: middle)
            try typing.list.undo()
            #expect(typing.list.editor.state.history.redoCount == 1)
            let redo = try typing.list.redo()
            #expect(redo.versions == [tip.previous.previous, tip.previous, tip])
            #expect(typing.list.editor.state.history.position == tip)
            #expect(typing.list.editor.snapshot().stateHash == hash)
        }
    }
}
