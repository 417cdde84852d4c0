// Tests undo and redo on one branch: inverses of every kind of event, names, and the commits of undo.

@testable import ListModel
import TestSupport
import Testing

@Suite("History")
struct HistoryTests {
    private static let start = [[1, 2, 3, 4, 5, 6], [7, 8], []]

    /// Edits that together make events of every kind, each valid on the start list.
    enum Edit: CaseIterable {
        case insert, insertRun, delete, deleteRun, deleteScattered, move, moveRun, moveAcross, moveScattered
        case toggle, setChecked, update, updateTwice, updateInserted
        case insertSection, deleteSection, deleteEmptySection, moveSection, renameSection, reload, reloadEmpty, many

        func apply(_ editor: inout UntypedEditor) throws {
            switch self {
            case .insert: try editor.insert(NewRow(20), at: .after(2))
            case .insertRun: try editor.insert((20..<30).map { NewRow($0) }, at: .before(8))
            case .delete: try editor.delete(.item(3))
            case .deleteRun: try editor.delete(.run(ListIndexPath(0, 1), count: 5))
            case .deleteScattered: try editor.delete(.items([1, 3, 5, 8]))
            case .move: try editor.move(.item(1), to: .after(5))
            case .moveRun: try editor.move(.run(ListIndexPath(0, 0), count: 3), to: .end(ofSection: "s0"))
            case .moveAcross: try editor.move(.run(ListIndexPath(0, 2), count: 2), to: .end(ofSection: "s2"))
            case .moveScattered: try editor.move(.items([8, 2, 6, 4]), to: .before(7))
            case .toggle: try editor.toggle(.items([2, 7]))
            case .setChecked: try editor.setChecked(true, for: .run(ListIndexPath(0, 0), count: 6))
            case .update: try editor.update(4, content: [44, 45])
            case .updateTwice:
                try editor.update(4, content: [44])
                try editor.update(4, content: [55])
            case .updateInserted:
                try editor.insert(NewRow(20), at: .after(2))
                try editor.update(20, content: [])
            case .insertSection: try editor.insertSection(NewSection(9, [20, 21]), at: .at(1))
            case .deleteSection: try editor.deleteSection(.section("s0"))
            case .deleteEmptySection: try editor.deleteSection(.section("s2"))
            case .moveSection: try editor.moveSection(.at(0), to: .end)
            case .renameSection: try editor.renameSection(.at(1), to: "other")
            case .reload: try editor.reload([NewSection(1, [8, 30, 1]), NewSection(5)])
            case .reloadEmpty: try editor.reload([])
            case .many:
                let edits = [Edit.move, .toggle, .update, .insertSection, .renameSection, .moveAcross, .moveSection]
                for edit in edits + [.deleteSection, .reload] { try edit.apply(&editor) }
            }
        }
    }

    /// Compares the commits that undo and redo would go through, the next one first.
    private func expect(_ list: borrowing MemoryList, undo: [UInt64], redo: [UInt64]) throws {
        let tree = HistoryTree(list.log, oldest: .empty)
        var history = list.editor.state.history
        #expect(history.undoCount == undo.count && history.redoCount == redo.count)
        for version in undo {
            #expect(history.position == Version(version))
            history = try #require(try tree.undoing(history)).after
        }
        #expect(history.position == .empty && history.undoCount == 0)
        history = list.editor.state.history
        for version in redo {
            history = try #require(try tree.redoing(history)).after
            #expect(history.position == Version(version))
        }
        #expect(history.position == history.tip && history.redoCount == 0)
    }

    @Test("Undo restores the rows before any kind of edit, redo the rows after it", arguments: Edit.allCases)
    func everyKind(edit: Edit) throws {
        var list = try MemoryList(Self.start)
        let before = (rows: try list.contents(), hash: list.snapshot().stateHash)
        try list.commit { try edit.apply(&$0) }
        let after = (rows: try list.contents(), hash: list.snapshot().stateHash)
        #expect(after.hash != before.hash)
        for _ in 0..<3 {
            let undo = try list.undo()
            #expect(try list.contents() == before.rows)
            #expect(undo.stateHash == before.hash)
            try list.editor.checkInvariants()
            let redo = try list.redo()
            #expect(try list.contents() == after.rows)
            #expect(redo.stateHash == after.hash)
            try list.editor.checkInvariants()
        }
    }

    @Test("Undo goes back along the branch and redo forward, whatever was undone and redone before")
    func positions() throws {
        var list = MemoryList()
        try expect(list, undo: [], redo: [])
        for number in 1...4 { try list.commit { try $0.insertSection(NewSection(number)) } }
        try expect(list, undo: [4, 3, 2, 1], redo: [])
        #expect(try list.undo().cause == .undo(of: Version(4)))
        try expect(list, undo: [3, 2, 1], redo: [4])
        #expect(try list.undo().cause == .undo(of: Version(3)))
        try expect(list, undo: [2, 1], redo: [3, 4])
        #expect(try list.redo().cause == .redo(of: Version(3)))
        try expect(list, undo: [3, 2, 1], redo: [4])
        #expect(try list.undo().cause == .undo(of: Version(3)))
        try expect(list, undo: [2, 1], redo: [3, 4])
        #expect(try list.redo().cause == .redo(of: Version(3)))
        #expect(try list.redo().cause == .redo(of: Version(4)))
        try expect(list, undo: [4, 3, 2, 1], redo: [])
        #expect(list.sectionIDs() == ["s1", "s2", "s3", "s4"])
        #expect(throws: ListError.nothingToRedo(requested: 1, available: 0)) { try list.redo() }
    }

    @Test("After an edit that follows an undo nothing can be redone, and the old branch stays in the log")
    func branches() throws {
        var list = try MemoryList([[1]])
        try list.commit("branch") { try $0.insert(NewRow(2), at: .after(1)) }
        let branch = try list.contents()
        try list.undo()
        try list.commit("trunk") { try $0.insert(NewRow(3), at: .after(1)) }
        try expect(list, undo: [4, 1], redo: [])
        #expect(throws: ListError.nothingToRedo(requested: 1, available: 0)) { try list.redo() }
        #expect(try list.log.commit(Version(2)).name == "branch")
        var state = ListState()
        var checksum: UInt64 = 0
        for version in 1...2 as ClosedRange<UInt64> {
            checksum = try list.log.withRecord(of: Version(version)) { record in
                try state.replay(record, previousChecksum: checksum, check: .everyHash)
            }
        }
        let replayed = state.snapshot()
        #expect(try ReferenceList(replayed, list.log) == branch)
        try list.undo()
        try list.undo()
        try expect(list, undo: [], redo: [1, 4])
        #expect(list.snapshot().sectionCount == 0)
    }

    @Test("An edit without events after an undo does not change redo")
    func nothingDoesNotBranch() throws {
        var list = try MemoryList([[1]])
        try list.undo()
        try list.commit { _ in }
        #expect(throws: ListError.self) { try list.commit { try $0.delete(.item(99)) } }
        try expect(list, undo: [], redo: [1])
        try list.redo()
        #expect(list.ids() == [[1]])
    }

    @Test("n undos and n redos restore every state on the way", arguments: 1...6 as ClosedRange<UInt64>)
    func thereAndBack(seed: UInt64) throws {
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var edits = RandomEdits(seed: seed)
        var reference = ReferenceList()
        var hashes = [list.snapshot().stateHash]
        while hashes.count < 60 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            let commit = try list.commit { try $0.apply(operation) }
            if let commit { hashes.append(commit.stateHash) }
        }
        var position = hashes.count - 1
        for _ in 0..<12 {
            let target = Int.random(in: 0..<hashes.count, using: &edits.generator)
            while position != target {
                let commit = position > target ? try list.undo() : try list.redo()
                position += position > target ? -1 : 1
                try #require(commit.stateHash == hashes[position], "seed \(seed), position \(position)")
            }
            #expect(list.editor.state.history.undoCount == position, "seed \(seed)")
            #expect(list.editor.state.history.redoCount == hashes.count - 1 - position, "seed \(seed)")
        }
        try list.editor.checkInvariants()
    }

    @Test("Repeated undo and redo alternate between two states")
    func chains() throws {
        var list = try MemoryList([[1, 2]])
        try list.commit("Move it") { try $0.move(.item(1), to: .after(2)) }
        for _ in 0..<20 {
            try list.undo()
            #expect(list.ids() == [[1, 2]])
            try list.redo()
            #expect(list.ids() == [[2, 1]])
        }
        #expect(list.editor.state.history.undoCount == 2)
        #expect(try list.log.commit(list.log.head).name == "Move it")
    }

    @Test("An undo and a redo have the name of the commit that they revert, and the origin of the caller")
    func names() throws {
        var list = try MemoryList([[1]])
        try list.commit("Add two") { try $0.insert(NewRow(2), at: .after(1)) }
        let undo = try #require(try list.editor.undo(origin: "tablet", time: Timestamp(microseconds: 77)).commit)
        list.log.append(undo)
        #expect(undo.name == "Add two" && undo.origin == "tablet" && undo.time == Timestamp(microseconds: 77))
        let redo = try #require(try list.editor.redo(origin: "phone", time: Timestamp(microseconds: 78)).commit)
        list.log.append(redo)
        #expect(redo.name == "Add two" && redo.origin == "phone" && redo.time == Timestamp(microseconds: 78))
        #expect(try list.undo().name == "Add two")
        #expect(try list.undo().name == "fill")
    }

    @Test("An undo that cannot read its commit is an error, and changes nothing")
    func missingRecord() throws {
        var list = try MemoryList([[1]])
        let commit = try list.log.commit(Version(1))
        var state = ListState()
        let checksum = try commit.record.withUnsafeBytes { try state.replay($0, previousChecksum: 0) }
        var editor = UntypedEditor(state, checksum: checksum, source: ArraySource())
        #expect(throws: ArraySource.Missing.self) { _ = try editor.undo(time: Timestamp(microseconds: 1)) }
        #expect(editor.isEditing == false)
        #expect(editor.state.version == Version(1))
        #expect(editor.snapshot().stateHash == list.snapshot().stateHash)
    }

    @Test("An editor after a replay continues exactly like the first one, byte for byte")
    func replayedEditor() throws {
        var list = try MemoryList(Self.start)
        for edit in [Edit.insert, .moveScattered, .deleteSection] { try list.commit { try edit.apply(&$0) } }
        try list.undo()
        try list.undo()
        var state = ListState()
        var checksum: UInt64 = 0
        for version in 1...list.log.head.rawValue {
            try list.log.withRecord(of: Version(version)) {
                checksum = try state.replay($0, previousChecksum: checksum, check: .everyHash)
            }
        }
        var editor = UntypedEditor(state, checksum: checksum, source: list.log)
        #expect(editor.state.history == list.editor.state.history)
        let time = Timestamp(microseconds: 1_000)
        let redo = try #require(try editor.redo(time: time).commit)
        let expected = try #require(try list.editor.redo(time: time).commit)
        #expect(redo.record == expected.record)
        list.log.append(expected)
        let draft = CommitDraft(name: "next", time: time)
        let next = try editor.commit(draft) { try Edit.updateTwice.apply(&$0) }
        #expect(try next?.record == list.editor.commit(draft) { try Edit.updateTwice.apply(&$0) }?.record)
        #expect(next != nil)
    }
}
