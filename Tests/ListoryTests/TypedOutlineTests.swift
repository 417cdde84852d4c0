// Tests typed outlines, applying wanted rows, and reading by an app's own ids.

import ListModel
import Listory
import TestSupport
import Testing

private struct Task: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title = ""
}

private enum Day: String, SectionIdentifier { case today, tomorrow }

@Suite("A typed outline")
struct TypedOutlineTests {
    private static func open(_ folder: TemporaryFolder) throws -> ListStore<Day, Task> {
        try ListStore.open(at: folder.file("tasks.listory"), createIfMissing: true)
    }

    /// The rows of the first section: a dot for each level of depth, the id, a minus if collapsed.
    private static func text(_ store: ListStore<Day, Task>) throws -> String {
        try store.snapshot.section(at: 0)!.rows.map { row in
            String(repeating: ".", count: row.depth) + "\(row.id)" + (row.isCollapsed ? "-" : "")
        }.joined(separator: " ")
    }

    @Test("An outline is edited by the app's ids, survives reopening, and undoes")
    func outline() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        try store.edit("Plan") { list in
            try list.insertSection(.today, items: [Task(id: 1), Task(id: 2)])
            try list.insert([Task(id: 3), Task(id: 4)], in: .lastChild(of: 1))
            try list.insert(
                [.init(Task(id: 5)), .init(Task(id: 6), depth: 1, isCollapsed: true)], in: .firstChild(of: 2))
            try list.insert([Task(id: 7)], in: .before(3))
            try list.insert([Task(id: 8)], in: .after(5))
            try list.insert([Task(id: 9)], in: .root(of: .today))
        }
        #expect(try Self.text(store) == "1 .7 .3 .4 2 .5 ..6- .8 9")
        try store.edit("Arrange") { list in
            try list.moveSubtree(5, to: .firstChild(of: 1))
            try list.indent(4)
            try list.outdent(8)
            try list.collapse(1, recursively: true)
            try list.expand(5)
            try list.changeDepth(of: .item(9), by: 2)
            try list.deleteSubtrees([7])
        }
        let arranged = "1- .5 ..6- .3- ..4 2 8 ..9"
        #expect(try Self.text(store) == arranged)
        try store.close()
        let reopened = try Self.open(folder)
        #expect(try Self.text(reopened) == arranged)
        try reopened.undo()
        #expect(try Self.text(reopened) == "1 .7 .3 .4 2 .5 ..6- .8 9")
        try reopened.redo()
        #expect(try Self.text(reopened) == arranged)
        #expect(throws: ListError.movedOntoItself(.integer(1))) {
            try reopened.edit("Bad") { try $0.moveSubtree(1, to: .after(6)) }
        }
        #expect(try Self.text(reopened) == arranged)
        try reopened.edit("More") { list in
            try list.insert([.init(Task(id: 10), isChecked: true, depth: 2)], at: .before(2))
        }
        #expect(try Self.text(reopened) == "1- .5 ..6- .3- ..4 ..10 2 8 ..9")
        try reopened.edit("One") { list in
            try list.insert(Task(id: 11), isChecked: true, in: .lastChild(of: 2))
            try list.setChecked(false, for: 11)
            try list.setChecked(true, for: 2)
        }
        #expect(try Self.text(reopened) == "1- .5 ..6- .3- ..4 ..10 2 .11 8 ..9")
        #expect(try reopened.snapshot.indexed().row(11)?.isChecked == false)
        #expect(try reopened.snapshot.indexed().row(2)?.isChecked == true)
        try reopened.close()
    }

    @Test("A typed snapshot answers the questions of the diffable interface by the app's ids")
    func reading() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Plan") { list in
            try list.apply([
                .init(id: .today, rows: [.init(Task(id: 1), isCollapsed: true), .init(Task(id: 2), depth: 1)]),
                .init(id: .tomorrow, rows: [.init(Task(id: 3), isChecked: true)]),
            ])
        }
        let rows = try store.snapshot.indexed()
        #expect(rows.sectionCount == 2 && rows.itemCount == 3)
        #expect(try rows.sectionIDs == [.today, .tomorrow] && rows.itemIDs == [1, 2, 3])
        #expect(try rows.itemIDs(inSection: .today) == [1, 2] && rows.itemCount(inSection: .tomorrow) == 1)
        #expect(rows.indexPath(of: 3) == ListIndexPath(section: 1, item: 0) && rows.indexOfSection(.tomorrow) == 1)
        #expect(try rows.itemID(at: ListIndexPath(section: 0, item: 1)) == 2)
        #expect(try rows.itemID(at: ListIndexPath(section: 0, item: 2)) == nil)
        #expect(try rows.sectionID(at: 1) == .tomorrow && rows.sectionID(at: 2) == nil && rows.sectionID(at: -1) == nil)
        #expect(try rows.sectionID(containing: 3) == .tomorrow && rows.sectionID(containing: 9) == nil)
        #expect(try rows.row(3)?.isChecked == true && rows.row(3)?.item == Task(id: 3) && rows.row(9)?.id == nil)
        #expect(rows.offset(of: 3) == 2)
        #expect(try rows.level(of: 2) == 1 && rows.parent(of: 2) == 1 && rows.parent(of: 1) == nil)
        #expect(try rows.children(of: 1) == [2] && rows.subtree(of: 1) == [1, 2])
        #expect(try !rows.isExpanded(1) && !rows.isVisible(2) && rows.isVisible(1))
        #expect(try rows.rootItems(inSection: .today) == [1] && rows.visibleItems(inSection: .today) == [1])
        #expect(throws: ListError.unknownItem(.integer(9))) { try rows.level(of: 9) }
        #expect(try store.indexOfSection(.tomorrow) == 1 && store.sectionID(containing: 2) == .today)
        #expect(try store.core.read { try $0.level(of: 2) } == 1)
        #expect(throws: ListError.unknownItem(9)) { try store.core.read { try $0.level(of: 9) } }
        try store.close()
        #expect(throws: ListError.self) { try store.core.read { $0.itemCount } }
    }

    @Test("Items are updated all or none, applied, and deleted, each in one commit that can be undone")
    func wholeRows() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Start") { try $0.insertSection(.today, items: (1...4).map { Task(id: $0) }) }
        try store.edit("Update") { try $0.update([Task(id: 2, title: "two"), Task(id: 3, title: "three")]) }
        #expect(try store.item(2)?.title == "two" && store.item(3)?.title == "three")
        #expect(throws: ListError.unknownItem(.integer(9))) {
            try store.edit("Bad") { try $0.update([Task(id: 1, title: "one"), Task(id: 9)]) }
        }
        #expect(throws: ListError.duplicateItem(.integer(1))) {
            try store.edit("Bad") { try $0.update([Task(id: 1, title: "one"), Task(id: 1)]) }
        }
        #expect(try store.item(1)?.title == "")
        try store.edit("Refresh") { list in
            try list.apply([.init(Task(id: 4)), .init(Task(id: 1)), .init(Task(id: 7), depth: 1)], toSection: .today)
        }
        #expect(try Self.text(store) == "4 1 .7")
        try store.undo()
        #expect(try Self.text(store) == "1 2 3 4" && store.item(2)?.title == "two")
        #expect(try store.snapshot.section(at: 1)?.title == nil && store.snapshot.section(at: -1)?.title == nil)
        try store.edit("Clear") { try $0.deleteAll() }
        #expect(try store.snapshot.sections.isEmpty)
        try store.undo()
        #expect(try Self.text(store) == "1 2 3 4")
        try store.close()
    }
}
