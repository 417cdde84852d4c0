// Tests projections that throw, that many threads read, whose names are wrong, and whose store is closed.

import Dispatch
import Foundation
import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

/// Throws at the first row with a checkmark.
private struct Fussy: Projection, Codable, Equatable {
    struct Refusal: Error, Equatable {}

    static let name = "fussy"
    static let version = 1
    var count = 0

    mutating func apply(_ event: ListEvent, in context: EventContext) throws {
        count += 1
        if case .itemToggled(_, _, true) = event { throw Refusal() }
        if case .sectionInserted(_, let section) = event, section.items.contains(where: \.isChecked) { throw Refusal() }
    }
}

/// The same, without the fault.
private struct Mended: Projection, Codable, Equatable {
    static let name = Fussy.name
    static let version = 2
    var count = 0

    mutating func apply(_ event: ListEvent, in context: EventContext) { count += 1 }
}

/// A state that cannot be written.
private struct Unwritable: Projection {
    struct Refusal: Error {}

    static let name = "unwritable"
    static let version = 1
    var count = 0

    init() {}
    init(encoded bytes: UnsafeRawBufferPointer) throws { throw Refusal() }
    func encoded() throws -> [UInt8] { throw Refusal() }
    mutating func apply(_ event: ListEvent, in context: EventContext) { count += 1 }
}

/// A name that is empty.
private struct Nameless: Projection, Codable {
    static let name = ""
    static let version = 1

    mutating func apply(_ event: ListEvent, in context: EventContext) {}
}

/// A name that is too long for a key.
private struct LongNamed: Projection, Codable {
    static let name = String(repeating: "x", count: 512)
    static let version = 1

    mutating func apply(_ event: ListEvent, in context: EventContext) {}
}

@Suite("Projections that fail")
struct ProjectionFailureTests {
    @Test("One that throws has no value, and names the event; the list and the other projections are not affected")
    func throwing() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let fussy = try fixture.store.projection(Fussy.self)
        #expect(try fussy.value.count == 1 && fussy.failure == nil)
        let commit = try fixture.store.edit("Edit") { list in
            try list.move(.item(0), to: .end(ofSection: "today"))
            try list.toggle(.item(1))
            try list.toggle(.item(2))
        }
        let version = try #require(commit).version
        for _ in 0..<2 {
            let error = expectCause(ProjectionError.self) { try fussy.value }
            guard case .failed(Fussy.name, version, 1, let cause)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(cause as? Fussy.Refusal == Fussy.Refusal())
            #expect(error?.description.contains("fussy failed at event 1 of commit \(version)") == true)
        }
        #expect(fussy.failure?.code == "failed")
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(try fixture.store.projection(SectionCounts.self).value.sections.map(\.checked) == [1])
        // The same rules fail again in the same place.
        expectCause(ProjectionError.self) { try fussy.rebuild() }
        try fixture.store.close()

        let store = try UntypedStore.open(at: fixture.path)
        expectCause(ProjectionError.self) { try store.projection(Fussy.self).value }
        try store.close()
        let mended = try UntypedStore.open(at: fixture.path)
        #expect(try mended.projection(Mended.self).value.count == 5)
        try mended.close()
    }

    @Test("One that throws at its seed rows says so")
    func throwingSeed() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.edit("Move") { try $0.move(.item(0), to: .end(ofSection: "today")) }
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(Version(2))))
        let store = try UntypedStore.open(at: fixture.path)
        let fussy = try store.projection(Fussy.self)
        let error = expectCause(ProjectionError.self) { try fussy.value }
        guard case .failed(_, Version(2), nil, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("with the rows of version 2") == true)
    }

    @Test("A content that cannot be read is an error of the log, and the next access tries again")
    func unreadable() throws {
        struct Lost: Error {}
        final class Flaky: CommitSource {
            let isLost = Locked(true)
            func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
                if isLost.withLock({ $0 }) { throw Lost() }
                try ([1, 2, 3] as [UInt8]).withUnsafeBytes(body)
            }
        }
        let source = Flaky()
        let context = EventContext(CommitInfo(seedOf: .empty), source: source, rows: nil)
        let reference = ContentReference(version: Version(1), offset: 1, length: 1, hash: 0)
        #expect(throws: Lost.self) { try context.content(of: reference) }
        #expect(context.readFailure is Lost)
        source.isLost.withLock { $0 = false }
        #expect(try context.content(of: reference) == [2])
        // An error that the projection itself throws while it reads a content is its own failure.
        let other = EventContext(CommitInfo(seedOf: .empty), source: source, rows: nil)
        #expect(throws: Fussy.Refusal.self) { try other.withContent(of: reference) { _ in throw Fussy.Refusal() } }
        #expect(other.readFailure == nil)
    }

    @Test("A damaged record stops a projection, but is not a failure of the projection")
    func damagedRecord() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        for _ in 0..<5 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.close()
        let environment = try Environment.open(path: fixture.path)
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        let record = try #require(try environment.read { try $0.get(3, in: commits) })
        var damaged = record
        damaged[record.count - 1] ^= 1
        let changed = damaged
        try environment.write { try $0.put(changed, forKey: 3, in: commits) }
        try environment.close()
        // The checkpoint is newer than the record.
        let store = try UntypedStore.open(at: fixture.path)
        let counts = try store.projection(SectionCounts.self)
        expectCause(RecordError.self) { try counts.value }
        #expect(counts.failure == nil)
        try store.group.log.environment.write { try $0.put(record, forKey: 3, in: store.group.log.commits) }
        #expect(try counts.value.sections.map(\.checked) == [1])
        try store.close()
    }

    @Test("A commit that does not continue the one before is an error of the log, and no projection folds for ever")
    func brokenChain() throws {
        /// A store whose commits are in the file, and its third record.
        func store(_ name: String, _ fixture: StoreFixture) throws -> (UntypedStore, third: [UInt8]) {
            try fixture.fill(3)
            for _ in 0..<5 { try fixture.store.edit(name) { try $0.toggle(.item(1)) } }
            try fixture.store.close()
            let store = try UntypedStore.open(at: fixture.path)
            let log = store.group.log
            return try (store, #require(try log.environment.read { try $0.get(3, in: log.commits) }))
        }
        let fixtures = try (StoreFixture(), StoreFixture())
        let ((store, record), (_, foreign)) = try (store("Toggle", fixtures.0), store("Switch", fixtures.1))
        let log = store.group.log
        try log.environment.write { try $0.put(foreign, forKey: 3, in: log.commits) }
        let counts = try store.projection(SectionCounts.self)
        let error = expectCause(RecordError.self) { try counts.value }
        guard case .link? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(counts.failure == nil)
        try log.environment.write { try $0.put(record, forKey: 3, in: log.commits) }
        #expect(try counts.value.sections.map(\.checked) == [1])
    }

    @Test("A name belongs to one type, and fits into a key")
    func names() throws {
        let store = try StoreFixture().store
        #expect(expectCause(ProjectionError.self) { try store.projection(Nameless.self) }?.code == "invalidName")
        #expect(expectCause(ProjectionError.self) { try store.projection(LongNamed.self) }?.code == "invalidName")
        _ = try store.projection(Fussy.self)
        _ = try store.projection(Fussy.self)
        #expect(expectCause(ProjectionError.self) { try store.projection(Mended.self) }?.code == "nameInUse")
    }

    @Test("A state that cannot be written prevents neither checkpoints nor closing")
    func unwritable() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        let projection = try fixture.store.projection(Unwritable.self)
        #expect(try projection.value.count == 1)
        expectCause(Unwritable.Refusal.self) { try projection.checkpoint() }
        try fixture.store.checkpoint()
        #expect(fixture.store.checkpointVersion == Version(1))
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.projection(Unwritable.self).value.count == 2)
    }

    @Test("A large state is stored at checkpoints only after enough events for its size, and always at closing")
    func largeState() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(3_000)
        let words = try fixture.store.projection(WordIndex.self)
        _ = try words.value
        try fixture.store.checkpoint()
        let first = try #require(try fixture.store.storedProjection(WordIndex.name))
        try #require(first.state.count > 64 * 100)
        for _ in 0..<100 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        #expect(fixture.store.checkpointVersion > first.version)
        #expect(try fixture.store.storedProjection(WordIndex.name)?.version == first.version)
        let events = first.state.count / 64 + 32
        for _ in 0..<events { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        #expect(try #require(try fixture.store.storedProjection(WordIndex.name)).version > first.version)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        let head = try fixture.store.version
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.storedProjection(WordIndex.name)?.version == head)
    }

    @Test("A closed store has no values, keeps no file open for projections, and can be opened again")
    func closing() throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        let counts = try fixture.store.projection(SectionCounts.self)
        _ = try counts.value
        try fixture.store.close()
        #expect { try counts.value } throws: { ($0 as? ListError)?.code == "closed" }
        // Fails if this process still had it open.
        let environment = try Environment.open(path: fixture.path)
        try environment.close()
    }
}

@Suite("Projections and threads")
struct ProjectionThreadTests {
    @Test("While some threads edit, others see values that fit their versions", .timeLimit(.minutes(10)))
    func threads() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.checkpoints.interval = 50
        }
        try fixture.fill(8)
        let store = fixture.store
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            do {
                for step in 0..<200 {
                    if thread < 3 {
                        try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64((step + thread) % 8)))) }
                        continue
                    }
                    let moment = try store.projection(SectionCounts.self).moment
                    let rows = try store.snapshot(at: moment.version)
                    let checked = rows.sections[0].items.count(where: \.isChecked)
                    if moment.value.sections.map(\.checked) != [checked] {
                        failures.withLock { $0.append("version \(moment.version): \(moment.value), \(checked)") }
                    }
                    if step % 50 == 7 { try store.projection(SectionCounts.self).checkpoint() }
                    if step % 90 == 70 { try store.projection(SectionCounts.self).rebuild() }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        try store.close()
    }

    @Test("Values arrive with the commits, the newest last, and end with the store", .timeLimit(.minutes(10)))
    func values() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let store = fixture.store
        let values = try store.projection(SectionCounts.self).values()
        let reader = Task {
            var seen: [(Version, Int)] = []
            for try await moment in values { seen.append((moment.version, moment.value.sections[0].checked)) }
            return seen
        }
        for step in 0..<40 {
            try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 3)))) }
            await Task.yield()
        }
        let newest = try store.version
        // Waits until it has the newest value.
        let last = try store.projection(SectionCounts.self).values()
        for try await moment in last where moment.version == newest { break }
        while try await Self.isBehind(store, newest) { await Task.yield() }
        try store.close()
        let seen = try await reader.value
        #expect(seen.map(\.0) == seen.map(\.0).sorted() && Set(seen.map(\.0)).count == seen.count)
        for (version, checked) in seen {
            let toggles = Int(version.rawValue) - 1
            let expected = (0..<3).count { id in (0..<toggles).count { $0 % 3 == id } % 2 == 1 }
            #expect(checked == expected, "version \(version)")
        }
    }

    private static func isBehind(_ store: UntypedStore, _ version: Version) async throws -> Bool {
        try store.projection(SectionCounts.self).moment.version < version
    }

    @Test("Values of a projection that fails end with its error", .timeLimit(.minutes(10)))
    func failing() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        let values = try fixture.store.projection(Fussy.self).values()
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next()?.value.count == 1)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        await #expect(throws: ListError.self) {
            while try await iterator.next() != nil {}
        }
        try fixture.store.close()
    }
}
