// Tests a store from its creation to its closing: edits, undo, the past, updates, durability.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

/// A new store in a folder of its own.
struct StoreFixture {
    let folder: TemporaryFolder
    let path: String
    let store: UntypedStore

    init(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        var options = StoreOptions()
        change(&options)
        try self.init(options: options)
    }

    init(options: StoreOptions) throws {
        folder = try TemporaryFolder()
        path = folder.file("list.listory")
        store = try UntypedStore.create(at: path, options: options)
    }

    /// Makes a section and some rows.
    func fill(_ count: Int) throws {
        try store.edit("Fill", durability: .deferred) { list in
            let items = (0..<count).map { NewRow(id: .integer(Int64($0)), content: Array("row \($0)".utf8)) }
            try list.insertSection(NewSection(id: "today", title: "Today", items: items))
        }
    }
}

/// The source of a store, for the reference.
struct GroupSource: CommitSource {
    let base: any CommitSource

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try base.readRecord(of: version, body)
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try base.readContent(of: reference, body)
    }
}

@Suite("A store")
struct StoreTests {
    @Test("An edit is one commit with a name, an origin, a time and a hash")
    func oneEdit() throws {
        var options = StoreOptions()
        options.now = { Timestamp(microseconds: 1_234) }
        let fixture = try StoreFixture(options: options)
        let commit = try #require(
            try fixture.store.edit("Add milk", origin: "phone") { list in
                try list.insertSection(NewSection(id: "today"))
                try list.insert(NewRow(id: 7, content: Array("milk".utf8)), at: .end(ofSection: "today"))
            })
        #expect(commit.version == Version(1))
        #expect((commit.name, commit.origin) == ("Add milk", "phone"))
        #expect(commit.time == Timestamp(microseconds: 1_234))
        #expect(commit.eventCount == 2)
        #expect(try fixture.store.snapshot.stateHash == commit.stateHash)
        #expect(fixture.store.durableVersion == commit.version)
        #expect(try fixture.store.commit(Version(1)).record == commit.record)
    }

    @Test("An edit that throws, or changes nothing, appends no commit")
    func noCommit() throws {
        struct Stop: Error {}
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let before = try fixture.store.snapshot
        #expect(throws: Stop.self) {
            try fixture.store.edit("Stop") { list in
                try list.delete(.item(1))
                try list.toggle(.item(2))
                throw Stop()
            }
        }
        #expect(throws: ListError.unknownItem(9)) { try fixture.store.edit("Bad") { try $0.delete(.item(9)) } }
        #expect(try fixture.store.edit("Nothing") { try $0.move(.item(1), to: .section("today", at: 1)) } == nil)
        #expect(try fixture.store.edit("Empty") { _ in } == nil)
        let after = try fixture.store.snapshot
        #expect(after.version == before.version)
        #expect(after.stateHash == before.stateHash)
        #expect(try fixture.store.indexPath(of: 1) == ListIndexPath(section: 0, item: 1))
    }

    @Test("A reopened store has the same rows, and undo continues from there")
    func reopened() throws {
        let fixture = try StoreFixture()
        try fixture.fill(5)
        var hashes = [try fixture.store.snapshot.stateHash]
        for id in 0..<5 {
            try fixture.store.edit("Toggle \(id)") { try $0.toggle(.item(.integer(Int64(id)))) }
            hashes.append(try fixture.store.snapshot.stateHash)
        }
        try fixture.store.undo(2)
        try fixture.store.close()

        let store = try UntypedStore.open(at: fixture.path)
        #expect(store.recovery.commitCount == 0)
        #expect(store.recovery.checkpoint == Version(8))
        #expect(try store.snapshot.stateHash == hashes[3])
        #expect(try store.history.undoCount == 4)
        #expect(try store.history.redoCount == 2)
        try store.redo(2)
        #expect(try store.snapshot.stateHash == hashes[5])
        for expected in hashes.reversed().dropFirst() {
            try store.undo()
            #expect(try store.snapshot.stateHash == expected)
        }
        #expect(throws: ListError.nothingToUndo(requested: 2, available: 1)) { try store.undo(2) }
        #expect(throws: ListError.nothingToRedo(requested: 9, available: 5)) { try store.redo(9) }
        try store.close()
    }

    @Test("Every version can be read, before and after reopening, without a change of undo")
    func timeTravel() throws {
        let fixture = try StoreFixture()
        var edits = RandomEdits(seed: 11)
        var reference = ReferenceList()
        var past: [ReferenceList] = [reference]
        while past.count < 120 {
            let operation = edits.next(reference)
            var next = reference
            guard (try? next.apply(operation)) != nil else { continue }
            let commit = try fixture.store.edit("edit", durability: .deferred) { try $0.apply(operation) }
            reference = next
            if commit != nil { past.append(reference) }
        }
        let history = try fixture.store.history
        func check(_ store: UntypedStore) throws {
            let source = GroupSource(base: store.source)
            for (version, rows) in past.enumerated() {
                let snapshot = try store.snapshot(at: Version(UInt64(version)))
                #expect(try ReferenceList(snapshot, source) == rows)
                if version > 0 { #expect(try store.commit(snapshot.version).stateHash == snapshot.stateHash) }
            }
            let changes = try store.changeset(from: Version(40), to: Version(90))
            #expect(changes.applied(to: past[40], giving: past[90]) == past[90])
            #expect(throws: ListError.self) { try store.snapshot(at: Version(9_999)) }
            #expect(throws: ListError.self) { try store.commit(.empty) }
            #expect(try store.history == history)
        }
        try check(fixture.store)
        try fixture.store.close()
        let reopened = try UntypedStore.open(at: fixture.path)
        try check(reopened)
        try reopened.close()
    }

    @Test("The updates lead from the first rows to the last, each commit once, and end with the store")
    func updates() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(4)
        let updates = try fixture.store.updates()
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.edit("Move") { try $0.move(.item(0), to: .end(ofSection: "today")) }
        try fixture.store.undo()
        try fixture.store.close()
        var version = updates.initial.version
        var names: [String] = []
        var last = updates.initial
        for await update in updates {
            #expect(update.previous.version == version)
            #expect(update.changeset == Changeset(from: last, to: update.snapshot))
            #expect(!update.changeset.isEmpty)
            #expect(update.cause.version == update.snapshot.version)
            version = update.snapshot.version
            last = update.snapshot
            names.append(update.cause.name)
        }
        #expect(names == ["Toggle", "Move", "Move"])
        #expect(last.version == Version(4))
    }

    @Test("A deferred commit is visible at once and durable when waited for")
    func deferred() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let commit = try #require(
            try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(1)) })
        #expect(try fixture.store.item(1)?.isChecked == true)
        #expect(try fixture.store.commit(commit.version).eventCount == 1)
        try await fixture.store.durable(commit.version)
        #expect(fixture.store.durableVersion == commit.version)
        try await fixture.store.durable(commit.version)
        try fixture.store.waitUntilDurable()
        await #expect(throws: ListError.self) { try await fixture.store.durable(Version(99)) }
    }

    @Test("Content can be read before its commit is durable, and inside the edit that writes it")
    func pendingContent() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        try fixture.store.edit("Write", durability: .deferred) { list in
            try list.update(0, content: Array("first".utf8))
            let item = list.state.item(0)
            let first = try list.withContent(of: try #require(item).content) { Array($0) }
            #expect(first == Array("first".utf8))
            try list.update(0, content: Array("second".utf8))
        }
        let item = try #require(try fixture.store.item(0))
        #expect(try fixture.store.source.content(of: item.content) == Array("second".utf8))
    }

    /// How many pages the system has given to the calling thread so far; elsewhere than on Linux, to the process.
    private static var pageFaults: Int {
        var usage = rusage()
        #if os(Linux)
        // `RUSAGE_THREAD`, which the headers only show on request.
        getrusage(1, &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return Int(usage.ru_minflt)
    }

    @Test("A row of a large commit that is not durable yet is read without copying the commit")
    func pendingRow() throws {
        var options = StoreOptions()
        options.maximumPendingBytes = 1 << 30
        options.deferredDelay = .seconds(3_600)
        let fixture = try StoreFixture(options: options)
        try fixture.fill(1_000)
        try fixture.store.edit("Large", durability: .deferred) { list in
            try list.update(0, content: Array("first".utf8))
            try list.update(1, content: [UInt8](repeating: 7, count: 32 << 20))
        }
        let small = try #require(try fixture.store.item(0)).content
        // Each copy of the commit would take new pages from the system: 16 large ones at least.
        let before = Self.pageFaults
        for _ in 0..<1_000 {
            let isRight = try fixture.store.source.withContent(of: small) { $0.elementsEqual("first".utf8) }
            #expect(isRight)
        }
        #expect(Self.pageFaults - before < 1_000)
        #expect(fixture.store.durableVersion == .empty)
        try fixture.store.close()
        #expect(throws: (any Error).self) { try fixture.store.source.content(of: small) }
    }

    @Test("Edits of many tasks never interleave inside a commit")
    func concurrency() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        let id = Int64(1_000 * (task + 1) + step)
                        let durability: Durability = step % 5 == 0 ? .immediate : .deferred
                        let commit = try store.edit("\(id)", durability: durability) { list in
                            try list.insert(NewRow(id: .integer(id), content: []), at: .end(ofSection: "today"))
                            try list.toggle(.item(.integer(id)))
                        }
                        if step % 10 == 0, let commit { try await store.durable(commit.version) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.waitUntilDurable()
        #expect(try store.version == Version(401))
        try store.forEachCommit(in: Version(2)...Version(401)) { commit in
            let events = try commit.events()
            guard case .itemsInserted(_, let items) = events[0], case .itemToggled(_, let id, true) = events[1] else {
                Issue.record("commit \(commit.version) has other events")
                return
            }
            #expect(items[0].id == id && id.description == commit.name)
        }
        try store.close()
        #expect(try StoreVerification(path: fixture.path).commitCount == 401)
    }

    @Test("A store and its contents can be printed, as a failing test does")
    func dumped() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        var text = ""
        dump(fixture.store, to: &text)
        #expect(text.contains("Store"))
    }

    @Test("Statistics have the right counts")
    func statistics() throws {
        let fixture = try StoreFixture()
        try fixture.fill(10)
        try fixture.store.edit("Toggle") { list in try list.toggle(.items([1, 2, 3])) }
        try fixture.store.undo()
        let found = try fixture.store.statistics()
        #expect(found.commitCount == 3)
        #expect(found.eventCount == 1 + 3 + 3)
        #expect((found.sectionCount, found.itemCount) == (1, 10))
        #expect((found.undoDepth, found.redoDepth) == (1, 1))
        #expect(found.fileBytes > 0 && found.diskBytes > 0 && found.recordBytes > 0)
        #expect(found.bytesPerEvent == Double(found.fileBytes) / 7)
    }
}
