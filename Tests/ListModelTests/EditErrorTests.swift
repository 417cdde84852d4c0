// Tests edits that are refused: every kind of `ListError`, by every function that throws it, with nothing half done.
//
// `expectError` adds a section at the end before each edit, to check that an error does not affect earlier edits.

@testable import ListModel
import TestSupport
import Testing

@Suite("Edits that are refused")
struct EditErrorTests {
    private static let row = NewRow(9)

    private static func list() throws -> MemoryList { try MemoryList([[1, 2, 3], [4], []]) }

    @Test("An unknown id of a row is refused by every edit")
    func unknownItem() throws {
        var list = try Self.list()
        let error = ListError.unknownItem(99)
        try list.expectError(error) { try $0.insert(Self.row, at: .before(99)) }
        try list.expectError(error) { try $0.insert(Self.row, at: .after(99)) }
        try list.expectError(error) { try $0.delete(.item(99)) }
        try list.expectError(error) { try $0.delete(.items([1, 99, 3])) }
        try list.expectError(error) { try $0.move(.item(99), to: .after(1)) }
        try list.expectError(error) { try $0.move(.item(1), to: .after(99)) }
        try list.expectError(error) { try $0.move(.items([1, 3, 99]), to: .end(ofSection: "s1")) }
        try list.expectError(error) { try $0.toggle(.item(99)) }
        try list.expectError(error) { try $0.toggle(.items([1, 99])) }
        try list.expectError(error) { try $0.setChecked(true, for: .items([1, 99])) }
        try list.expectError(error) { try $0.update(99, content: [1]) }
        try list.expectError(.unknownItem("1")) { try $0.delete(.item("1")) }
    }

    @Test("An unknown id of a section is refused by every edit")
    func unknownSection() throws {
        var list = try Self.list()
        let error = ListError.unknownSection("nowhere")
        try list.expectError(error) { try $0.insert(Self.row, at: .section("nowhere", at: 0)) }
        try list.expectError(error) { try $0.insert(Self.row, at: .end(ofSection: "nowhere")) }
        try list.expectError(error) { try $0.move(.item(1), to: .end(ofSection: "nowhere")) }
        try list.expectError(error) { try $0.insertSection(NewSection(9), at: .before("nowhere")) }
        try list.expectError(error) { try $0.insertSection(NewSection(9), at: .after("nowhere")) }
        try list.expectError(error) { try $0.deleteSection(.section("nowhere")) }
        try list.expectError(error) { try $0.moveSection(.section("nowhere"), to: .end) }
        try list.expectError(error) { try $0.moveSection(.at(0), to: .before("nowhere")) }
        try list.expectError(error) { try $0.renameSection(.section("nowhere"), to: "") }
    }

    @Test("An id that another row has, or that occurs twice, is refused")
    func duplicateItem() throws {
        var list = try Self.list()
        try list.expectError(.duplicateItem(2)) { try $0.insert(NewRow(2), at: .after(1)) }
        try list.expectError(.duplicateItem(4)) { try $0.insert([NewRow(8), NewRow(4)], at: .after(1)) }
        try list.expectError(.duplicateItem(8)) { try $0.insert([NewRow(8), NewRow(9), NewRow(8)], at: .after(1)) }
        try list.expectError(.duplicateItem(1)) { try $0.insertSection(NewSection(9, [8, 1])) }
        try list.expectError(.duplicateItem(8)) { try $0.insertSection(NewSection(9, [8, 8])) }
        try list.expectError(.duplicateItem(8)) { try $0.reload([NewSection(1, [8]), NewSection(2, [8])]) }
        try list.expectError(.duplicateItem("pending")) { editor in
            try editor.insert(NewRow(id: "pending", content: []), at: .after(1))
        }
    }

    @Test("An id that another section has, or that occurs twice, is refused")
    func duplicateSection() throws {
        var list = try Self.list()
        try list.expectError(.duplicateSection("s1")) { try $0.insertSection(NewSection(1, [8])) }
        try list.expectError(.duplicateSection("s1")) { try $0.insertSection(NewSection(1), at: .at(0)) }
        try list.expectError(.duplicateSection("s7")) { try $0.reload([NewSection(7, [1]), NewSection(7, [2])]) }
    }

    @Test("An index path out of range is refused with the valid range")
    func itemIndexOutOfRange() throws {
        var list = try Self.list()
        for item in [3, 4, -1, .max, .min] {
            let path = ListIndexPath(0, item)
            let error = ListError.itemIndexOutOfRange(path, valid: 0..<3)
            try list.expectError(error) { try $0.delete(.at(path)) }
            try list.expectError(error) { try $0.move(.at(path), to: .after(1)) }
            try list.expectError(error) { try $0.toggle(.at(path)) }
            try list.expectError(error) { try $0.setChecked(true, for: .at(path)) }
            try list.expectError(error) { try $0.update(at: path, content: []) }
            try list.expectError(error) { try $0.delete(.run(path, count: 1)) }
        }
        for item in [4, -1, .max, .min] {
            let path = ListIndexPath(0, item)
            let error = ListError.itemIndexOutOfRange(path, valid: 0..<4)
            try list.expectError(error) { try $0.insert(Self.row, at: .at(path)) }
            try list.expectError(error) { try $0.insert(Self.row, at: .section("s0", at: item)) }
            try list.expectError(error) { try $0.insert([Self.row, NewRow(8)], at: .at(path)) }
            try list.expectError(error) { try $0.move(.item(4), to: .at(path)) }
        }
        // The rows that move are not counted.
        for item in [3, -1, .max, .min] {
            let path = ListIndexPath(0, item)
            let error = ListError.itemIndexOutOfRange(path, valid: 0..<3)
            try list.expectError(error) { try $0.move(.item(2), to: .at(path)) }
            try list.expectError(error) { try $0.move(.items([2, 4]), to: .section("s0", at: item)) }
        }
        let path = ListIndexPath(2, 0)
        try list.expectError(.itemIndexOutOfRange(path, valid: 0..<0)) { try $0.delete(.at(path)) }
    }

    @Test("A run that extends beyond its section is refused", arguments: [3, 4, 1_000, Int.max])
    func runOutOfRange(count: Int) throws {
        var list = try Self.list()
        let run = ItemSelection.run(ListIndexPath(0, 1), count: count)
        for edit in 0..<3 {
            let before = list.snapshot().stateHash
            let error = #expect(throws: ListError.self) {
                try list.commit { editor in
                    switch edit {
                    case 0: try editor.delete(run)
                    case 1: try editor.move(run, to: .end(ofSection: "s2"))
                    default: try editor.setChecked(true, for: run)
                    }
                }
            }
            #expect(error?.code == "itemIndexOutOfRange")
            #expect(list.editor.snapshot().stateHash == before)
        }
    }

    @Test("A section index out of range is refused with the valid range")
    func sectionIndexOutOfRange() throws {
        var list = try Self.list()
        for index in [4, -1, .max, .min] {
            let error = ListError.sectionIndexOutOfRange(index, valid: 0..<4)
            let path = ListIndexPath(index, 0)
            try list.expectError(error) { try $0.insert(Self.row, at: .at(path)) }
            try list.expectError(error) { try $0.move(.item(1), to: .at(path)) }
            try list.expectError(error) { try $0.delete(.at(path)) }
            try list.expectError(error) { try $0.delete(.run(path, count: 2)) }
            try list.expectError(error) { try $0.update(at: path, content: []) }
            try list.expectError(error) { try $0.deleteSection(.at(index)) }
            try list.expectError(error) { try $0.renameSection(.at(index), to: "") }
            try list.expectError(error) { try $0.moveSection(.at(index), to: .end) }
            // Without the section that moves there are three, and so four places.
            try list.expectError(error) { try $0.moveSection(.at(0), to: .at(index)) }
        }
        for index in [5, -1, .max, .min] {
            try list.expectError(.sectionIndexOutOfRange(index, valid: 0..<5)) { editor in
                try editor.insertSection(NewSection(9), at: .at(index))
            }
        }
    }

    @Test("Rows and sections cannot move beside themselves")
    func movedOntoItself() throws {
        var list = try Self.list()
        try list.expectError(.movedOntoItself(2)) { try $0.move(.item(2), to: .before(2)) }
        try list.expectError(.movedOntoItself(2)) { try $0.move(.at(ListIndexPath(0, 1)), to: .after(2)) }
        try list.expectError(.movedOntoItself(3)) { try $0.move(.run(ListIndexPath(0, 0), count: 3), to: .after(3)) }
        try list.expectError(.movedOntoItself(4)) { try $0.move(.items([1, 3, 4]), to: .before(4)) }
        try list.expectError(.movedOntoItself("s1")) { try $0.moveSection(.section("s1"), to: .before("s1")) }
        try list.expectError(.movedOntoItself("s1")) { try $0.moveSection(.at(1), to: .after("s1")) }
    }

    @Test("Nothing to undo or to redo is an error that says so, and changes nothing")
    func nothingToRevert() throws {
        var empty = MemoryList()
        #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) { try empty.undo() }
        #expect(throws: ListError.nothingToRedo(requested: 1, available: 0)) { try empty.redo() }
        #expect(empty.editor.state.version == .empty && !empty.editor.isEditing)
        var list = try Self.list()
        try list.undo()
        #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) { try list.undo() }
        try list.redo()
        #expect(throws: ListError.nothingToRedo(requested: 1, available: 0)) { try list.redo() }
        #expect(list.editor.state.version == Version(3))
    }

    @Test("An event of a log that does not fit the rows is refused, and nothing changes")
    func eventMismatch() throws {
        var list = try Self.list()
        let content = try #require(list.snapshot().item(at: ListIndexPath(0, 0))).content
        let two = UntypedRow(id: 2, isChecked: false, content: content)
        let other = UntypedRow(id: 99, isChecked: false, content: content)
        let path = ListIndexPath(0, 1)
        let events: [(ListEvent, what: String)] = [
            (.itemsDeleted(at: path, .one(other)), "row at [0, 1]"),
            (.itemsDeleted(at: path, .many([two, other])), "row at [0, 2]"),
            (.itemsMoved(from: path, to: ListIndexPath(1, 0), .one(99)), "row at [0, 1]"),
            (.itemsMoved(from: path, to: ListIndexPath(1, 0), .many([2, 99])), "row at [0, 2]"),
            (.itemToggled(at: path, 99, isChecked: true), "row at [0, 1]"),
            (.itemUpdated(at: path, 99, old: content, new: content), "row at [0, 1]"),
            (.itemsIndented(at: path, .one(99), by: 1), "row at [0, 1]"),
            (.itemsIndented(at: path, .many([2, 99]), by: 1), "row at [0, 2]"),
            (.itemCollapsed(at: path, 99, isCollapsed: true), "row at [0, 1]"),
            (.sectionDeleted(at: 1, ListSection(id: "s9", title: "", items: [])), "section at index 1"),
            (.sectionDeleted(at: 1, ListSection(id: "s1", title: "", items: [])), "rows of section \"s1\""),
            (.sectionMoved(from: 1, to: 0, "s9"), "section at index 1"),
            (.sectionRenamed(at: 1, "s9", old: "", new: "x"), "section at index 1"),
        ]
        let before = list.snapshot().stateHash
        try list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
        for (event, what) in events {
            var thrown: ListError?
            do { try list.editor.append(event) } catch let error as ListError { thrown = error }
            guard case .eventMismatch(what, _, _) = thrown else {
                Issue.record("\(event): \(String(describing: thrown))")
                continue
            }
            #expect(list.editor.pendingEventCount == 0)
            #expect(list.editor.snapshot().stateHash == before)
        }
        try list.editor.checkInvariants()
        list.editor.cancel()
        #expect(throws: ListError.self) { try list.editor.state.checkHash(StateHash(rawValue: before.rawValue ^ 1)) }
        try list.editor.state.checkHash(before)
    }

    @Test("Every error has a code and a sentence of its own")
    func descriptions() {
        let path = ListIndexPath(1, 7)
        let errors: [(ListError, code: String, text: String)] = [
            (.unknownItem("x"), "unknownItem", "no row has the id \"x\""),
            (.unknownSection(3), "unknownSection", "no section has the id 3"),
            (.duplicateItem(7), "duplicateItem", "there is a row with the id 7 already"),
            (.duplicateSection("s"), "duplicateSection", "there is a section with the id \"s\" already"),
            (
                .itemIndexOutOfRange(path, valid: 0..<3), "itemIndexOutOfRange",
                "index 7 in section 1 is out of range: expected 0 to 2"
            ),
            (
                .itemIndexOutOfRange(path, valid: 0..<0), "itemIndexOutOfRange",
                "index 7 in section 1 is out of range: there are none"
            ),
            (
                .sectionIndexOutOfRange(4, valid: 0..<1), "sectionIndexOutOfRange",
                "section index 4 is out of range: expected 0 to 0"
            ),
            (.movedOntoItself(7), "movedOntoItself", "7 cannot move before, after or below itself"),
            (.depthOutOfRange(7, depth: 64), "depthOutOfRange", "7 cannot stand at depth 64: expected 0 to 63"),
            (.cannotIndent(7), "cannotIndent", "7 has no sibling before it whose child it could become"),
            (.cannotOutdent(7), "cannotOutdent", "7 has no parent whose sibling it could become"),
            (.nothingToUndo(requested: 3, available: 1), "nothingToUndo", "cannot undo 3 steps: 1 can be undone"),
            (.nothingToRedo(requested: 1, available: 0), "nothingToRedo", "cannot redo 1 step: 0 can be redone"),
            (.commitTooLarge(bytes: 5), "commitTooLarge", "the commit has 5 bytes, and a record holds less than 4 GiB"),
            (.eventMismatch(what: "w", expected: "e", found: "f"), "eventMismatch", "w: expected e, found f"),
            (.unreadable(what: "w", expected: "e", found: "f"), "unreadable", "w: expected e, found f"),
        ]
        for (error, code, text) in errors {
            #expect(error.code == code)
            #expect(error.description == text)
        }
    }
}
