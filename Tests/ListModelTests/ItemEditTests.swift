// Tests edits of rows, one kind after another: by index path and by id, one row, a run, several scattered rows.

import ListModel
import TestSupport
import Testing

@Suite("Edits of rows")
struct ItemEditTests {
    private static let start = [[1, 2, 3, 4, 5], [6, 7], []]

    /// Makes an edit of the start list, and compares the rows and the number of events.
    private func expect(
        _ expected: [[UntypedID]], events count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout UntypedEditor) throws -> Void
    ) throws {
        var list = try MemoryList(Self.start)
        let before = list.snapshot()
        let events = try list.events(body)
        #expect(list.ids() == expected, sourceLocation: sourceLocation)
        #expect(events.count == count, sourceLocation: sourceLocation)
        try list.editor.checkInvariants()
        if count == 0 { return }
        try list.undo()
        #expect(list.snapshot().stateHash == before.stateHash, sourceLocation: sourceLocation)
        try list.editor.checkInvariants()
    }

    @Test("A row can be inserted at an index path, in a section, beside a row and at the end")
    func insertOne() throws {
        let row = NewRow(9)
        try expect([[9, 1, 2, 3, 4, 5], [6, 7], []]) { try $0.insert(row, at: .at(ListIndexPath(0, 0))) }
        try expect([[1, 2, 3, 4, 5], [6, 9, 7], []]) { try $0.insert(row, at: .at(ListIndexPath(1, 1))) }
        try expect([[1, 2, 3, 4, 5], [6, 7], [9]]) { try $0.insert(row, at: .at(ListIndexPath(2, 0))) }
        try expect([[1, 2, 3, 4, 5], [6, 7, 9], []]) { try $0.insert(row, at: .section("s1", at: 2)) }
        try expect([[1, 2, 9, 3, 4, 5], [6, 7], []]) { try $0.insert(row, at: .before(3)) }
        try expect([[1, 2, 3, 9, 4, 5], [6, 7], []]) { try $0.insert(row, at: .after(3)) }
        try expect([[1, 2, 3, 4, 5, 9], [6, 7], []]) { try $0.insert(row, at: .after(5)) }
        try expect([[1, 2, 3, 4, 5, 9], [6, 7], []]) { try $0.insert(row, at: .end(ofSection: "s0")) }
        try expect([[1, 2, 3, 4, 5], [6, 7], [9]]) { try $0.insert(row, at: .end(ofSection: "s2")) }
    }

    @Test("A run of rows is inserted in its order, as one event")
    func insertRun() throws {
        let rows = [9, 8, 10].map { NewRow($0) }
        try expect([[1, 9, 8, 10, 2, 3, 4, 5], [6, 7], []]) { try $0.insert(rows, at: .after(1)) }
        try expect([[1, 2, 3, 4, 5], [9, 8, 10, 6, 7], []]) { try $0.insert(rows, at: .section("s1", at: 0)) }
        try expect([[1, 2, 3, 4, 5], [6, 7], []], events: 0) { try $0.insert([], at: .after(1)) }
    }

    @Test("Inserted rows have the given checkmarks and contents")
    func insertedState() throws {
        var list = try MemoryList(Self.start)
        try list.commit { try $0.insert(NewRow(id: "new", isChecked: true, content: [1, 2, 3]), at: .after(7)) }
        let row = try list.contents().item(at: ListIndexPath(1, 2))
        #expect(row == ReferenceItem(id: "new", isChecked: true, content: [1, 2, 3]))
    }

    @Test("Rows are deleted by id, by index path, as a run and scattered: an event for each run of neighbours")
    func delete() throws {
        try expect([[1, 2, 4, 5], [6, 7], []]) { try $0.delete(.item(3)) }
        try expect([[1, 2, 3, 4, 5], [7], []]) { try $0.delete(.at(ListIndexPath(1, 0))) }
        try expect([[1, 5], [6, 7], []]) { try $0.delete(.run(ListIndexPath(0, 1), count: 3)) }
        try expect([[], [6, 7], []]) { try $0.delete(.run(ListIndexPath(0, 0), count: 5)) }
        try expect([[3], [6], []], events: 3) { try $0.delete(.items([7, 1, 5, 4, 2])) }
        try expect([[1, 4, 5], [6, 7], []]) { try $0.delete(.items([3, 2, 3])) }
        try expect([[1, 2, 3, 4, 5], [6, 7], []], events: 0) { try $0.delete(.items([])) }
        try expect([[1, 2, 3, 4, 5], [6, 7], []], events: 0) { try $0.delete(.run(ListIndexPath(0, 0), count: 0)) }
    }

    @Test("A row moves to its destination, whose index does not count it")
    func moveOne() throws {
        try expect([[2, 3, 1, 4, 5], [6, 7], []]) { try $0.move(.item(1), to: .at(ListIndexPath(0, 2))) }
        let (first, last) = (ListIndexPath(0, 0), ListIndexPath(0, 4))
        try expect([[2, 3, 4, 5, 1], [6, 7], []]) { try $0.move(.at(first), to: .at(last)) }
        try expect([[5, 1, 2, 3, 4], [6, 7], []]) { try $0.move(.item(5), to: .section("s0", at: 0)) }
        try expect([[1, 2, 4, 5], [6, 3, 7], []]) { try $0.move(.item(3), to: .after(6)) }
        try expect([[1, 2, 4, 5], [6, 3, 7], []]) { try $0.move(.item(3), to: .before(7)) }
        try expect([[1, 2, 4, 5], [6, 7], [3]]) { try $0.move(.item(3), to: .end(ofSection: "s2")) }
        try expect([[1, 3, 4, 5, 2], [6, 7], []]) { try $0.move(.item(2), to: .end(ofSection: "s0")) }
        try expect([[3, 1, 2, 4, 5], [6, 7], []]) { try $0.move(.item(3), to: .before(1)) }
    }

    @Test("A run of rows moves as one event and keeps its order")
    func moveRun() throws {
        let run = ItemSelection.run(ListIndexPath(0, 1), count: 3)
        try expect([[1, 5, 2, 3, 4], [6, 7], []]) { try $0.move(run, to: .after(5)) }
        try expect([[2, 3, 4, 1, 5], [6, 7], []]) { try $0.move(run, to: .at(ListIndexPath(0, 0))) }
        try expect([[1, 5, 2, 3, 4], [6, 7], []]) { try $0.move(run, to: .at(ListIndexPath(0, 2))) }
        try expect([[1, 5], [6, 2, 3, 4, 7], []]) { try $0.move(run, to: .before(7)) }
        try expect([[1, 2, 4, 5, 3], [6, 7], []]) { try $0.move(.items([3]), to: .end(ofSection: "s0")) }
        try expect([[4, 1, 2, 3, 5], [6, 7], []]) { try $0.move(.items([3, 1, 2]), to: .after(4)) }
    }

    @Test("Scattered rows move together, in the order of the list")
    func moveScattered() throws {
        try expect([[2, 4], [6, 1, 3, 5, 7], []], events: 3) { try $0.move(.items([5, 3, 1]), to: .after(6)) }
        try expect([[2, 3, 4], [6], [1, 5, 7]], events: 3) {
            try $0.move(.items([7, 1, 5]), to: .end(ofSection: "s2"))
        }
        // Index 2 counts the rows that stay: 2, 3, 4.
        let second = ListIndexPath(0, 2)
        try expect([[2, 3, 1, 5, 4], [6, 7], []], events: 2) { try $0.move(.items([1, 5]), to: .at(second)) }
        // The row after the anchor is one of those that move.
        try expect([[2, 1, 3, 5, 4], [6, 7], []], events: 3) { try $0.move(.items([1, 3, 5]), to: .after(2)) }
        try expect([[1, 2, 4, 7, 3, 5], [6], []], events: 2) { try $0.move(.items([4, 7]), to: .before(3)) }
    }

    @Test("Toggling inverts each checkmark, with an event for each row")
    func toggle() throws {
        var list = try MemoryList(Self.start)
        try list.commit { try $0.toggle(.item(2)) }
        let path = ListIndexPath(0, 0)
        let events = try list.events { try $0.toggle(.run(path, count: 3)) }
        #expect(
            events == [
                .itemToggled(at: path, 1, isChecked: true), .itemToggled(at: ListIndexPath(0, 1), 2, isChecked: false),
                .itemToggled(at: ListIndexPath(0, 2), 3, isChecked: true),
            ])
        #expect(list.snapshot().sections[0].items.filter(\.isChecked).map(\.id) == [1, 3])
        try list.commit { try $0.toggle(.items([6, 1])) }
        #expect(
            try list.contents().paths.filter { try list.contents().item(at: $0).isChecked } == [
                ListIndexPath(0, 2), ListIndexPath(1, 0),
            ])
    }

    @Test("Setting checkmarks makes an event only for rows that change")
    func setChecked() throws {
        var list = try MemoryList(Self.start)
        try list.commit { try $0.setChecked(true, for: .item(2)) }
        let events = try list.events { try $0.setChecked(true, for: .run(ListIndexPath(0, 0), count: 3)) }
        #expect(
            events == [
                .itemToggled(at: ListIndexPath(0, 0), 1, isChecked: true),
                .itemToggled(at: ListIndexPath(0, 2), 3, isChecked: true),
            ])
        let cleared = try list.events { try $0.setChecked(false, for: .items([3, 4, 7])) }
        #expect(cleared == [.itemToggled(at: ListIndexPath(0, 2), 3, isChecked: false)])
    }

    @Test("An update changes the content and nothing else, by id or by index path")
    func update() throws {
        var list = try MemoryList(Self.start)
        try list.commit { try $0.setChecked(true, for: .item(7)) }
        let before = try list.contents()
        var expected = before
        expected.sections[1].items[1].content = [1, 2, 3, 4]
        try list.commit { try $0.update(7, content: [1, 2, 3, 4]) }
        #expect(try list.contents() == expected)
        try list.commit { try $0.update(at: ListIndexPath(1, 1), content: []) }
        expected.sections[1].items[1].content = []
        #expect(try list.contents() == expected)
        try list.undo()
        try list.undo()
        #expect(try list.contents() == before)
    }

    @Test("The event of an update refers to the old and to the new content")
    func updateEvent() throws {
        var list = try MemoryList(Self.start)
        let old = try #require(list.snapshot().item(at: ListIndexPath(0, 2))).content
        let events = try list.events { try $0.update(3, content: [0xAA]) }
        let new = try #require(list.snapshot().item(at: ListIndexPath(0, 2))).content
        #expect(events == [.itemUpdated(at: ListIndexPath(0, 2), 3, old: old, new: new)])
        #expect(new.version == Version(2) && new != old)
        #expect(try list.log.content(of: new) == [0xAA] && list.log.content(of: old) == [3])
    }

    @Test("Edits of one commit see the results of those before them")
    func editsBuildOnEachOther() throws {
        try expect([[1, 2, 5], [6, 7], [9, 4, 3]], events: 7) { editor in
            try editor.insert(NewRow(9), at: .end(ofSection: "s2"))
            try editor.move(.item(3), to: .after(9))
            try editor.move(.item(4), to: .before(3))
            try editor.update(9, content: [1])
            try editor.update(9, content: [2])
            try editor.toggle(.at(ListIndexPath(2, 0)))
            try editor.renameSection(.at(2), to: "last")
        }
    }
}
