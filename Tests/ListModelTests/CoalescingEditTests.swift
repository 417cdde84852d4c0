// Tests which edits continue the step before them: a table of pairs, and longer sequences.

@testable import ListModel
import TestSupport
import Testing

/// A list with two sections of rows, with commits at given times.
struct TypingList: ~Copyable {
    var list: KeptList

    init(policy: CoalescingPolicy = .standard) throws {
        list = KeptList()
        list.editor.coalescingPolicy = policy
        try list.commit(tracking: .untracked) { editor in
            try editor.insertSection(NewSection(0, Array(1...8)))
            try editor.insertSection(NewSection(1, [11, 12, 13]))
        }
        list.clock = 0
    }

    /// Makes a commit a number of milliseconds after the one before.
    ///
    /// - Returns: whether it continues the step; false as well if nothing happened.
    @discardableResult
    mutating func commit(
        after milliseconds: Int64 = 100, _ name: String = "type", by origin: String = "",
        in tracking: Tracking = .shared,
        doing body: (inout UntypedEditor) throws -> Void
    ) throws -> Bool {
        list.clock += milliseconds * 1_000
        let draft = CommitDraft(
            name: name, origin: origin, time: Timestamp(microseconds: list.clock), tracking: tracking)
        return list.keep(try list.editor.commit(draft, body))?.continuesStep == true
    }
}

/// An edit for the tables.
struct TypingEdit: Sendable {
    let apply: @Sendable (inout UntypedEditor) throws -> Void

    init(_ apply: @escaping @Sendable (inout UntypedEditor) throws -> Void) { self.apply = apply }

    static func update(_ id: UntypedID, _ content: UInt8 = 90) -> TypingEdit {
        TypingEdit { try $0.update(id, content: [content]) }
    }
    static func insert(_ numbers: Int..., at item: Int, section: Int = 0) -> TypingEdit {
        TypingEdit { try $0.insert(numbers.map { NewRow($0) }, at: .at(ListIndexPath(section, item))) }
    }
    static func delete(_ item: Int, count: Int = 1, section: Int = 0) -> TypingEdit {
        TypingEdit { try $0.delete(.run(ListIndexPath(section, item), count: count)) }
    }
    static func toggle(_ id: UntypedID) -> TypingEdit { TypingEdit { try $0.toggle(.item(id)) } }
    static func move(_ id: UntypedID, _ item: Int) -> TypingEdit {
        TypingEdit { try $0.move(.item(id), to: .at(ListIndexPath(0, item))) }
    }
}

@Suite("Which edits continue a step")
struct CoalescingEditTests {
    struct Pair: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let first: TypingEdit
        let second: TypingEdit

        init(_ name: String, _ first: TypingEdit, _ second: TypingEdit) {
            (testDescription, self.first, self.second) = (name, first, second)
        }
    }

    static let merging: [Pair] = [
        Pair("the same row is updated again", .update(3, 90), .update(3, 91)),
        Pair("an update goes back to what was before", .update(3, 90), .update(3, 3)),
        Pair(
            "a row is updated twice in one commit, and then again",
            TypingEdit {
                try $0.update(3, content: [90])
                try $0.update(3, content: [91])
            }, .update(3, 92)),
        Pair("a row is typed behind the one before", .insert(20, at: 2), .insert(21, at: 3)),
        Pair("a row is typed before the one before", .insert(20, at: 2), .insert(21, at: 2)),
        Pair("a run is pasted behind a run", .insert(20, 21, at: 2), .insert(22, 23, at: 4)),
        Pair("a run is pasted before a run", .insert(20, 21, at: 2), .insert(22, 23, at: 2)),
        Pair("rows are typed at the end", .insert(20, at: 8), .insert(21, at: 9)),
        Pair("rows are typed in an empty place at the beginning", .insert(20, at: 0), .insert(21, at: 0)),
        Pair(
            "a commit of two neighbours goes on",
            TypingEdit {
                try $0.insert(NewRow(20), at: .after(2))
                try $0.insert(NewRow(21), at: .after(20))
            }, .insert(22, at: 4)),
        Pair("backspace deletes the row before", .delete(4), .delete(3)),
        Pair("forward delete deletes the row at the place", .delete(4), .delete(4)),
        Pair("a word before is deleted", .delete(5), .delete(2, count: 3)),
        Pair("a word behind is deleted", .delete(0, count: 2), .delete(0, count: 3)),
    ]

    static let apart: [Pair] = [
        Pair("another row is updated", .update(3), .update(4)),
        Pair("a row is updated and then toggled", .update(3), .toggle(3)),
        Pair("a row is toggled and then updated", .toggle(3), .update(3)),
        Pair("a row is toggled twice", .toggle(3), .toggle(3)),
        Pair("two rows are toggled", .toggle(3), .toggle(4)),
        Pair("a row is moved twice", .move(1, 3), .move(1, 5)),
        Pair("two rows are moved", .move(1, 3), .move(2, 3)),
        Pair("an insertion is updated", .insert(20, at: 2), .update(20)),
        Pair("an insertion is deleted", .insert(20, at: 2), .delete(2)),
        Pair("a deletion is followed by an insertion", .delete(2), .insert(20, at: 2)),
        Pair("rows are typed one place further", .insert(20, at: 2), .insert(21, at: 4)),
        Pair("rows are typed one place before", .insert(20, at: 2), .insert(21, at: 1)),
        Pair("rows are typed into the middle of a run", .insert(20, 21, at: 2), .insert(22, at: 3)),
        Pair("rows are typed in another section", .insert(20, at: 2, section: 0), .insert(21, at: 3, section: 1)),
        Pair("a row is deleted one place further", .delete(4), .delete(5)),
        Pair("a row is deleted two places before", .delete(4), .delete(2)),
        Pair("a run is deleted from both sides of the place", .delete(4), .delete(3, count: 2)),
        Pair("a row is deleted in another section", .delete(1, section: 0), .delete(1, section: 1)),
        Pair("rows are deleted here and there", TypingEdit { try $0.delete(.items([2, 5])) }, .delete(1)),
        Pair(
            "rows are inserted here and there",
            TypingEdit {
                try $0.insert(NewRow(20), at: .after(2))
                try $0.insert(NewRow(21), at: .after(5))
            }, .insert(22, at: 3)),
        Pair(
            "a commit updates a row and toggles it",
            TypingEdit {
                try $0.update(3, content: [90])
                try $0.toggle(.item(3))
            }, .update(3, 91)),
        Pair("the list is reloaded", .update(3), TypingEdit { try $0.reload([NewSection(0, [3])]) }),
        Pair(
            "depths change",
            TypingEdit { try $0.changeDepth(of: .item(3), by: 1) },
            TypingEdit { try $0.changeDepth(of: .item(3), by: 1) }),
        Pair(
            "a row is collapsed and expanded",
            TypingEdit { try $0.setCollapsed(true, for: 3) }, TypingEdit { try $0.setCollapsed(false, for: 3) }),
        Pair(
            "a section is renamed twice",
            TypingEdit { try $0.renameSection(.at(0), to: "x") }, TypingEdit { try $0.renameSection(.at(0), to: "y") }),
        Pair(
            "sections are inserted one behind the other",
            TypingEdit { try $0.insertSection(NewSection(5), at: .end) },
            TypingEdit { try $0.insertSection(NewSection(6), at: .end) }),
        Pair(
            "sections are moved",
            TypingEdit { try $0.moveSection(.at(0), to: .end) }, TypingEdit { try $0.moveSection(.at(0), to: .end) }),
        Pair(
            "sections are deleted",
            TypingEdit { try $0.deleteSection(.at(0)) }, TypingEdit { try $0.deleteSection(.at(0)) }),
    ]

    @Test("It is one step if", arguments: merging)
    func merges(pair: Pair) throws {
        var typing = try TypingList()
        let before = try typing.list.contents()
        #expect(try typing.commit { try pair.first.apply(&$0) } == false)
        #expect(try typing.commit { try pair.second.apply(&$0) })
        let after = try typing.list.contents()
        #expect(typing.list.editor.state.history.undoCount == 1)
        try typing.list.undo()
        #expect(try typing.list.contents() == before)
        try typing.list.redo()
        #expect(try typing.list.contents() == after)
        #expect(typing.list.editor.state.history.undoCount == 1)
    }

    @Test("It is two steps if", arguments: apart)
    func staysApart(pair: Pair) throws {
        var typing = try TypingList()
        try typing.commit { try pair.first.apply(&$0) }
        let between = try typing.list.contents()
        #expect(try typing.commit { try pair.second.apply(&$0) } == false)
        #expect(typing.list.editor.state.history.undoCount == 2)
        try typing.list.undo()
        #expect(try typing.list.contents() == between)
    }

    @Test("Rows inserted after or before one another, and rows deleted in either direction, are a step while adjacent")
    func sequences() throws {
        var typing = try TypingList()
        let before = try typing.list.contents()
        for (number, item) in [(20, 3), (21, 4), (22, 5), (23, 3), (24, 7)] {
            try typing.commit { try TypingEdit.insert(number, at: item).apply(&$0) }
        }
        #expect(typing.list.editor.snapshot().ids[0] == [1, 2, 3, 23, 20, 21, 22, 24, 4, 5, 6, 7, 8])
        #expect(typing.list.editor.state.history.undoCount == 1)
        for (item, count) in [(5, 1), (4, 1), (4, 2), (0, 4)] {
            try typing.commit { try TypingEdit.delete(item, count: count).apply(&$0) }
        }
        #expect(typing.list.editor.snapshot().ids[0] == [4, 5, 6, 7, 8])
        #expect(typing.list.editor.state.history.undoCount == 2)
        try typing.list.undo()
        try typing.list.undo()
        #expect(try typing.list.contents() == before)
    }

    @Test("An edit that failed inside a commit does not influence whether the commit continues a step")
    func failedEdit() throws {
        var typing = try TypingList()
        try typing.commit { try $0.changeDepth(of: .item(5), by: 63) }
        try typing.commit { try $0.update(1, content: [90]) }
        let continues = try typing.commit { editor in
            // The first row was indented before the second one failed.
            #expect(throws: ListError.self) { try editor.changeDepth(of: .items([1, 5]), by: 1) }
            try editor.update(1, content: [91])
        }
        #expect(continues)
    }

    @Test("A commit with annotations can continue a step, and annotations alone make no commit")
    func annotations() throws {
        var typing = try TypingList()
        try typing.commit { try $0.update(1, content: [90]) }
        let continues = try typing.commit { editor in
            editor.annotate("caret", with: [1])
            try editor.update(1, content: [91])
            editor.annotate("caret", with: [2])
        }
        #expect(continues)
        let head = typing.list.log.head
        try typing.commit { $0.annotate("caret", with: [3]) }
        #expect(typing.list.log.head == head)
        #expect(try typing.commit { try $0.update(1, content: [92]) })
    }
}
