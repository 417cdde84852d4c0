// Tests live views of outlines, in an app's own types: `visibleRows` before and after the other parts of a query.

import ListModel
import Listory
import TestSupport
import Testing

private struct Task: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title = ""
}

@Suite("A live view of an outline")
struct LiveOutlineTests {
    /// Row 1 has the children 2 and 4; 2 has 3; 5 has 6. Titles are the ids, with an "a" if they are odd.
    private static func store(_ folder: TemporaryFolder) throws -> ListStore<String, Task> {
        let store = try ListStore<String, Task>.open(at: folder.file("tasks.listory"), createIfMissing: true)
        try store.edit("Plan") { list in
            try list.insertSection("plan")
            let rows = [(1, 0), (2, 1), (3, 2), (4, 1), (5, 0), (6, 1)].map { id, depth in
                let task = Task(id: id, title: id % 2 == 1 ? "a \(id)" : "\(id)")
                return ListEdit<String, Task>.Row(task, depth: depth)
            }
            try list.insert(rows, in: .root(of: "plan"))
        }
        return store
    }

    private static func rows<Section>(_ snapshot: ListSnapshot<Section, Task>) throws -> [String] {
        snapshot.sections.flatMap(\.rows).map { String(repeating: ".", count: $0.depth) + "\($0.id)" }
    }

    @Test("Visible rows are searched and limited, and follow collapsing, moves of subtrees, undo and the past")
    func stacked() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let view = try store.view { $0.visibleRows().searchable(in: \.title).prefix(3) }
        #expect(try Self.rows(view.snapshot) == ["1", ".2", "..3"])
        let before = try store.core.version
        try store.edit("Collapse") { try $0.collapse(2) }
        #expect(try Self.rows(view.snapshot) == ["1", ".2", ".4"])
        try store.edit("Collapse") { try $0.collapse(1) }
        #expect(try Self.rows(view.snapshot) == ["1", "5", ".6"])
        // Hidden rows are not found.
        try view.search("a")
        #expect(try Self.rows(view.snapshot) == ["1", "5"])
        try store.edit("Move") { try $0.moveSubtree(2, to: .firstChild(of: 5)) }
        try store.edit("Expand") { try $0.expand(2) }
        #expect(try Self.rows(view.snapshot) == ["1", "5", "..3"])
        #expect(try view.indexPath(of: 3) == ListIndexPath(section: 0, item: 2) && view.indexPath(of: 4) == nil)
        try store.undo(3)
        #expect(try Self.rows(view.snapshot) == ["1", "5"])
        try view.search("")
        #expect(try Self.rows(view.snapshot) == ["1", ".2", ".4"])
        #expect(try Self.rows(view.snapshot(at: before)) == ["1", ".2", "..3"])
        #expect(try Self.rows(view.shown) == ["1", ".2", ".4"])
        try view.showFirst(nil)
        #expect(try Self.rows(view.snapshot) == ["1", ".2", ".4", "5", ".6"])
    }

    @Test("A row keeps its depth if others are filtered out; its parent is then the one before it among the rest")
    func depths() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let outlineFirst = try store.view { $0.visibleRows().filter { $0.id != 2 } }
        let filterFirst = try store.view { $0.filter { $0.id != 2 }.visibleRows() }
        // The parent of 3 is left out; 3 keeps its place and its depth.
        #expect(try Self.rows(outlineFirst.snapshot) == ["1", "..3", ".4", "5", ".6"])
        #expect(try Self.rows(filterFirst.snapshot) == ["1", "..3", ".4", "5", ".6"])
        let outline = try #require(filterFirst.snapshot.core.sections.first).outline
        #expect(outline.parent(of: 1) == 0 && outline.level(of: 1) == 1)
        // The collapsed row hides 3 in the outline of all rows, and nothing in the filtered outline.
        try store.edit("Collapse") { try $0.collapse(2) }
        #expect(try Self.rows(outlineFirst.snapshot) == ["1", ".4", "5", ".6"])
        #expect(try Self.rows(filterFirst.snapshot) == ["1", "..3", ".4", "5", ".6"])
        // There, the row before 3 hides it.
        try store.edit("Collapse") { try $0.collapse(1) }
        #expect(try Self.rows(filterFirst.snapshot) == ["1", "5", ".6"])
    }

    @Test("Visible rows keep the order of the list; an untyped view cannot know it")
    func order() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        #expect(try store.view { $0.visibleRows().prefix(2) }.keepsOrder)
        #expect(try !store.view { $0.visibleRows().sorted(by: \.title) }.keepsOrder)
        let grouped = try store.view { $0.visibleRows().grouped(by: { $0.id % 2 }) }
        try store.edit("Collapse") { try $0.collapse(1) }
        #expect(try grouped.snapshot.sections.map { try $0.rows.map { $0.id } } == [[6], [1, 5]])
    }

    @Test("Each change of the visible rows is one transition")
    func transitions() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(folder)
        let view = try store.view { $0.visibleRows() }
        let updates = try view.updates()
        var iterator = updates.makeAsyncIterator()
        try await store.edit("Collapse") { try $0.collapse(1) }
        _ = try view.snapshot
        let collapsed = try #require(await iterator.next()).get().changeset.items
        #expect(collapsed.deleted == [1, 2, 3].map { ListIndexPath(section: 0, item: $0) })
        #expect(collapsed.updated == [ListIndexPath(section: 0, item: 0)] && collapsed.inserted.isEmpty)
        // Changes of hidden rows are no updates.
        try await store.edit("Rename") { try $0.update(Task(id: 3, title: "three")) }
        try await store.edit("Outdent") { try $0.outdent(6) }
        _ = try view.snapshot
        let outdented = try #require(await iterator.next()).get().changeset.items
        #expect(outdented.updated == [ListIndexPath(section: 0, item: 2)] && outdented.deleted.isEmpty)
    }
}
