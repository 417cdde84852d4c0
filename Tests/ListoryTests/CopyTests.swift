// Copies of a store in use.

import Dispatch
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Copying a store")
struct StoreCopyTests {
    @Test("A copy that is made during edits has all commits from before, and is complete")
    func busy() throws {
        let fixture = try StoreFixture { $0.checkpoints.interval = 200 }
        let store = fixture.store
        try fixture.fill(100)
        let isDone = Locked(false)
        let failure = Locked<(any Error)?>(nil)
        let writer = DispatchGroup()
        DispatchQueue.global().async(group: writer) {
            do {
                while !isDone.withLock({ $0 }) { try store.edit("Toggle") { try $0.toggle(.item(7)) } }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        let folder = try TemporaryFolder()
        for number in 0..<8 {
            let before = try store.edit("Toggle") { try $0.toggle(.item(3)) }!.version
            let path = folder.file("copy-\(number)")
            try store.copy(to: path)
            let copy = try StoreVerification(path: path)
            #expect(copy.version >= before)
            #expect(copy.journalCommitCount == 0)
            let opened = try UntypedStore.open(at: path)
            #expect(try opened.snapshot.stateHash == store.snapshot(at: copy.version).stateHash)
            try opened.edit("Toggle") { try $0.toggle(.item(3)) }
            try opened.close()
        }
        isDone.withLock { $0 = true }
        writer.wait()
        #expect(failure.withLock { $0 } == nil)
        try store.close()
    }

    @Test("A copy has the commits that are queued when it begins")
    func queued() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
        }
        try fixture.fill(3)
        #expect(fixture.store.durableVersion == .empty)
        let path = fixture.path + ".copy"
        try fixture.store.copy(to: path)
        #expect(try StoreVerification(path: path).version == fixture.store.version)
        try fixture.store.close()
    }

    @Test("During a copy, edits make the map grow and none waits; the copy has the rows from before")
    func growing() throws {
        let fixture = try StoreFixture { $0.checkpoints.interval = 50 }
        let store = fixture.store
        try fixture.fill(100)
        var content = [UInt8](repeating: 7, count: 1 << 20)
        func edit(_ id: Int64) throws {
            // The same content again would make no commit.
            content[0] &+= 1
            try store.edit("Write") { try $0.update(.integer(id), content: content) }
        }
        for id in 0..<4 as Range<Int64> { try edit(id) }
        let (version, hash) = (try store.version, try store.snapshot.stateHash)
        let mapSize = try store.group.log.environment.mapSize
        let path = fixture.path + ".copy"
        defer { DataFile.remove(path) }
        var calls = 0
        try store.copy(to: path) { _ in
            calls += 1
            do {
                try edit(20)
                while try store.group.log.environment.mapSize < 2 * mapSize { try edit(21) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(calls > 2)
        let copy = try StoreVerification(path: path)
        #expect(copy.version == version)
        #expect(copy.stateHash == hash)
        let newest = try store.version
        #expect(newest.rawValue >= version.rawValue + UInt64(calls))
        try store.close()
        #expect(try StoreVerification(path: fixture.path).version == newest)
    }

    @Test("An existing file is not overwritten, and a read-only store cannot be copied")
    func refused() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        #expect(throws: (any Error).self) { try fixture.store.copy(to: fixture.path) }
        let version = try fixture.store.version
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == version)
        var options = StoreOptions()
        options.isReadOnly = true
        let reader = try UntypedStore.open(at: fixture.path, options: options)
        #expect { try reader.copy(to: fixture.path + ".copy") } throws: { ($0 as? ListError)?.code == "readOnly" }
        try reader.close()
    }
}
