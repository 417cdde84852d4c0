// Copies of a store in use.

import Dispatch
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Copying a store")
struct StoreCopyTests {
    @Test("A copy that is made while somebody edits has all that was committed before, and is whole")
    func busy() throws {
        let fixture = try StoreFixture { $0.checkpoints.interval = 200 }
        let store = fixture.store
        try fixture.fill(100)
        let isDone = Locked(false)
        let writer = DispatchGroup()
        DispatchQueue.global().async(group: writer) {
            while !isDone.withLock({ $0 }) { _ = try? store.edit("Toggle") { try $0.toggle(.item(7)) } }
        }
        let folder = try TemporaryFolder()
        for number in 0..<8 {
            let before = try store.edit("Toggle") { try $0.toggle(.item(3)) }!.version
            let path = folder.file("copy-\(number)")
            try store.copy(to: path)
            let copy = try StoreVerification(path: path)
            #expect(copy.version >= before)
            #expect(copy.tailCommitCount == 0)
            let opened = try Store.open(at: path)
            #expect(try opened.snapshot.stateHash == store.snapshot(at: copy.version).stateHash)
            try opened.edit("Toggle") { try $0.toggle(.item(3)) }
            try opened.close()
        }
        isDone.withLock { $0 = true }
        writer.wait()
        try store.close()
    }

    @Test("A file that exists is left alone, and a store that is only read cannot be copied")
    func refused() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        #expect(throws: (any Error).self) { try fixture.store.copy(to: fixture.path) }
        let version = try fixture.store.version
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == version)
        var options = StoreOptions()
        options.isReadOnly = true
        let reader = try Store.open(at: fixture.path, options: options)
        #expect { try reader.copy(to: fixture.path + ".copy") } throws: { ($0 as? StoreError)?.code == "readOnly" }
        try reader.close()
    }
}
