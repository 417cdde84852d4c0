// Tests followers of every kind while eight tasks edit: none fails, and at the end all show the newest rows.
//
// Always holds: a follower reads the items of each update, so it fails if an update arrives before they can be read.

import Foundation
import ListModel
import TestSupport
import Testing

@testable import Listory

private struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var project: String
}

/// Counts the rows of each project, by their items.
private struct ProjectCounts: ItemProjection, Codable, Equatable {
    static let name = "project-counts"
    static let version = 1
    var counts: [String: Int] = [:]

    mutating func apply(_ event: ListEvent, in context: ItemEventContext<Todo>) throws {
        switch event {
        case .itemsInserted(_, let rows): for row in rows { try add(context.item(row), 1) }
        case .itemsDeleted(_, let rows): for row in rows { try add(context.item(row), -1) }
        case .itemUpdated(_, let id, let old, let new):
            try add(context.item(old, of: id), -1)
            try add(context.item(new, of: id), 1)
        case .sectionInserted(_, let section): for row in section.items { try add(context.item(row), 1) }
        default: break
        }
    }

    private mutating func add(_ todo: Todo, _ count: Int) {
        counts[todo.project, default: 0] += count
        if counts[todo.project] == 0 { counts[todo.project] = nil }
    }
}

@Suite("Followers of a store")
struct FollowerTests {
    private typealias Todos = ListStore<Int, Todo>

    private static let taskCount = 8

    /// The number of failures of followers, and the first one as text.
    private final class Failures: Sendable {
        private let state = Locked((count: 0, first: ""))

        var count: Int { state.withLock { $0.count } }
        var first: String { state.withLock { $0.first } }

        func note(_ what: String, _ error: any Error) {
            state.withLock { state in
                if state.count == 0 { state.first = "\(what): \(error)" }
                state.count += 1
            }
        }
    }

    /// A view, and the rows that its updates lead to.
    private struct Followed: Sendable {
        let name: String
        let view: UntypedLiveList
        let updates: UntypedLiveUpdates
        let stages: [QueryStage]
        let searched: String

        init<Section>(
            _ name: String, _ store: Todos, searching searched: String = "",
            _ query: (ListQuery<Int, Todo>) -> ListQuery<Section, Todo>
        ) throws {
            self.name = name
            self.searched = searched
            view = try store.view(query).core
            stages = query(ListQuery()).stages(store.core.source, store.coder)
            if !searched.isEmpty { try view.search(searched) }
            updates = try view.updates()
        }

        /// The rows that a new view shows now.
        func fresh() throws -> UntypedSnapshot {
            let view = try UntypedLiveList(of: view.store, stages)
            if !searched.isEmpty { try view.search(searched) }
            return try view.snapshot
        }
    }

    private static func views(of store: Todos) throws -> [Followed] {
        [
            try Followed("filter", store) { $0.filter { try $0.item!.title.count > 5 && !$0.isChecked } },
            try Followed("sort", store) { $0.inOneSection().sorted(by: \.project).then(by: \.title, .descending) },
            try Followed("group", store) { $0.grouped(by: { try $0.item!.project }) },
            try Followed("search", store, searching: "milk 1") { $0.searchable(in: \.title) },
            try Followed("first", store) { $0.inOneSection().sorted(by: \.title).prefix(10) },
            try Followed("first of each section", store) {
                $0.filter { try !$0.item!.title.isEmpty }.prefixOfEachSection(3)
            },
            try Followed("outline", store) { $0.visibleRows().filter { try $0.item!.project != "home" } },
        ]
    }

    /// Edits of one task, in its own section.
    private static func edit(
        _ store: Todos, task: Int, commits: Int, seed: UInt64, until isOver: () -> Bool
    ) async throws {
        var generator = SeededGenerator(seed: seed &+ UInt64(task))
        var ids: [Int] = []
        var next = task
        func todo(_ id: Int) -> Todo {
            let word = ["Milk", "Tea", "Almond milk", "Bread"].randomElement(using: &generator)!
            return Todo(
                id: id, title: "\(word) \(id % 50)",
                project: ["home", "work", "party"].randomElement(using: &generator)!)
        }
        for _ in 0..<commits where !isOver() {
            // An edit does not release its thread; with few threads, the followers would get none.
            await Task.yield()
            let kind = Int.random(in: 0..<10, using: &generator)
            let durability: Durability = generator.oneIn(200) ? .immediate : .deferred
            if ids.count < 5 || (kind < 3 && ids.count < 40) {
                let new = todo(next)
                try await store.edit("Add", durability: durability) { try $0.insert(new, at: .end(of: task)) }
                ids.append(next)
                next += taskCount
                continue
            }
            let id = ids.randomElement(using: &generator)!
            switch kind {
            case 0..<4:
                try await store.edit("Delete", durability: durability) { try $0.delete(id) }
                ids.removeAll { $0 == id }
            case 4..<8:
                let new = todo(id)
                try await store.edit("Change", durability: durability) { try $0.update(new) }
            case 8: try await store.edit("Check", durability: durability) { try $0.toggle(id) }
            default: try await store.edit("Move", durability: durability) { try $0.move(id, to: .end(of: task)) }
            }
        }
    }

    /// Lets eight tasks edit a store with followers, and checks the followers' rows at the end.
    ///
    /// - Returns: how often a follower failed.
    private static func run(
        commits: Int, seed: UInt64, stopsAtFailure: Bool = false, _ change: (inout StoreOptions) -> Void = { _ in }
    ) async throws -> Failures {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        change(&options)
        let store = try Todos.open(at: folder.file("todo.listory"), createIfMissing: true, options: options)
        try await store.edit("Start") { list in for task in 0..<taskCount { try list.insertSection(task) } }
        let failures = Failures()
        let views = try views(of: store)
        let updates = try store.updates()
        let counts = try store.projection(ProjectCounts.self)
        let values = try counts.values()
        let projected = Locked(Version.empty)

        let followers = Task {
            await withTaskGroup(of: Void.self) { group in
                for followed in views {
                    group.addTask {
                        var shown = followed.updates.initial
                        for await update in followed.updates {
                            switch update {
                            case .success(let transition):
                                if transition.old.stateHash != shown.stateHash {
                                    failures.note(followed.name, ListError.unknownItem("a gap between two updates"))
                                }
                                shown = transition.new
                            case .failure(let error): failures.note(followed.name, error)
                            }
                        }
                        if shown.stateHash != followed.view.shown.stateHash {
                            failures.note(followed.name, ListError.unknownItem("an update that was not told"))
                        }
                    }
                }
                group.addTask {
                    for await update in updates {
                        do {
                            for path in update.changeset.items.inserted + update.changeset.items.updated {
                                _ = try update.snapshot.row(at: path)?.content.get()
                            }
                        } catch ListError.closed {
                            // Updates from just before closing may not be readable any more.
                        } catch { failures.note("updates", error) }
                    }
                }
                group.addTask {
                    do {
                        for try await moment in values { projected.withLock { $0 = moment.version } }
                    } catch { failures.note("projection", error) }
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    try await edit(store, task: task, commits: commits / taskCount, seed: seed) {
                        stopsAtFailure && failures.count > 0
                    }
                }
            }
            try await group.waitForAll()
        }
        let newest = try store.core.version
        // No code reads the views any more: the follower alone must lead each to the newest version.
        func areBehind() -> Bool {
            views.contains { $0.view.shown.version < newest } || projected.withLock { $0 } < newest
        }
        var patience = 60_000
        while areBehind() && patience > 0 && !(stopsAtFailure && failures.count > 0) {
            try await Task.sleep(for: .milliseconds(1))
            patience -= 1
        }
        if failures.count == 0 {
            for followed in views {
                let shown = followed.view.shown
                #expect(try shown.stateHash == followed.fresh().stateHash, "\(followed.name), seed \(seed)")
                #expect(shown.version == newest, "\(followed.name), seed \(seed)")
            }
            var expected = ProjectCounts()
            for section in try store.snapshot.sections {
                for row in section.rows { expected.counts[row.item!.project, default: 0] += 1 }
            }
            #expect(try counts.value == expected, "seed \(seed)")
        }
        try store.close()
        await followers.value
        return failures
    }

    @Test("An observer can read each commit that it is told of, and ends with the newest rows")
    func everyKind() async throws {
        let failures = try await Self.run(commits: Soak.isEnabled ? 100_000 : 1_000, seed: 1)
        #expect(failures.count == 0, "\(failures.first)")
    }

    @Test("The control: if observers are told before the commit is queued, a follower fails")
    func toldTooEarly() async throws {
        let failures = try await Self.run(commits: 1_000, seed: 2, stopsAtFailure: true) {
            $0.updates.tellsEarly = { usleep(10_000) }
        }
        #expect(failures.count > 0)
    }
}
