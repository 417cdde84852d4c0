// Tests edits of tasks: they block no thread of the tasks, can be cancelled until they begin, and stand from then on.

import Foundation
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Edits of tasks")
struct AsyncEditTests {
    private struct Line: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var text: String
    }

    private typealias Lines = ListStore<String, Line>

    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let store: Lines

    init() throws {
        folder = try TemporaryFolder()
        store = try Lines.open(at: folder.file("list.listory"), createIfMissing: true)
    }

    /// Keeps a lock of the store on a thread of its own until it is told to release it.
    private func holding(_ lock: @escaping @Sendable (_ wait: () -> Void) throws -> Void) -> DispatchSemaphore {
        let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? lock {
                held.signal()
                release.wait()
            }
        }
        held.wait()
        return release
    }

    private func holdingTurn() -> DispatchSemaphore {
        holding { [store] wait in try store.core.withTurn { _ in wait() } }
    }

    private func holdingWriter() -> DispatchSemaphore {
        holding { [store] wait in try store.core.group.log.environment.write { _ in wait() } }
    }

    @Test("The edits of many tasks are all made, each returns what its closure does, and all are durable")
    func many() async throws {
        let versions = try await withThrowingTaskGroup(of: Version.self) { [store] group in
            for id in 0..<200 {
                group.addTask {
                    try await store.edit("Add") { list in
                        try list.insert(Line(id: id, text: "\(id)"), at: .end(of: "a"))
                        return try list.version
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions.sorted() == (1...200).map { Version($0) })
        #expect(store.durableVersion == Version(200))
        #expect(try Set(store.snapshot.rows.map(\.id)) == Set(0..<200))
    }

    @Test("While edits wait for their turn, no thread of the tasks is blocked", .timeLimit(.minutes(10)))
    func waiting() async throws {
        let release = holdingTurn()
        let edits = (0..<64).map { id in
            Task { [store] in
                try await store.edit("Add") { try $0.insert(Line(id: id, text: ""), at: .end(of: "a")) }
            }
        }
        // If they blocked threads, none would be left for these.
        let others = await withTaskGroup(of: Int.self) { group in
            for number in 0..<256 {
                group.addTask {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(others == 255 * 128)
        release.signal()
        for edit in edits { _ = try await edit.value }
        #expect(try store.snapshot.itemCount == 64)
    }

    @Test("An edit that is cancelled before its turn throws, and nothing happens", .timeLimit(.minutes(10)))
    func cancelledBefore() async throws {
        let release = holdingTurn()
        // This one may be at the turn already, and waits for it.
        let first = Task { [store] in
            try await store.edit("First") { list in
                Issue.record("the closure was called")
                try list.insert(Line(id: 0, text: ""), at: .end(of: "a"))
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        first.cancel()
        let others = (1...20).map { id in
            Task { [store] in
                try await store.edit("Add") { list in
                    Issue.record("the closure was called")
                    try list.insert(Line(id: id, text: ""), at: .end(of: "a"))
                }
            }
        }
        // If the first one is not at the turn yet, another one is now.
        for other in others { other.cancel() }
        release.signal()
        for edit in [first] + others { await #expect(throws: CancellationError.self) { try await edit.value } }
        #expect(try store.snapshot.rows.isEmpty && store.version == .empty)
        // Also if the task was cancelled before the call.
        let late = Task { [store] in
            while !Task.isCancelled { await Task.yield() }
            try await store.edit("Late") { _ in Issue.record("the closure was called") }
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("An edit that is cancelled while it waits to be durable returns, and stands", .timeLimit(.minutes(10)))
    func cancelledAfter() async throws {
        // The first commit is made before, so that nothing else needs the writer's lock.
        try await store.edit("Start") { try $0.insertSection("a") }
        let release = holdingWriter()
        let edit = Task { [store] in
            try await store.edit("Add") { list in
                try list.insert(Line(id: 7, text: "x"), at: .end(of: "a"))
                return "made"
            }
        }
        while try store.version < Version(2) { await Task.yield() }
        edit.cancel()
        #expect(try await edit.value == "made")
        release.signal()
        try await store.durable(Version(2))
        #expect(try store.item(7) == Line(id: 7, text: "x"))
    }

    @Test("What the closure throws is thrown, and nothing has changed")
    func failing() async throws {
        await #expect(throws: Refusal.self) {
            try await store.edit("Fail") { list in
                try list.insert(Line(id: 1, text: ""), at: .end(of: "a"))
                throw Refusal()
            }
        }
        #expect(try store.version == .empty && store.snapshot.itemCount == 0)
        // One that changes nothing makes no commit, and does not wait for one.
        #expect(try await store.edit("Nothing") { _ in 5 } == 5)
        #expect(try store.version == .empty)
    }
}
