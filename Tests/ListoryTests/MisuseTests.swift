// Tests misuse of a store: it throws instead of trapping or waiting forever.

import Dispatch
import Foundation
import LMDB
import TestSupport
import Testing

@testable import ListModel
@_spi(Sync) @testable import Listory

private struct Todo: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

@Suite("A store that is used where it must not be")
struct MisuseTests {
    private typealias Todos = ListStore<String, Todo>

    private static func todos(_ folder: TemporaryFolder, _ coder: ContentCoder<Todo> = .json) throws -> Todos {
        let store = try Todos.open(at: folder.file("todo.listory"), createIfMissing: true, coder: coder)
        try store.edit("Start") { list in
            try list.insertSection("today", items: (1...3).map { Todo(id: $0, title: "Todo \($0)") })
        }
        return store
    }

    private static func expectUsedInside(_ comment: Comment, _ body: () throws -> Void) {
        let error = #expect(throws: ListError.self, comment) { try body() }
        #expect(error?.code == "usedInside", comment)
    }

    @Test("Inside an edit or a read the store throws instead of waiting for itself, and the edit continues")
    func storeInsideEdit() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let store = fixture.store
        let view = try UntypedLiveList(of: store, [])
        let trash = try UntypedLiveTrash(of: store)
        let counts = try store.projection(SectionCounts.self)
        let uses: [(Comment, () throws -> Void)] = [
            ("snapshot", { _ = try store.snapshot }), ("version", { _ = try store.version }),
            ("edit", { try store.edit("Inner") { try $0.toggle(.item(1)) } }), ("undo", { try store.undo() }),
            ("item", { _ = try store.item(1) }), ("read", { try store.read { _ in } }),
            ("updates", { _ = try store.updates() }), ("checkpoint", { try store.checkpoint() }),
            ("close", { try store.close() }), ("history", { _ = try store.history }),
            ("group", { try store.group("Group") {} }), ("failures", { _ = try store.appendFailures() }),
            ("view", { _ = try view.snapshot }), ("path in a view", { _ = try view.indexPath(of: 1) }),
            ("view updates", { _ = try view.updates() }), ("search in a view", { try view.search("milk") }),
            ("limit of a view", { try view.showFirst(1) }), ("stages of a view", { try view.replaceStages([]) }),
            ("other rows in a view", { _ = try view.snapshot(of: view.shown) }),
            ("trash", { _ = try trash.snapshot }), ("more of a trash", { try trash.loadMore() }),
            ("search in a trash", { try trash.search("milk") }), ("trash updates", { _ = try trash.updates() }),
            ("projection", { _ = try counts.value }), ("rebuild", { try counts.rebuild() }),
        ]
        for (name, use) in uses {
            let before = try store.version
            try store.edit("Outer") { list in
                try list.toggle(.item(0))
                Self.expectUsedInside(name, use)
                try list.toggle(.item(2))
            }
            #expect(try store.version == before.next, name)
            try store.read { _ in Self.expectUsedInside(name, use) }
        }
        #expect(try store.item(1)?.isChecked == false)
        try store.close()
    }

    @Test("A thread that follows the store and an edit that reads what is shown do not wait for each other")
    func shownInsideEdit() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let store = fixture.store
        // Whoever follows holds the view's lock until the edit has ended.
        let (followed, edits) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFollowing = Locked(false)
        let arrangement = Arrangement { _ in
            if isFollowing.withLock({ $0 }) {
                followed.signal()
                edits.wait()
            }
            return RowPlacement()
        }
        let view = try UntypedLiveList(of: store, [.arrange(arrangement)])
        let slow = try store.projection(Slow.self)
        #expect(try slow.value.count == 1)
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        isFollowing.withLock { $0 = true }
        Slow.pause.withLock {
            $0 = {
                followed.signal(); edits.wait()
            }
        }
        let ends = DispatchGroup()
        for follow in [{ @Sendable in _ = try? view.snapshot }, { @Sendable in _ = try? slow.value }] {
            ends.enter()
            Thread.detachNewThread {
                follow()
                ends.leave()
            }
            followed.wait()
        }
        try store.edit("Toggle") { list in
            #expect(view.shown.itemCount == 3 && slow.failure == nil)
            try list.toggle(.item(2))
        }
        isFollowing.withLock { $0 = false }
        Slow.pause.withLock { $0 = {} }
        for _ in 0..<2 { edits.signal() }
        ends.wait()
        try store.close()
    }

    /// A projection that waits where a test says so.
    private struct Slow: Projection, Codable {
        static let name = "slow"
        static let version = 1
        static let pause = Locked<@Sendable () -> Void>({})
        var count = 0

        mutating func apply(_ event: ListEvent, in context: EventContext) {
            Slow.pause.withLock { $0 }()
            count += 1
        }
    }

    @Test("The closure of a commit can neither begin nor end a commit, and its edits are still one commit")
    func commitInsideCommit() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let store = fixture.store
        try store.edit("Toggle") { try $0.toggle(.item(0)) }
        let time = Timestamp(microseconds: 1)
        let draft = CommitDraft(name: "Inner", time: time)
        let uses: [(Comment, (inout UntypedEditor) throws -> Void)] = [
            ("begin", { try $0.begin(draft) }), ("finish", { _ = try $0.finish() }),
            ("commit", { _ = try $0.commit(draft) { try $0.toggle(.item(1)) } }),
            ("undo", { _ = try $0.undo(time: time) }), ("redo", { _ = try $0.redo(time: time) }),
            ("go", { _ = try $0.go(to: Version(1), time: time) }),
            ("revert", { _ = try $0.revert(Version(2), as: draft) }),
            ("restore", { _ = try $0.restore(Version(1), as: draft) }),
        ]
        for (name, use) in uses {
            let before = try store.version
            let commit = try store.edit("Outer") { list in
                try list.toggle(.item(1))
                #expect(throws: ListError.insideCommit, name) { try use(&list) }
                try list.toggle(.item(2))
            }
            #expect(commit?.version == before.next && commit?.eventCount == 2, name)
        }
        // Edits that are rolled back are not committed; the rows so far can be read.
        let commit = try store.edit("Outer") { list in
            try list.delete(.item(1))
            #expect(list.snapshot().itemCount == 2)
            list.cancel()
            #expect(list.snapshot().itemCount == 3)
            try list.toggle(.item(2))
        }
        #expect(commit?.eventCount == 1)
        let nothing = try store.edit("Nothing") { list in
            try list.toggle(.item(2))
            list.cancel()
        }
        #expect(nothing == nil)
        let rows = try store.snapshot
        try store.close()
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.snapshot.stateHash == rows.stateHash)
        try reopened.close()
    }

    @Test("An edit that is kept beyond its closure throws")
    func leakedEdit() throws {
        let store = try Self.todos(TemporaryFolder())
        var leaked: ListEdit<String, Todo>?
        try store.edit("Leak") { leaked = $0 }
        let edit = try #require(leaked)
        let uses: [() throws -> Void] = [
            { try edit.toggle(1) }, { try edit.insert(Todo(id: 9, title: ""), at: .end(of: "today")) },
            { _ = try edit.item(1) }, { _ = try edit.indexPath(of: 1) }, { try edit.annotate("name", with: []) },
            { try edit.attachSelection(before: [], after: []) }, { try edit.deleteAll() },
        ]
        for use in uses {
            let error = #expect(throws: ListError.self) { try use() }
            #expect(error?.code == "editEnded")
        }
        try store.edit("Toggle") { try $0.toggle(1) }
        try store.close()
    }

    @Test("A view that is read or changed in its own filter throws there, and keeps its rows")
    func viewInsideView() throws {
        let store = try Self.todos(TemporaryFolder())
        let known = Locked<UntypedLiveList?>(nil)
        let use = Locked<(@Sendable (UntypedLiveList) throws -> Void)?>(nil)
        let view = try store.view { list in
            list.filter { _ in
                if let view = known.withLock({ $0 }), let use = use.withLock({ $0 }) { try use(view) }
                return true
            }
        }
        known.withLock { $0 = view.core }
        let uses: [@Sendable (UntypedLiveList) throws -> Void] = [
            { _ = try $0.snapshot }, { _ = try $0.indexPath(of: 1) }, { _ = try $0.updates() },
            { _ = try $0.changes() },
            { try $0.search("milk") }, { try $0.showFirst(1) }, { try $0.replaceStages([]) },
            { _ = try $0.snapshot(of: $0.shown) }, { _ = try $0.snapshot(at: .empty) },
        ]
        for (number, inner) in uses.enumerated() {
            use.withLock { $0 = inner }
            try store.edit("Rename") { try $0.update(Todo(id: 1, title: "Todo of use \(number)")) }
            let error = expectCause(QueryError.self) { try view.snapshot }
            #expect(error?.id == 1)
            let cause = (error?.cause as? QueryError)?.cause ?? error?.cause
            #expect((cause as? ListError)?.code == "usedInside")
        }
        // The rows that it showed last can be read there.
        use.withLock { $0 = { view in #expect(view.shown.itemCount == 3 && view.keepsOrder) } }
        try store.edit("Toggle") { try $0.toggle(2) }
        #expect(try view.snapshot.itemCount == 3)
        try store.close()
        known.withLock { $0 = nil }
    }

    /// A projection that reads its own value.
    private struct Mirror: Projection, Codable {
        static let name = "mirror"
        static let version = 1
        static let store = Locked<UntypedStore?>(nil)
        var count = 0

        mutating func apply(_ event: ListEvent, in context: EventContext) throws {
            if let store = Mirror.store.withLock({ $0 }) {
                let projection = try store.projection(Mirror.self)
                #expect(projection.failure == nil)
                _ = try projection.value
            }
            count += 1
        }
    }

    @Test("A projection that asks for its own value fails")
    func projectionInsideItself() throws {
        let store = try Self.todos(TemporaryFolder())
        Mirror.store.withLock { $0 = store.core }
        defer { Mirror.store.withLock { $0 = nil } }
        let projection = try store.projection(Mirror.self)
        let error = expectCause(ProjectionError.self) { try projection.value }
        guard case .failed(_, Version(1), 0, let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((cause as? ListError)?.code == "usedInside")
        try store.close()
    }
}

@Suite("Errors of a store about a file or a row")
struct StoreErrorTests {
    private typealias Todos = ListStore<String, Todo>

    @Test("A store that is open in this process cannot be opened again, and throws an error of the store")
    func openTwice() throws {
        let fixture = try StoreFixture()
        for isReadOnly in [false, true] {
            var options = StoreOptions()
            options.isReadOnly = isReadOnly
            let error = #expect(throws: ListError.self) { try UntypedStore.open(at: fixture.path, options: options) }
            #expect(error?.code == "inUse")
        }
        try fixture.store.close()
    }

    @Test("The error for a file without write permission says how it can be read")
    func notPermitted() {
        for code in [LMDBError.Code.accessDenied, .notPermitted, .readOnlyFileSystem] {
            let error = LMDBError(.engine(code), in: "mdb_env_open")
            let writing = CommitLog.refusal(error, "/list", isReadOnly: false) as? ListError
            #expect(writing?.code == "notPermitted" && writing?.description.contains("isReadOnly") == true)
            let reading = CommitLog.refusal(error, "/list", isReadOnly: true) as? ListError
            #expect(reading?.code == "notPermitted" && reading?.description.contains("/list may not be read") == true)
        }
        let other = LMDBError(.engine(.noSpace), in: "mdb_env_open")
        #expect(CommitLog.refusal(other, "/list", isReadOnly: false) as? LMDBError == other)
    }

    #if os(Linux)
    @Test(
        "A new store, or a copy of one, in a folder that nobody may write is refused, and says so",
        .enabled(if: FileManager.default.fileExists(atPath: "/sys/kernel")))
    func folderNotPermitted() throws {
        // Even for the superuser.
        let path = "/sys/kernel/list"
        let fixture = try StoreFixture()
        for make in [
            { _ = try UntypedStore.create(at: path) },
            { _ = try UntypedStore.openOrCreate(at: path, options: StoreOptions()) },
            { _ = try fixture.store.backup(to: path) },
            { _ = try StoreTranscriber.write(to: path) { _ in } },
            { _ = try UntypedStore.makeReplica(at: path) { _ in true } },
        ] as [() throws -> Void] {
            let error = #expect(throws: ListError.self) { try make() }
            #expect(error?.code == "notPermitted" && error?.description.contains(path) == true)
        }
        try fixture.store.close()
    }
    #endif

    @Test("The content of a row in a damaged node is an error that says so")
    func damagedNode() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        let row = UntypedRow.unreadable()
        let error = #expect(throws: ListError.self) { try fixture.store.source.withContent(of: row.content) { _ in } }
        #expect(error?.code == "damagedNode" && error?.description.contains("140737488355328") == false)
        try fixture.store.close()
    }

    @Test("The error for undecodable content names its row, and a missing coder is not reported as a newer app")
    func undecodable() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let coder = ContentCoder<Todo>.json.upcasting([.init { $0 }])
        let store = try Todos.open(at: path, createIfMissing: true, coder: coder)
        try store.edit("Start") { try $0.insertSection("today", items: [Todo(id: 7, title: "Milk")]) }
        try store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 8, content: Array("no JSON".utf8)), at: .end(ofSection: "today"))
        }
        let broken = expectCause(ContentError.self) { try store.item(8) }
        #expect(broken?.row == 8 && broken?.description.hasPrefix("the content of row 8 cannot be decoded: ") == true)
        try store.close()
        let forgotten = try Todos.open(at: path)
        let error = expectCause(ContentError.self) { try forgotten.item(7) }
        guard case .noUpcasters? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.row == 7 && error?.description.contains("give the store the coder with the upcasters") == true)
        try forgotten.close()
    }

    @Test("A decoder runs outside of transactions and locks: it may even close the store")
    func decoderWithoutTransaction() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let first = try Todos.open(at: path, createIfMissing: true)
        try first.edit("Start") { try $0.insertSection("today", items: [Todo(id: 7, title: "Milk")]) }
        // Now it is in the database, and not in the journal.
        try first.close()
        let open = Locked<UntypedStore?>(nil)
        var coder = ContentCoder<Todo>.json
        let decode = coder.decode
        coder.decode = { bytes in
            try open.withLock { $0 }?.close()
            return try decode(bytes)
        }
        let store = try Todos.open(at: path, coder: coder)
        open.withLock { $0 = store.core }
        #expect(try store.item(7) == Todo(id: 7, title: "Milk"))
        let error = #expect(throws: ListError.self) { try store.snapshot }
        #expect(error?.code == "closed")
    }
}
