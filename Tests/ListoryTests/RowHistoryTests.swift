// Tests the history of rows against a naive reading of the whole log.

import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("The history of rows")
struct RowHistoryTests {
    /// Compares everything with the oracle.
    ///
    /// - Parameter count: how many rows and sections, chosen by a seed.
    private func check(
        _ store: UntypedStore, _ comment: Comment, _ count: Int = .max, seed: UInt64 = 0,
        against oracle: RowHistoryOracle? = nil
    ) throws {
        let oracle = try oracle ?? RowHistoryOracle(store)
        var generator = SeededGenerator(seed: seed)
        let subjects = oracle.subjects.sorted { $0.fingerprint < $1.fingerprint }.shuffled(using: &generator)
        for subject in subjects.prefix(count) {
            let found = try history(of: subject, in: store)
            let expected = oracle.history(of: subject)
            try #require(found.map(\.commit.version) == expected.map(\.version), "\(subject), \(comment)")
            try #require(found.map(\.kinds) == expected.map(\.kinds), "\(subject), \(comment)")
        }
        let ids = try store.snapshot.sections.flatMap { $0.items.map(\.id) }
        let blames = try store.blame(ofRows: ids)
        for (id, blame) in zip(ids, blames) {
            let found = blame.versions
            try #require(found == oracle.blame(id), "\(id), \(comment)")
        }
        #expect(try store.history(ofRow: "nobody").isEmpty && store.history(ofSection: "nowhere").isEmpty)
    }

    private func history(of subject: RowOrSection, in store: UntypedStore) throws -> [RowChange] {
        switch subject {
        case .row(let id): try store.history(ofRow: id)
        case .section(let id): try store.history(ofSection: id)
        }
    }

    @Test(
        "History and blame are those of a naive reading of the log, through undo, redo, branches, reloads, compaction",
        arguments: 0..<4 as Range<UInt64>)
    func oracle(number: UInt64) throws {
        let seed = Soak.seed &+ number
        var edited =
            try number < 3 ? EditedStore(changing: seed) : EditedStore(changing: seed, CheckpointTests.packing)
        var oracle = try RowHistoryOracle(edited.store)
        var (segments, bits) = (0, 0)
        for round in 0..<8 {
            for _ in 0..<3 {
                try edited.change(30)
                guard let catalog = try edited.store.checkpointer?.touches.catalog() else { continue }
                segments = max(segments, catalog.segments.count)
                bits = max(bits, catalog.segments.map(\.bits).max() ?? 0)
            }
            for _ in 0..<Int.random(in: 0...12, using: &edited.edits.generator) { _ = try? edited.store.undo() }
            for _ in 0..<Int.random(in: 0...6, using: &edited.edits.generator) { _ = try? edited.store.redo() }
            try oracle.follow(edited.store)
            try check(edited.store, "seed \(seed), round \(round)", 100, seed: seed, against: oracle)
            switch round % 4 {
            case 1: try edited.reopen()
            case 3:
                try edited.store.close()
                let newest = try StoreVerification(path: edited.path).version.rawValue
                let kept = Version(UInt64.random(in: newest / 2...newest, using: &edited.edits.generator))
                try UntypedStore.compact(at: edited.path, Compaction(keeping: round == 3 ? .everything : .from(kept)))
                try edited.reopen()
                oracle = try RowHistoryOracle(edited.store)
            default: break
            }
            try check(edited.store, "seed \(seed), after round \(round)", 100, seed: seed &+ 1, against: oracle)
        }
        #expect(segments > 2 && bits > 3, "seed \(seed): the index has several segments of many buckets")
        Soak.count(Int(try edited.store.version.rawValue))
    }

    @Test(
        "Of rows with one fingerprint, each has its own history, whether their commits are packed, dropped or not",
        arguments: [false, true])
    func sharedFingerprint(isDropped: Bool) throws {
        // 32 bits are shared by some two of so many.
        var known: [UInt32: Int64] = [:]
        var pair: (Int64, Int64)?
        for number in 0... as PartialRangeFrom<Int64> {
            pair = known.updateValue(number, forKey: RowOrSection.row(.integer(number)).fingerprint).map {
                ($0, number)
            }
            if pair != nil { break }
        }
        let (first, second) = try #require(pair)
        var options = StoreOptions()
        CheckpointTests.packing(&options)
        let fixture = try StoreFixture(options: options)
        var store = fixture.store
        try fixture.fill(5)
        try store.edit("Add") {
            try $0.insert([NewRow(id: .integer(first), content: [])], at: .end(ofSection: "today"))
        }
        for _ in 0..<20 { try store.edit("Check") { try $0.toggle(.item(.integer(first))) } }
        // Before the other one is there, and after.
        func check(_ comment: Comment) throws {
            let oracle = try RowHistoryOracle(store)
            try self.check(store, comment, against: oracle)
            for id in [first, second] {
                let expected = oracle.history(of: .row(.integer(id))).map(\.version)
                #expect(try store.history(ofRow: .integer(id)).map(\.commit.version) == expected, comment)
            }
        }
        try check("one row")
        try store.edit("Add") {
            try $0.insert([NewRow(id: .integer(second), content: [])], at: .end(ofSection: "today"))
        }
        for round in 0..<40 {
            try store.edit("Check") { try $0.toggle(.item(.integer(round % 3 == 0 ? first : second))) }
            if round == 20 { try store.edit("Delete") { try $0.delete(.item(.integer(first))) } }
            if round == 20 { try store.undo() }
        }
        try check("two rows")
        for _ in 0..<200 { try store.edit("Check") { try $0.toggle(.item(1)) } }
        if isDropped {
            try store.close()
            var compaction = Compaction(keeping: .from(50))
            compaction.unpackedCount = 20
            try UntypedStore.compact(at: fixture.path, compaction)
            store = try UntypedStore.open(at: fixture.path, options: options)
        }
        #expect(try store.statistics().packedCommitCount > 100)
        try check("packed")
        try store.close()
    }

    @Test(
        "The history of a row whose commits are packed is read without its rows, also if checkpoints leave it to be read",
        arguments: [0, .max])
    func packedHistory(interval: Int) throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.packing(&options)
            options.checkpoints.touches.interval = interval
        }
        try fixture.fill(20)
        let store = fixture.store
        for number in 0..<400 {
            try store.edit("Edit \(number)", origin: number % 2 == 0 ? "anna" : "ben") { list in
                try list.toggle(.item(.integer(Int64(number % 20))))
                if number % 40 == 7 { try list.move(.item(7), to: .before(.integer(Int64(number % 3)))) }
            }
        }
        try store.checkpoint()
        let packed = try store.group.log.packed.lastPacked()
        #expect(packed > 300)
        let unpackings = store.past.unpackings
        store.past.clear()
        let history = try store.history(ofRow: 7)
        let blame = try store.blame(ofRows: [7, 8])
        // Nothing was unpacked for it.
        #expect(store.past.unpackings == unpackings)
        #expect(history.count == 21 && blame[0].moved?.name == "Edit 367" && blame[1].inserted?.name == "Fill")
        for change in history.dropLast() {
            let commit = try store.commit(change.commit.version)
            #expect(change.commit == CommitInfo(commit))
            #expect(change.kinds == (commit.eventCount == 2 ? [.toggled, .moved] : .toggled))
        }
        #expect(store.past.unpackings > unpackings)
    }

    @Test("A page of a history continues where the last one ended")
    func pages() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(3)
        for round in 0..<50 { try fixture.store.edit("Check \(round)") { try $0.toggle(.item(1)) } }
        let all = try fixture.store.history(ofRow: 1)
        #expect(all.count == 51 && all[0].commit.name == "Check 49" && all[50].kinds == .inserted)
        var pages: [RowChange] = []
        while true {
            let page = try fixture.store.history(ofRow: 1, before: pages.last?.commit.version, limit: 7)
            #expect(page.count <= 7)
            if page.isEmpty { break }
            pages += page
        }
        #expect(pages == all)
        #expect(try fixture.store.blame(ofRows: [1, 99]).map { $0.inserted != nil } == [true, false])
    }

    @Test("Blame and the history at an earlier version are those that there were when it was the newest")
    func past() throws {
        var edited = try EditedStore(seed: 3)
        var then: [(version: Version, ids: [UntypedID], blames: [RowBlame], history: ListHistory)] = []
        for round in 0..<20 {
            try edited.edit(5)
            if round % 3 == 0 { _ = try? edited.store.undo() }
            edited.versions = [try ReferenceList(edited.store.snapshot, GroupSource(base: edited.store.source))]
            let (store, rows) = (edited.store, try edited.store.snapshot)
            let ids = rows.sections.flatMap { $0.items.map(\.id) }
            then.append((rows.version, ids, try store.blame(ofRows: ids), try store.history))
            if round == 10 { try edited.reopen() }
        }
        let store = edited.store
        for (version, ids, blames, history) in then {
            #expect(try store.blame(ofRows: ids, at: version) == blames, "version \(version)")
            #expect(try store.history(at: version) == history, "version \(version)")
        }
        let newest = try store.version
        #expect(try store.history(at: .empty) == .empty && store.blame(ofRows: [1], at: .empty)[0] == RowBlame())
        #expect(throws: ListError.unknownVersion(newest.next, head: newest)) { try store.history(at: newest.next) }
        #expect(throws: ListError.unknownVersion(newest.next, head: newest)) {
            try store.blame(ofRows: [], at: newest.next)
        }
    }

    @Test("An index that is lost or damaged anywhere gives the same answers, and is made again by the next checkpoint")
    func damage() throws {
        var edited = try EditedStore(seed: 4)
        try edited.edit(100)
        try edited.store.close()
        var generator = SeededGenerator(seed: 11)
        for round in 0..<10 {
            try edited.reopen { $0.checkpoints.isBackground = false }
            let touches = try #require(edited.store.checkpointer?.touches)
            let rows = try #require(try touches.rows(create: false))
            let checkpoints = touches.checkpoints
            let keys = try checkpoints.reading { txn in
                var keys: [UInt64] = []
                try txn.forEach(in: rows) { key, _ in
                    keys.append(try UInt64.decode(key)); return true
                }
                return keys
            }
            try #require(keys.count > 2)
            let key = keys.randomElement(using: &generator)!
            try checkpoints.write { txn in
                if round % 5 == 4 {
                    try txn.delete(LogFormat.touchCatalogKey, in: checkpoints.meta)
                } else {
                    var row = try txn.get(key, in: rows)!
                    row[row.indices.randomElement(using: &generator)!] ^=
                        1 << UInt8.random(in: 0...7, using: &generator)
                    try txn.put(row, forKey: key, in: rows)
                }
            }
            let damaged = edited.folder.file("damaged-\(round)")
            try edited.store.copy(to: damaged)
            if round % 5 != 4 {
                #expect(throws: ListError.self, "round \(round)") { try StoreVerification(path: damaged) }
                #expect(try UntypedStore.repair(at: damaged).wasRepaired)
            }
            #expect(try StoreVerification(path: damaged).version == edited.store.version)
            try check(edited.store, "round \(round)")
            // More than the damaged segment, so that it is merged or made again.
            try edited.edit(20)
            try edited.store.checkpoint()
            try check(edited.store, "after round \(round)")
            let fingerprints = (0..<256).map { UInt32($0) << 24 }
            let found = try touches.touches(of: fingerprints)
            let lag = try edited.store.checkpointVersion.rawValue - found.last.rawValue
            #expect(lag < 40, "round \(round): the index is whole again")
            try edited.store.close()
        }
    }

    @Test("Rows that an interrupted process has left in the index are deleted before it is extended")
    func unfinished() throws {
        var edited = try EditedStore(seed: 8)
        try edited.edit(200)
        let touches = try #require(edited.store.checkpointer?.touches)
        let rows = try #require(try touches.rows(create: false))
        let number = try #require(try touches.catalog()).nextNumber
        try touches.checkpoints.write { txn in
            for index in 0..<UInt64(9) {
                try txn.put([1, 2, 3], forKey: TouchCatalog.keys(of: number).lowerBound + index, in: rows)
            }
        }
        try edited.edit(100)
        try edited.store.checkpoint()
        #expect(edited.store.checkpointFailure == nil)
        // The index was continued, not made anew, as a damaged one is.
        let next = try #require(try touches.catalog()).nextNumber
        #expect(next > number && number > 2)
        try check(edited.store, "after the interruption")
        try edited.store.close()
        _ = try StoreVerification(path: edited.path)
    }

    @Test(
        "An index of an earlier build is no damage: it counts as missing, and checkpoints make it anew",
        arguments: NodeCoding.Kind.earlierTouchCatalogs)
    func earlierBuild(kind: UInt8) throws {
        var edited = try EditedStore(seed: 12)
        try edited.edit(200)
        let touches = try #require(edited.store.checkpointer?.touches)
        let rows = try #require(try touches.rows(create: false))
        var writer = ByteWriter()
        try #require(try touches.catalog()).bytes.withUnsafeBytes { writer.write(raw: $0) }
        writer.patch(kind, at: NodeCoding.headerSize)
        NodeCoding.seal(0, &writer)
        let checkpoints = touches.checkpoints
        try checkpoints.write { txn in
            try txn.put(writer.withBytes { Array($0) }, forKey: LogFormat.touchCatalogKey, in: checkpoints.meta)
            for index in 0..<UInt64(9) {
                try txn.put([1, 2, 3], forKey: TouchCatalog.keys(of: 1).lowerBound + index, in: rows)
            }
        }
        let copy = edited.folder.file("earlier")
        try edited.store.copy(to: copy)
        #expect(try StoreVerification(path: copy).version == edited.store.version)
        #expect(try touches.byteCount() == 0)
        try check(edited.store, "with an index of an earlier build")
        try edited.edit(20)
        try edited.store.checkpoint()
        #expect(try touches.catalog()?.last != nil)
        try check(edited.store, "with an index that was made anew")
        try edited.store.close()
        _ = try StoreVerification(path: edited.path)
    }

    @Test("An index that does not begin where the log begins is not used")
    func otherLog() throws {
        var edited = try EditedStore(seed: 9)
        try edited.edit(200)
        let key = LogFormat.touchCatalogKey
        let catalog = try #require(
            try edited.store.checkpointer?.database.reading { try $0.get(key, in: edited.store.group.log.meta) })
        let before = try Self.rows(of: edited.store)
        try edited.store.close()
        try UntypedStore.compact(at: edited.path, Compaction(keeping: .from(50)))
        try edited.reopen()
        edited.versions = [try ReferenceList(edited.store.snapshot, GroupSource(base: edited.store.source))]
        try check(edited.store, "compacted")
        let meta = edited.store.group.log.meta
        let rows = try #require(try edited.store.checkpointer?.touches.rows(create: true))
        try edited.store.checkpointer?.database.write { txn in
            try txn.clear(rows)
            for (key, row) in before { try txn.put(row, forKey: key, in: rows) }
            try txn.put(catalog, forKey: key, in: meta)
        }
        try check(edited.store, "with the index of the log from before")
        try edited.edit(100)
        try edited.store.checkpoint()
        try check(edited.store, "after the next checkpoint")
    }

    /// The rows of the index of a store.
    private static func rows(of store: UntypedStore) throws -> [(UInt64, [UInt8])] {
        let touches = try #require(store.checkpointer?.touches)
        let rows = try #require(try touches.rows(create: false))
        return try touches.checkpoints.reading { txn in
            var found: [(UInt64, [UInt8])] = []
            try txn.forEach(in: rows) { key, row in
                found.append((try UInt64.decode(key), Array(row)))
                return true
            }
            return found
        }
    }

    @Test("A store that is opened at an earlier version has no history of later ones")
    func lagging() throws {
        var edited = try EditedStore(seed: 10)
        try edited.edit(300)
        try edited.store.close()
        for version in [100, 250, 299] as [Version] {
            try edited.reopen { ($0.isReadOnly, $0.lastVersion) = (true, version) }
            try check(edited.store, "version \(version)")
        }
    }
}
