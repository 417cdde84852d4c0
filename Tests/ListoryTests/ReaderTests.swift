// Tests that readers never wait for an edit: they see the rows before it until it is made.

import Dispatch
import Foundation
import ListModel
@testable import Listory
import TestSupport
import Testing

private struct Task: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

private typealias TaskStore = ListStore<String, Task>

@Suite("Readers during an edit")
struct ReaderTests {
    /// A store of two hundred rows.
    private static func filled(_ folder: TemporaryFolder) throws -> TaskStore {
        let store = try TaskStore.open(at: folder.file("tasks"), createIfMissing: true)
        try store.edit("Fill") { list in
            try list.insert((0..<200).map { Task(id: $0, title: "Task \($0)") }, at: .end(of: "tasks"))
        }
        return store
    }

    /// Calls `body` on another thread, and waits for its end.
    private static func onOtherThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let result = Locked<Result<Void, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread {
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }.start()
        try #require(done.wait(timeout: .now() + 60) == .success, "the reader waits for the edit")
        try result.withLock { $0 }?.get()
    }

    /// The edits before a reader comes: none, one, and so many that the rows before them are prepared.
    private static let drafts: [@Sendable (ListEdit<String, Task>) throws -> Void] = [
        { _ in },
        { try $0.toggle(7) },
        { list in for id in 0..<63 { try list.delete(id) } },
        { list in for id in 0..<150 { try list.move(id, to: .start(of: "tasks")) } },
        { try $0.deleteAll() },
        { list in
            try list.deleteSection("tasks")
            try list.insert((0..<300).map { Task(id: $0, title: "Other \($0)") }, at: .end(of: "others"))
        },
        { list in try list.apply((0..<200).reversed().map { .init(Task(id: $0, title: "\($0)")) }, toSection: "tasks")
        },
    ]

    @Test("Every reader returns while an edit is in progress, and sees the rows before it", arguments: drafts.indices)
    func readers(draft: Int) throws {
        let folder = try TemporaryFolder()
        let store = try Self.filled(folder)
        let before = try store.snapshot
        let view = try store.view { $0.filter { try $0.item!.id >= 100 } }
        let path = ListIndexPath(section: 0, item: 7)
        try store.edit("Edit") { list in
            try Self.drafts[draft](list)
            for _ in 0..<2 {
                try Self.onOtherThread { () throws in
                    #expect(try store.snapshot.stateHash == before.stateHash && store.version == before.version)
                    #expect(try store.snapshot.rows.map(\.item) == before.rows.map(\.item))
                    #expect(try store.indexPath(of: 7) == path && store.item(7)?.title == "Task 7")
                    #expect(try store.row(7)?.isChecked == false && store.row(900) == nil)
                    #expect(try view.snapshot.itemCount == 100)
                    #expect(try view.indexPath(of: 107) == path)
                    #expect(try store.updates().initial.stateHash == before.stateHash)
                    #expect(try store.undoState().undoCount == 1 && store.history.undoCount == 1)
                    #expect(try store.snapshot(at: Version(1)).stateHash == before.stateHash)
                    #expect(try store.commit(Version(1)).name == "Fill")
                }
            }
        }
        #expect(try draft == 0 || store.snapshot.stateHash != before.stateHash)
        let rows = try store.snapshot
        if draft > 0 { try store.undo() }
        #expect(try store.snapshot.stateHash == before.stateHash)
        if draft > 0 { try store.redo() }
        #expect(try store.snapshot.stateHash == rows.stateHash)
        try store.core.read { try $0.checkInvariants() }
        try store.close()
    }

    @Test("After an edit that throws, readers see the rows before it, and further edits go on from them")
    func failedEdits() throws {
        struct Failure: Error {}
        let folder = try TemporaryFolder()
        let store = try Self.filled(folder)
        let before = try store.snapshot
        for draft in Self.drafts {
            #expect(throws: Failure.self) {
                try store.edit("Fail") { list in
                    try draft(list)
                    try Self.onOtherThread { () throws in #expect(try store.snapshot.stateHash == before.stateHash) }
                    throw Failure()
                }
            }
            #expect(try store.snapshot.stateHash == before.stateHash)
            try store.core.read { try $0.checkInvariants() }
        }
        try store.edit("Toggle") { try $0.toggle(7) }
        #expect(try store.row(7)?.isChecked == true)
        try store.close()
    }

    @Test("Whoever reads while others edit sees the rows of one version after another, and none twice in another shape")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let folder = try TemporaryFolder()
        let store = try Self.filled(folder)
        let isOver = Locked(false)
        let seen = Locked<[Version: StateHash]>([:])
        let threads = DispatchGroup()
        for _ in 0..<3 {
            threads.enter()
            Thread {
                defer { threads.leave() }
                var last = Version.empty
                while !isOver.withLock({ $0 }) {
                    guard let rows = try? store.snapshot else { continue }
                    #expect(rows.version >= last, "seed \(seed)")
                    last = rows.version
                    let known = seen.withLock { seen in
                        defer { seen[rows.version] = rows.stateHash }
                        return seen[rows.version]
                    }
                    #expect(known == nil || known == rows.stateHash, "seed \(seed)")
                    #expect(rows.itemCount == rows.sections.reduce(0) { $0 + $1.rows.count }, "seed \(seed)")
                }
            }.start()
        }
        let updates = Locked(0)
        for writer in 0..<2 {
            threads.enter()
            Thread {
                defer { threads.leave() }
                var generator = SeededGenerator(seed: seed &+ UInt64(writer))
                for round in 0..<150 {
                    _ = try? store.edit("Edit", durability: .deferred) { list in
                        for _ in 0..<Int(generator.next() % 100) {
                            let id = Int(generator.next() % 200)
                            switch generator.next() % 4 {
                            case 0: try list.toggle(id)
                            case 1: try list.move(id, to: .start(of: "tasks"))
                            case 2: try list.update(id) { $0.title += "!" }
                            default:
                                try list.insert(Task(id: 1_000 + round * 2 + writer, title: "New"), at: .before(id))
                            }
                        }
                        if generator.next() % 3 == 0 { throw CancellationError() }
                    }
                    updates.withLock { $0 += 1 }
                }
            }.start()
        }
        while updates.withLock({ $0 }) < 300 { usleep(1_000) }
        isOver.withLock { $0 = true }
        try #require(threads.wait(timeout: .now() + 60) == .success)
        try store.waitUntilDurable()
        for (version, hash) in seen.withLock({ $0 }) {
            #expect(try store.snapshot(at: version).stateHash == hash, "seed \(seed)")
        }
        try store.close()
        let found = try StoreVerification(path: folder.file("tasks"))
        #expect(found.version > Version(1))
    }
}
