// Tests views that follow a store, in an app's own types.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

private struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var due: Int?
    var project = "home"
}

private enum Place: String, SectionIdentifier, Comparable {
    case inbox, later
    static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
}

@Suite("A live view")
struct LiveViewTests {
    private typealias Todos = ListStore<Place, Todo>

    private static func store(_ folder: TemporaryFolder) throws -> Todos {
        let store = try Todos.open(at: folder.file("todo.listory"), createIfMissing: true)
        try store.edit("Start") { list in
            try list.insertSection(
                .inbox, title: "Inbox",
                items: [
                    Todo(id: 1, title: "Milk", due: 5), Todo(id: 2, title: "Tea"),
                    Todo(id: 3, title: "Crème fraîche", due: 2, project: "party"),
                ])
            try list.insertSection(
                .later, title: "Later",
                items: [
                    Todo(id: 4, title: "Candles", due: 2, project: "party"), Todo(id: 5, title: "Almond milk", due: 9),
                ])
        }
        return store
    }

    private static func ids<Section>(_ snapshot: ListSnapshot<Section, Todo>) throws -> [[Int]] {
        snapshot.sections.map { $0.rows.map { $0.id } }
    }

    @Test("A query filters, sorts and limits, and the view follows edits, undo and redo")
    func following() throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { list in
            list.filter { !$0.isChecked }.inOneSection().sorted(by: \.due).then(by: \.title, .descending).prefix(3)
        }
        #expect(try Self.ids(view.snapshot) == [[3, 4, 1]])
        try store.edit("Check") { try $0.toggle(3) }
        // The rows that the view showed last can be read without the store.
        #expect(try Self.ids(view.shown) == [[3, 4, 1]])
        #expect(try Self.ids(view.snapshot) == [[4, 1, 5]])
        try store.edit("Due") { try $0.update(Todo(id: 2, title: "Tea", due: 1)) }
        #expect(try Self.ids(view.snapshot) == [[2, 4, 1]])
        // A row is found by its id, also right after an edit.
        #expect(try view.indexPath(of: 4) == ListIndexPath(section: 0, item: 1))
        try store.undo(2)
        #expect(try view.indexPath(of: 4) == ListIndexPath(section: 0, item: 1) && view.indexPath(of: 5) == nil)
        #expect(try view.indexPath(of: 99) == nil)
        #expect(try Self.ids(view.snapshot) == [[3, 4, 1]])
        try store.redo()
        #expect(try Self.ids(view.snapshot) == [[4, 1, 5]])
        #expect(try view.snapshot.version == store.snapshot.version)
        // Shows more rows, or all of them; those without a date are last.
        try view.showFirst(nil)
        #expect(try Self.ids(view.snapshot) == [[4, 1, 5, 2]])
        #expect(try view.showFirst(1).changeset.items.deleted.count == 3)
    }

    @Test("A section is a list of its own: rows come and go with it, other sections do not matter")
    func sections() throws {
        let folder = try TemporaryFolder()
        let store = try ListStore<String, Todo>.open(at: folder.file("lists"), createIfMissing: true)
        try store.edit("Lists") { list in
            try list.insertSection("home", items: [Todo(id: 1, title: "Milk")])
            try list.insertSection(
                "shop", items: [Todo(id: 10, title: "Rice"), Todo(id: 11, title: "Tea")], at: .at(0))
            try list.insertSection("work", items: [Todo(id: 20, title: "Mail")])
        }
        let shop = try store.view { $0.sections(["shop", "later"]).filter { !$0.isChecked } }
        #expect(try shop.snapshot.sections.map(\.id) == ["shop"])
        #expect(try Self.ids(shop.snapshot) == [[10, 11]] && shop.keepsOrder)
        try store.edit("Elsewhere") { try $0.move(20, to: .start(of: "work")) }
        #expect(try Self.ids(shop.snapshot) == [[10, 11]])
        try store.edit("Move") { try $0.move(20, to: .start(of: "shop")) }
        try store.edit("Check") { try $0.toggle(10) }
        #expect(try Self.ids(shop.snapshot) == [[20, 11]])
        #expect(try shop.indexPath(of: 11) == ListIndexPath(section: 0, item: 1))
        #expect(try shop.indexPath(of: 1) == nil && shop.indexPath(of: 10) == nil)
        try store.edit("Later") { try $0.insert(Todo(id: 30, title: "Book"), at: .end(of: "later")) }
        try store.edit("Sections") { try $0.moveSection("later", to: .at(0)) }
        #expect(try Self.ids(shop.snapshot) == [[30], [20, 11]])
        try store.edit("Delete") { try $0.deleteSection("shop") }
        #expect(try Self.ids(shop.snapshot) == [[30]])
        try store.undo(3)
        #expect(try Self.ids(shop.snapshot) == [[20, 11]])
        #expect(try Self.ids(shop.snapshot(at: Version(1))) == [[10, 11]])
    }

    @Test("Groups are sections of the app's own keys, ordered by the key or as they are given")
    func groups() throws {
        let store = try Self.store(TemporaryFolder())
        let byProject = try store.view { $0.grouped(.descending, by: { try $0.item!.project }, title: { "For \($0)" }) }
        #expect(try byProject.snapshot.sections.map { $0.id } == ["party", "home"])
        #expect(try byProject.snapshot.sections.map(\.title) == ["For party", "For home"])
        #expect(try Self.ids(byProject.snapshot) == [[3, 4], [1, 2, 5]])
        let inOrder = try store.view { list in
            list.grouped(by: { $0.isChecked ? Place.later : .inbox }, inOrder: [.later, .inbox]).prefixOfEachSection(2)
        }
        #expect(try Self.ids(inOrder.snapshot) == [[1, 2]])
        try store.edit("Check") { try $0.toggle(2) }
        #expect(try inOrder.snapshot.sections.map { $0.id } == [.later, .inbox])
        #expect(try Self.ids(inOrder.snapshot) == [[2], [1, 3]])
        try store.edit("Move") { try $0.update(Todo(id: 1, title: "Milk", due: 5, project: "party")) }
        #expect(try Self.ids(byProject.snapshot) == [[1, 3, 4], [2, 5]])
    }

    @Test("Keys that are equal have one section, although they are written in two ways")
    func groupsOfTwoSpellings() throws {
        let store = try Self.store(TemporaryFolder())
        let spellings = ["Caf\u{E9}", "Cafe\u{301}"]
        try store.edit("Projects") { list in
            try list.update(Todo(id: 1, title: "Milk", project: spellings[0]))
            try list.update(Todo(id: 4, title: "Candles", project: spellings[1]))
        }
        let view = try store.view { $0.grouped(by: { try $0.item!.project }) }
        #expect(try view.snapshot.sections.map { $0.id } == [spellings[0], "home", "party"])
        #expect(try Self.ids(view.snapshot) == [[1, 4], [2, 5], [3]])
        try store.edit("Move") { try $0.update(Todo(id: 2, title: "Tea", project: spellings[1])) }
        #expect(try Self.ids(view.snapshot) == [[1, 2, 4], [5], [3]])
        for spelling in spellings {
            let chosen = try store.view { $0.grouped(by: { try $0.item!.project }).sections([spelling]) }
            #expect(try Self.ids(chosen.snapshot) == [[1, 2, 4]])
        }
    }

    @Test("A row whose content was erased comes into a view with an equal item, and leaves it when that is undone")
    func writtenAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let milk = Todo(id: 1, title: "Milk")
        var store = try Todos.open(at: path, createIfMissing: true)
        try store.edit("Start") { try $0.insertSection(.inbox, title: "Inbox", items: [milk]) }
        try store.edit("Delete") { try $0.delete(1) }
        try store.close()
        #expect(try Todos.erase([1], at: path).contentCount == 1)
        store = try Todos.open(at: path)
        try store.undo()
        let view = try store.view { list in list.filter { try $0.item?.title == "Milk" } }
        #expect(try view.snapshot.itemCount == 0)
        let hash = try store.snapshot.stateHash
        try store.edit("Write") { try $0.update(milk) }
        #expect(try store.snapshot.stateHash == hash)
        #expect(try Self.ids(view.snapshot) == [[1]])
        let written = try store.version
        try store.undo()
        #expect(try view.snapshot.itemCount == 0)
        // As others do: then a redo merges.
        try store.edit("Other", tracking: .untracked) { try $0.insertSection(.later, title: "Later") }
        try store.redo()
        #expect(try Self.ids(view.snapshot) == [[1], []])
        try store.undo()
        #expect(try store.restore(written) != nil)
        #expect(try Self.ids(view.snapshot) == [[1]])
    }

    @Test("Rows without a key are in the section that the app gives them, or are filtered out")
    func groupsOfMissingKeys() throws {
        let store = try Self.store(TemporaryFolder())
        let byDate = try store.view { $0.grouped(by: { try $0.item!.due ?? .max }) }
        #expect(try Self.ids(byDate.snapshot) == [[3, 4], [1], [5], [2]])
        try store.edit("Date") { try $0.update(Todo(id: 1, title: "Milk")) }
        #expect(try Self.ids(byDate.snapshot) == [[3, 4], [5], [1, 2]])
        let dated = try store.view { list in
            list.filter { try $0.item!.due != nil }.grouped(by: { try $0.item!.due ?? .max })
        }
        #expect(try Self.ids(dated.snapshot) == [[3, 4], [5]])
    }

    @Test("A search finds words without case and marks, and another query is one transition")
    func searchingAndReplacing() throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { $0.searchable(in: \.title).hidingEmptySections() }
        try view.search("MILK")
        #expect(try Self.ids(view.snapshot) == [[1], [5]])
        try store.edit("Rename") { try $0.update(Todo(id: 2, title: "Milky tea")) }
        #expect(try Self.ids(view.snapshot) == [[1, 2], [5]])
        #expect(try view.search("creme").changeset.items.inserted == [ListIndexPath(section: 0, item: 0)])
        try view.search("")
        let changes = try view.show(ListQuery().filter { try $0.item!.due != nil }).changeset
        #expect(changes.items.deleted == [ListIndexPath(section: 0, item: 1)] && changes.items.inserted.isEmpty)
        #expect(try Self.ids(view.snapshot) == [[1, 3], [4, 5]])
    }

    @Test("Reading an old version through a view changes neither the view nor the undo state")
    func timeTravel() throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { $0.filter { !$0.isChecked } }
        for id in 1...4 { try store.edit("Check \(id)") { try $0.toggle(id) } }
        try store.undo()
        #expect(try Self.ids(view.snapshot) == [[], [4, 5]])
        let history = try store.history
        for version in 1...4 {
            let expected = [Array(version...3 + 1).filter { $0 <= 3 }, [4, 5]]
            #expect(try Self.ids(view.snapshot(at: Version(UInt64(version)))) == expected)
        }
        #expect(try view.snapshot(at: .empty).itemCount == 0)
        #expect(try Self.ids(view.shown) == [[], [4, 5]] && store.history == history)
        #expect(throws: ListError.self) { try view.snapshot(at: Version(99)) }
        #expect(throws: ListError.self) { try view.core.snapshot(at: Version(99)) }
    }

    private struct TooShort: Error, Equatable {
        let title: String
    }

    @Test("A predicate that throws is a typed error; the view keeps its rows and catches up later")
    func predicateThatThrows() throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { list in
            list.filter { row in
                guard let title = try row.item?.title else { throw TooShort(title: "unreadable") }
                if title.count < 2 { throw TooShort(title: title) }
                return !row.isChecked
            }
        }
        let before = try view.snapshot
        try store.edit("Short") { list in
            try list.toggle(1)
            try list.insert(Todo(id: 9, title: "x"), at: .end(of: .inbox))
        }
        let error = expectCause(QueryError.self) { try view.snapshot }
        #expect(error?.id == 9 && error?.path == ListIndexPath(section: 0, item: 3))
        #expect(error?.cause as? TooShort == TooShort(title: "x"))
        #expect(try view.shown.changeset(from: before).isEmpty && view.shown.version == before.version)
        try view.search("")
        expectCause(QueryError.self) { try view.snapshot }
        try store.edit("Longer") { try $0.update(Todo(id: 9, title: "xy")) }
        #expect(try Self.ids(view.snapshot) == [[2, 3, 9], [4, 5]])
        // A row whose content cannot be decoded has no item.
        try store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 77, content: Array("no JSON".utf8)), at: .end(ofSection: "inbox"))
        }
        let unreadable = expectCause(QueryError.self) { try view.snapshot }
        #expect(unreadable?.cause as? TooShort == TooShort(title: "unreadable"))
    }

    @Test("Updates lead from the initial rows to the shown ones, each from where the last one ended")
    func updates() async throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view {
            $0.filter { try $0.item!.title.count > 1 && !$0.isChecked }.searchable(in: \.title)
        }
        let (updates, others) = (try view.updates(), try view.updates())
        try await store.edit("Check") { try $0.toggle(1) }
        try await store.edit("Checked ones do not show") { try $0.update(Todo(id: 1, title: "More milk")) }
        // The view follows the first two edits here; the task does not follow them again.
        #expect(try Self.ids(view.snapshot) == [[2, 3], [4, 5]])
        try view.search("milk")
        try view.search("")
        try store.undo(2)
        _ = try view.snapshot
        try store.close()
        for sequence in [updates, others] {
            var shown = sequence.initial
            var count = 0
            for await update in sequence {
                let transition = try update.get()
                #expect(Changeset(from: shown, to: transition.old).isEmpty && !transition.isEmpty)
                shown = transition.new
                count += 1
            }
            #expect(try Changeset(from: shown, to: view.shown.core).isEmpty)
            #expect(count == 4)
        }
        #expect(throws: ListError.self) { try view.updates() }
        #expect(throws: ListError.self) { try view.snapshot }
    }

    @Test("Updates arrive with the commits by themselves, and an error is an update")
    func pushedUpdates() async throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { list in
            list.filter { row in
                if try row.item!.title.isEmpty { throw TooShort(title: "") }
                return true
            }
        }
        var updates = try view.updates().makeAsyncIterator()
        try await store.edit("One") { try $0.insert(Todo(id: 10, title: "ten"), at: .end(of: .inbox)) }
        #expect(try await updates.next()?.get().changeset.items.inserted == [ListIndexPath(section: 0, item: 3)])
        try await store.edit("Two") { try $0.insert(Todo(id: 11, title: ""), at: .end(of: .inbox)) }
        guard case .failure(let error)? = await updates.next() else {
            Issue.record("an error was expected")
            return
        }
        #expect(error.id == 11)
        try await store.edit("Three") { try $0.delete(11) }
        try await store.edit("Four") { try $0.toggle(10) }
        var last: ListTransition?
        while last?.changeset.items.updated.isEmpty ?? true { last = try await updates.next()?.get() }
        #expect(last?.new.itemCount == 6)
        try store.close()
        #expect(await updates.next() == nil)
    }

    @Test("After the store is closed, new sequences of updates are refused, and existing ones end")
    func updatesAfterClosing() async throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { $0.filter { !$0.isChecked } }
        let updates = try view.updates()
        try store.close()
        for await _ in updates { Issue.record("nothing was expected") }
        #expect(throws: ListError.self) { try view.updates() }
    }

    @Test("A reader gets updates even if an earlier one has been released")
    func readersAfterAnother() async throws {
        let store = try Self.store(TemporaryFolder())
        let view = try store.view { $0.filter { !$0.isChecked } }
        for id in 1...5 {
            // No code reads it, so it is released at once.
            _ = try view.updates()
            var updates = try view.updates().makeAsyncIterator()
            try await store.edit("Check") { try $0.toggle(id) }
            #expect(try await updates.next()?.get().changeset.items.deleted.count == 1)
        }
        try store.close()
    }

    @Test("Several tasks change the limit at once, while others set other queries")
    func cuttingOffAtOnce() async throws {
        let store = try Self.store(TemporaryFolder())
        let view = try UntypedLiveList(of: store.core, [])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<200 {
                        if task == 0 {
                            _ = try? view.replaceStages(step % 2 == 0 ? [] : [.first(3), .first(2)])
                        } else {
                            _ = try? view.showFirst(step % 5)
                        }
                    }
                }
            }
        }
        try view.replaceStages([.first(4)])
        #expect(try view.showFirst(2).new.itemCount == 2 && view.snapshot.itemCount == 2)
        try view.showFirst(nil)
        #expect(try view.snapshot.itemCount == 5)
    }

    @Test("A view without references is released, and its sequences end")
    func viewThatNobodyKeeps() async throws {
        let store = try Self.store(TemporaryFolder())
        var view: LiveList? = try store.view { $0.filter { !$0.isChecked } }
        let updates = try #require(try view?.updates())
        weak let core = view?.core
        view = nil
        for await _ in updates { Issue.record("nothing was expected") }
        // The task may still be about to release it.
        try await store.edit("Check") { try $0.toggle(1) }
        #expect(core == nil)
        try store.close()
    }

    @Test(
        "A view of a reopened store, whose rows are not in memory, follows it",
        arguments: 1...4 as ClosedRange<UInt64>)
    func storedRows(seed: UInt64) throws {
        var edited = try EditedStore(seed: seed, targetCount: 200)
        try edited.edit(60)
        var generator = SeededGenerator(seed: seed)
        let stages = (0..<Int.random(in: 1...2, using: &generator)).map { _ in ReferenceStage(using: &generator) }
        for _ in 0..<4 {
            try edited.reopen()
            let source = GroupSource(base: edited.store.source)
            let view = try UntypedLiveList(of: edited.store, stages.map { $0.stage(source) })
            for _ in 0..<5 {
                try edited.edit(3)
                let expected = edited.versions.last!.viewed(stages)
                try #require(try ReferenceList(view.snapshot, source) == expected, "seed \(seed), \(stages)")
            }
            for _ in 0..<5 {
                let version = edited.randomVersion()
                let expected = edited.versions[Int(version.rawValue)].viewed(stages)
                let found = try ReferenceList(view.snapshot(at: version), source)
                try #require(found == expected, "seed \(seed), \(stages)")
            }
        }
    }
}
