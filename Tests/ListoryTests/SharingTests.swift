// Tests the store of a replica: pending commits, and what becomes of them when commits of others come before them. The shared log is
// an array of records.

import LMDB
@testable @_spi(Sync) import Listory
@testable import ListModel
import TestSupport
import Testing

@Suite("The store of a replica")
struct SharingTests {
    /// A log that appends records only at its end, as an engine does.
    private struct Log {
        var records: [[UInt8]] = []

        func after(_ version: Version) -> ArraySlice<[UInt8]> { records[Int(version.rawValue)...] }

        /// - Returns: whether the log ended there.
        mutating func append(_ new: [[UInt8]], after version: Version) -> Bool {
            guard records.count == Int(version.rawValue) else { return false }
            records += new
            return true
        }
    }

    /// A replica and its edits.
    private final class Replica {
        let fixture: StoreFixture
        private(set) var store: UntypedStore
        var edits: RandomEdits

        init(seed: UInt64, _ options: @escaping (inout StoreOptions) -> Void) throws {
            fixture = try StoreFixture(options)
            store = fixture.store
            edits = RandomEdits(seed: seed)
            try store.beginSharing()
        }

        func edit(origin: String) throws {
            let operation = edits.next(try ReferenceList(store.snapshot, store.source))
            _ = try? store.edit("Edit", origin: origin) { try $0.apply(operation) }
        }

        func reopen() throws {
            let options = store.options
            try store.close()
            store = try UntypedStore.open(at: fixture.path, options: options)
        }

        /// Reads what others have appended; then sends some of its own.
        func pull(_ log: Log) throws {
            let rest = Array(log.after(try #require(store.confirmed).version))
            let known = try store.confirm(rest)
            try store.receive(Array(rest.dropFirst(known)))
        }

        func push(_ log: inout Log, _ count: Int) throws -> Bool {
            let records = Array(try store.pendingRecords(atMost: .max).prefix(count))
            guard log.append(records, after: try #require(store.confirmed).version) else { return false }
            return true
        }
    }

    @Test("Replicas that edit, undo, and exchange their commits in any order end with one log and the same rows")
    func convergence() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for run in 0..<20 * Soak.factor {
            let comment: Comment = "seed \(seed), run \(run)"
            var log = Log()
            let replicas = try (0..<Int.random(in: 2...4, using: &generator)).map { _ in
                let seed = generator.next()
                return try Replica(seed: seed) { options in
                    if seed % 2 == 0 { CheckpointTests.packing(&options) }
                    options.undoScope = .origin
                }
            }
            do {
                for _ in 0..<60 {
                    let number = Int.random(in: 0..<replicas.count, using: &generator)
                    let (replica, origin) = (replicas[number], "user \(number % 2)")
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0...4: try replica.edit(origin: origin)
                    case 5: _ = try? replica.store.undo(origin: origin)
                    case 6: _ = try? replica.store.redo(origin: origin)
                    case 7: try replica.pull(log)
                    case 8:
                        try replica.pull(log)
                        // Its answer may be lost: then the next pull finds the commits.
                        _ = try replica.push(&log, Int.random(in: 0...8, using: &generator))
                    default: try replica.reopen()
                    }
                }
                for replica in replicas {
                    try replica.pull(log)
                    #expect(try replica.push(&log, .max), comment)
                }
                try replicas[0].pull(log)
                let hash = try replicas[0].store.snapshot.stateHash
                for replica in replicas {
                    try replica.pull(log)
                    #expect(try replica.store.pendingCount == 0, comment)
                    let count = UInt64(log.records.count)
                    #expect(try replica.store.version.rawValue == count, comment)
                    for version in 1...max(1, count) where count > 0 {
                        #expect(
                            try replica.store.sharedRecord(of: Version(version)) == log.records[Int(version) - 1], comment)
                    }
                    #expect(try replica.store.snapshot.stateHash == hash, comment)
                    try replica.store.close()
                    #expect(try StoreVerification(path: replica.fixture.path).stateHash == hash, comment)
                }
            } catch {
                Issue.record(error, comment)
                return
            }
        }
    }
}
