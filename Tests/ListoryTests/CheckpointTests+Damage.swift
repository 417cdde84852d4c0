// Tests that a checkpoint that is damaged, or not of this log, costs only time.

import Foundation
import LMDB
@testable import Listory
@testable import ListModel
import TestSupport
import Testing

extension CheckpointTests {
    @Test("If the name of a database of checkpoints is damaged, the rows come from the log, and verifying says it")
    func lostDatabase() throws {
        let fixture = try StoreFixture { CheckpointTests.eager(&$0) }
        try fixture.fill(40)
        let expected = try fixture.store.snapshot.stateHash
        try fixture.store.close()
        let sound = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        for name in [LogFormat.nodeDatabase, LogFormat.checkpointDatabase, LogFormat.goneDatabase] {
            var file = sound
            var place = file.startIndex
            while let found = file.range(of: Data(name.utf8), in: place..<file.endIndex) {
                file[found.upperBound - 1] ^= 2
                place = found.upperBound
            }
            DataFile.remove(fixture.path)
            try file.write(to: URL(fileURLWithPath: fixture.path))
            #expect(throws: ListError.self, "\(name)") { _ = try StoreVerification(path: fixture.path) }
            for isReadOnly in [true, false] {
                var options = fixture.store.options
                options.isReadOnly = isReadOnly
                let store = try UntypedStore.open(at: fixture.path, options: options)
                #expect(try store.snapshot.stateHash == expected, "\(name)")
                for row in try store.snapshot.sections.flatMap(\.items) { _ = try store.content(of: row.id) }
                try store.close()
            }
            #expect(try StoreVerification(path: fixture.path).stateHash == expected, "\(name)")
        }
    }

    @Test(
        "A node that the replay needs and that is damaged is noticed when the store is opened, though all events fit",
        arguments: [false, true])
    func damagedOnTheWay(isDeletion: Bool) throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
        }
        try fixture.fill(40)
        try fixture.store.checkpoint()
        let checkpoint = fixture.store.checkpointVersion
        // Rows of several whole nodes.
        let deleted = (isDeletion ? 12..<28 : 0..<0) as Range<Int64>
        try fixture.store.edit("Edit") { list in
            for id in deleted { try list.delete(.item(.integer(id))) }
            // Nothing but the place is known of the row after which this is inserted.
            if !isDeletion {
                try list.insert(NewRow(id: 1_000, content: [1]), at: .at(ListIndexPath(section: 0, item: 20)))
            }
        }
        let count = try fixture.store.snapshot.itemCount
        let expected = try fixture.store.snapshot.stateHash
        try fixture.store.waitUntilDurable()
        let environment = fixture.store.group.log.environment
        let nodes = try environment.openDatabase(named: "nodes", of: UInt64.self, [UInt8].self)
        // The middle of each node.
        let places = try environment.read { txn in
            var places: [(key: UInt64, byte: Int)] = []
            try txn.forEach(in: nodes) { key, value in
                let entry = (key: try UInt64.decode(key), value: value)
                for number in entry.key...NodeRun.lastNumber(entry) {
                    guard let range = NodeRun.range(of: number, in: entry) else { continue }
                    places.append((entry.key, (range.lowerBound + range.upperBound) / 2))
                }
                return true
            }
            return places
        }
        try fixture.store.group.store()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try fixture.store.close()
        var rebuilt = 0
        for (number, byte) in places {
            DataFile.remove(fixture.path)
            try file.write(to: URL(fileURLWithPath: fixture.path))
            let damaging = try Environment.open(path: fixture.path)
            let nodes = try damaging.openDatabase(named: "nodes", of: UInt64.self, [UInt8].self)
            try damaging.write { txn in
                guard var row = try txn.get(number, in: nodes) else { return }
                row[byte] ^= 4
                try txn.put(row, forKey: number, in: nodes)
            }
            try damaging.close()
            let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
            if store.recovery.wasRebuilt { rebuilt += 1 }
            if store.recovery.wasRebuilt {
                #expect(try store.snapshot.stateHash == expected, "byte \(byte) of \(number)")
                #expect(try store.snapshot.sections[0].items.map(\.id).count == count, "byte \(byte) of \(number)")
            } else {
                #expect(store.recovery.checkpoint == checkpoint, "byte \(byte) of \(number)")
                for id in deleted {
                    #expect((try? store.indexPath(of: .integer(id))) == nil, "byte \(byte) of \(number)")
                }
            }
            try? store.close()
            try? store.close(discardingUnappended: true)
        }
        // At least the path to the row.
        #expect(rebuilt >= 3)
    }

    @Test(
        "A checkpoint with other counts, another commit or other rows than the log, or of a later version, is not used",
        arguments: 0..<4)
    func otherCheckpoint(kind: Int) throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        for id in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id % 10)))) } }
        try fixture.store.checkpoint()
        let expected = try fixture.store.snapshot.stateHash
        try fixture.store.close()
        let environment = try Environment.open(path: fixture.path)
        let checkpoints = try environment.openDatabase(named: "checkpoints", of: UInt64.self, [UInt8].self)
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        try environment.write { txn in
            var rows: [(version: UInt64, row: [UInt8])] = []
            try txn.forEach(in: checkpoints) { key, row in
                rows.append((try UInt64.decode(key), Array(row)))
                return true
            }
            let (before, newest) = (rows[rows.count - 2].row, rows[rows.count - 1].version)
            var (version, row) = rows[rows.count - 1]
            switch kind {
            // The counts of events and rows, and the checksum of the commit, are as long as in the row before.
            case 0: row[13] = 1
            case 1: row[22] ^= 1
            case 2: for range in [30..<38, 54..<70] { row.replaceSubrange(range, with: before[range]) }
            default: version += 100
            }
            let sum = UInt32(truncatingIfNeeded: row[4...].withUnsafeBytes { XXHash64.hash($0, seed: version) })
            withUnsafeBytes(of: sum.littleEndian) { row.replaceSubrange(0..<4, with: $0) }
            try #require(row.withUnsafeBytes { Checkpoint($0, version: Version(version)) } != nil)
            try txn.put(row, forKey: version, in: checkpoints)
            let locators = try txn.get("locators", in: meta)!.withUnsafeBytes {
                StoredLocators($0, version: Version(newest))
            }
            try txn.put(#require(locators).bytes(Version(version)), forKey: "locators", in: meta)
        }
        try environment.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.wasRebuilt)
        #expect(try store.snapshot.stateHash == expected)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("A checkpoint whose history is not that of the log is not used")
    func otherHistory() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        for id in 0..<8 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.undo(2)
        var history = try fixture.store.history
        try fixture.store.close()
        // The bytes of the shared history of the newest checkpoint: positions, and how much can be undone and redone.
        let options = fixture.store.options
        for place in 0..<7 {
            let environment = try Environment.open(path: fixture.path)
            let checkpoints = try environment.openDatabase(named: "checkpoints", of: UInt64.self, [UInt8].self)
            try environment.write { txn in
                let version = try txn.lastKey(in: checkpoints)!
                var row = try txn.get(version, in: checkpoints)!
                row[6 + 64 + place] ^= 1
                let sum = UInt32(truncatingIfNeeded: row[4...].withUnsafeBytes { XXHash64.hash($0, seed: version) })
                withUnsafeBytes(of: sum.littleEndian) { row.replaceSubrange(0..<4, with: $0) }
                #expect(row.withUnsafeBytes { Checkpoint($0, version: Version(version)) } != nil)
                try txn.put(row, forKey: version, in: checkpoints)
            }
            try environment.close()
            let store = try UntypedStore.open(at: fixture.path, options: options)
            #expect(store.recovery.wasRebuilt, "byte \(place)")
            #expect(try store.history == history, "byte \(place)")
            // Its next checkpoint is sound again.
            try store.edit("Toggle") { try $0.toggle(.item(1)) }
            try store.undo()
            try store.undo()
            try store.redo()
            try store.close()
            let again = try UntypedStore.open(at: fixture.path, options: options)
            #expect(!again.recovery.wasRebuilt, "byte \(place)")
            #expect(try again.history.undoCount == history.undoCount, "byte \(place)")
            try again.redo()
            try again.undo()
            history = try again.history
            try again.close()
        }
    }

    @Test("If a replay, or going back from a later checkpoint, leads to other rows than the commit's, an error says so")
    func goingBack() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
        }
        try fixture.fill(10)
        for id in 0..<9 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.checkpoint()
        let version = Version(8)
        try fixture.store.close()
        // The record of the version says that the rows have another hash; everything else about it is right.
        let environment = try Environment.open(path: fixture.path)
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            var record = try txn.get(version.rawValue, in: commits)!
            record[16] ^= 1
            let sum = record[8...].withUnsafeBytes { XXHash64.hash($0, seed: version.rawValue) }
            withUnsafeBytes(of: sum.littleEndian) { record.replaceSubrange(0..<8, with: $0) }
            try txn.put(record, forKey: version.rawValue, in: commits)
        }
        try environment.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(throws: ListError.self) { try store.snapshot(at: version) }
        #expect(try store.snapshot(at: Version(9)).itemCount == 10)
        func replay(through version: Version) throws {
            var state = ListState(NodePool(limits: store.options.limits))
            _ = try store.group.log.replay(into: &state, through: version)
        }
        try replay(through: Version(7))
        #expect(throws: ListError.self) { try replay(through: version) }
        try store.close()
    }

    @Test("A damaged commit hides no version but its own: the others are read from its other side")
    func beforeAndAfterDamage() throws {
        let fixture = try StoreFixture { $0.checkpoints.interval = .max }
        let store = fixture.store
        try fixture.fill(10)
        try store.checkpoint()
        for step in 0..<100 { try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 10)))) } }
        let hashes = try (1...101).map { try store.snapshot(at: Version($0)).stateHash }
        try store.waitUntilDurable()
        try store.group.store()
        let log = store.group.log
        try log.environment.write { txn in
            var record = try #require(try txn.get(90, in: log.commits))
            record[record.count - 1] ^= 1
            try txn.put(record, forKey: 90, in: log.commits)
        }
        log.forgetRecords()
        // The last version that was read would be a third way.
        store.past.clear()
        for version in 2...101 as ClosedRange<UInt64> {
            let found = try? store.snapshot(at: Version(version)).stateHash
            #expect(found == (version == 90 ? nil : hashes[Int(version) - 1]), "version \(version)")
            store.past.clear()
        }
        try store.close()
    }

    @Test("A checkpoint that cannot be used costs only a replay of the log")
    func damagedCheckpoints() throws {
        for damage in 0..<4 {
            let fixture = try StoreFixture(CheckpointTests.eager)
            try fixture.fill(100)
            for id in 0..<50 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
            let expected = try fixture.store.snapshot.stateHash
            try fixture.store.close()
            try CheckpointTests.damage(fixture.path, damage)
            var options = fixture.store.options
            options.gate = .full
            let store = try UntypedStore.open(at: fixture.path, options: options)
            #expect(store.recovery.wasRebuilt && store.recovery.commitCount == 51, "damage \(damage)")
            #expect(try store.snapshot.stateHash == expected)
            try store.edit("Toggle") { try $0.toggle(.item(99)) }
            try store.close()
            let again = try UntypedStore.open(at: fixture.path, options: options)
            #expect(!again.recovery.wasRebuilt && again.recovery.commitCount == 0, "damage \(damage)")
            // Nothing of the damaged checkpoints is left.
            try CheckpointTests.expectNoUnneededNodes(again)
        }
    }

    @Test("Locators that have as many rows as another checkpoint are not used")
    func otherLocators() throws {
        for isOfSections in [false, true] {
            let fixture = try StoreFixture(CheckpointTests.eager)
            try fixture.fill(100)
            let expected = try fixture.store.snapshot.stateHash
            try fixture.store.close()
            let environment = try Environment.open(path: fixture.path)
            let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
            let checkpoints = try environment.openDatabase(named: "checkpoints", of: UInt64.self, [UInt8].self)
            try environment.write { txn in
                let version = Version(try txn.lastKey(in: checkpoints)!)
                let row = try txn.get("locators", in: meta)!
                var locators = try #require(row.withUnsafeBytes { StoredLocators($0, version: version) })
                if isOfSections { locators.sections.entryCount += 2 } else { locators.items.entryCount -= 1 }
                try txn.put(locators.bytes(version), forKey: "locators", in: meta)
            }
            try environment.close()
            let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
            #expect(store.recovery.wasRebuilt)
            #expect(try store.snapshot.stateHash == expected)
            try store.close()
        }
    }

    /// Damages the row of the newest checkpoint, the row of the locators, or the first or last node.
    static func damage(_ path: String, _ kind: Int) throws {
        let environment = try Environment.open(path: path)
        try damage(environment, kind)
        try environment.close()
    }

    static func damage(_ environment: Environment, _ kind: Int) throws {
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        let rows = try environment.openDatabase(
            named: kind == 0 ? "checkpoints" : "nodes", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            if kind == 1 {
                var row = try txn.get("locators", in: meta)!
                row[row.count / 2] ^= 4
                return try txn.put(row, forKey: "locators", in: meta)
            }
            if kind == 0 {
                let key = try txn.lastKey(in: rows)!
                var row = try txn.get(key, in: rows)!
                row[row.count / 2] ^= 4
                return try txn.put(row, forKey: key, in: rows)
            }
            // The root is written last, so a node before it is below it.
            let last = try txn.withEntry(atOrBefore: .max, in: rows) { NodeRun.lastNumber($0!) }
            let number = kind == 3 ? last - 2 : last
            let (key, sound, range) = try txn.withEntry(atOrBefore: number, in: rows) { entry in
                (entry!.key, Array(entry!.value), NodeRun.range(of: number, in: entry!)!)
            }
            var row = sound
            row[(range.lowerBound + range.upperBound) / 2] ^= 4
            try txn.put(row, forKey: key, in: rows)
        }
    }

    @Test("If a node is found damaged after opening, edits throw, and opening again rebuilds it")
    func damagedNode() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(300)
        try fixture.store.close()
        let expected = try StoreVerification(path: fixture.path).stateHash
        try CheckpointTests.damage(fixture.path, 3)
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        let ids = try store.snapshot.sections[0].items.map(\.id)
        #expect(ids.count == 300 && ids.contains("unreadable"))
        #expect { try store.edit("Toggle") { try $0.toggle(.at(ListIndexPath(section: 0, item: 0))) } } throws: {
            ($0 as? ListError)?.code == "damagedNode"
        }
        try store.close()
        let mended = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(mended.recovery.wasRebuilt)
        #expect(try mended.snapshot.stateHash == expected)
    }
}
