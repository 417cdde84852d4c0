// Tests the trash against a naive reading of every version, and restoring from it.

import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("The trash")
struct TrashTests {
    /// Reads the rows of every version, and keeps those that are gone.
    private struct Oracle {
        struct Row: Equatable {
            var row: UntypedRow
            var sectionID: UntypedID
            var sectionTitle: String
        }

        private var version: Version
        private var rows: [UntypedID: Row]
        private var gone: [UntypedID: (row: Row, version: Version)] = [:]

        init(_ store: UntypedStore) throws {
            version = store.oldestVersion
            rows = Oracle.rows(try store.snapshot(at: version))
        }

        private static func rows(_ snapshot: UntypedSnapshot) -> [UntypedID: Row] {
            var rows: [UntypedID: Row] = [:]
            for section in snapshot.sections {
                for row in section.items {
                    rows[row.id] = Row(row: row, sectionID: section.id, sectionTitle: section.title)
                }
            }
            return rows
        }

        mutating func follow(_ store: UntypedStore) throws {
            while try version < store.version {
                version = version.next
                let next = Oracle.rows(try store.snapshot(at: version))
                for (id, row) in rows where next[id] == nil { gone[id] = (row, version) }
                for id in next.keys { gone[id] = nil }
                rows = next
            }
        }

        /// Checks rows of the trash that commits before a version took away.
        func check(_ found: [UntypedTrashedRow], before end: Version, in store: UntypedStore, _ comment: Comment) throws
        {
            let expected = gone.filter { $0.value.version < end }
            try #require(found.count == expected.count, comment)
            try #require(zip(found, found.dropFirst()).allSatisfy { $0.place < $1.place }, comment)
            for row in found {
                let other = try #require(expected[row.row.id], comment)
                try #require(try row.commit == CommitInfo(store.commit(other.version)), comment)
                let same = Row(row: row.row, sectionID: row.sectionID, sectionTitle: row.sectionTitle)
                try #require(same == other.row, "\(row.row.id), \(comment)")
                try store.source.withContent(of: row.row.content) { #expect($0.count == Int(row.row.content.length)) }
            }
        }
    }

    @Test(
        "The trash is that of a naive reading of all versions, and a view of it stays in step",
        arguments: 0..<4 as Range<UInt64>)
    func oracle(number: UInt64) throws {
        let seed = Soak.seed &+ number
        var edited = try EditedStore(changing: seed)
        var oracle = try Oracle(edited.store)
        for round in 0..<6 {
            let comment: Comment = "seed \(seed), round \(round)"
            let live = try UntypedLiveTrash(of: edited.store, limit: round * 5) { "\($0.row.content.length)" }
            for _ in 0..<4 {
                try edited.change(25)
                try oracle.follow(edited.store)
                let all = try edited.store.trash()
                try oracle.check(all, before: edited.store.version.next, in: edited.store, comment)
                try check(live, all, comment)
                if all.count > live.shown.rows.count {
                    let update = try live.loadMore(3)
                    #expect(update.snapshot.rows.count == min(all.count, update.previous.rows.count + 3), comment)
                    try check(live, all, comment)
                }
                let some = edited.edits.generator.next() % 4
                let words = SearchWords("\(some)")
                let found = all.filter { words.matches(SearchText("\($0.row.content.length)")) }
                try live.search("\(some)", limit: 4)
                try check(live, found, comment)
                try edited.change(5)
                try check(
                    live, edited.store.trash { words.matches(SearchText("\($0.row.content.length)")) }, comment)
                try live.loadMore(.max)
                #expect(live.shown.isComplete)
                try live.search("", limit: 10)
                try check(live, edited.store.trash(), comment)
                try oracle.follow(edited.store)
                let newest = try edited.store.version.rawValue
                let end = Version(UInt64.random(in: 0...newest, using: &edited.edits.generator))
                try oracle.check(edited.store.trash(before: end), before: end, in: edited.store, comment)
            }
            switch round {
            case 1, 4: try edited.reopen()
            case 2, 3:
                try edited.store.close()
                let newest = try StoreVerification(path: edited.path).version.rawValue
                let kept = Version(UInt64.random(in: newest / 2...newest, using: &edited.edits.generator))
                try UntypedStore.compact(at: edited.path, Compaction(keeping: round == 2 ? .everything : .from(kept)))
                try edited.reopen()
                oracle = try Oracle(edited.store)
                try oracle.follow(edited.store)
                try oracle.check(
                    edited.store.trash(), before: edited.store.version.next, in: edited.store, "compacted, \(comment)")
            default: break
            }
        }
        Soak.count(Int(try edited.store.version.rawValue))
    }

    /// Checks that a view shows the first of some rows.
    private func check(_ live: UntypedLiveTrash, _ all: [UntypedTrashedRow], _ comment: Comment) throws {
        let shown = try live.snapshot
        try #require(Array(shown.rows) == Array(all.prefix(shown.rows.count)), comment)
        try #require(!shown.isComplete || shown.rows.count == all.count, comment)
        #expect(shown.rows.indices.allSatisfy { shown.rows[$0] == all[$0] })
        #expect(shown.core.itemCount == shown.rows.count)
        #expect(shown.core.sections.first.map { Array($0.items) } ?? [] == shown.rows.map(\.row))
    }

    @Test("A view tells its readers what changed, and ends with the store")
    func updates() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(10)
        let trash = try UntypedLiveTrash(of: fixture.store)
        let updates = try trash.updates()
        let reader = Task {
            var shown = updates.initial
            var sizes: [Int] = []
            for await update in updates {
                let update = try update.get()
                #expect(Array(update.previous.rows) == Array(shown.rows))
                let old = try ReferenceList(shown.core, GroupSource(base: fixture.store.source))
                let new = try ReferenceList(update.snapshot.core, GroupSource(base: fixture.store.source))
                #expect(update.transition.changeset.applied(to: old, giving: new) == new)
                shown = update.snapshot
                sizes.append(shown.rows.count)
            }
            return (sizes, shown.rows.map(\.row.id))
        }
        try fixture.store.edit("Delete") { try $0.delete(.items([3, 5])) }
        _ = try trash.snapshot
        try fixture.store.edit("Check") { try $0.toggle(.item(4)) }
        _ = try trash.snapshot
        try fixture.store.edit("Section") { try $0.deleteSection(.section("today")) }
        _ = try trash.snapshot
        try fixture.store.restoreRow(5, from: 1)
        _ = try trash.snapshot
        try fixture.store.close()
        let (sizes, rows) = try await reader.value
        #expect(sizes == [2, 10, 9])
        #expect(rows == [0, 1, 2, 4, 6, 7, 8, 9, 3])
        #expect(throws: ListError.closed) { try trash.snapshot }
        #expect(throws: ListError.closed) { try trash.updates() }
        #expect(trash.shown.rows.count == 9)
    }

    @Test("A reader learns that all rows were read, though no row came", .timeLimit(.minutes(1)))
    func completion() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(10)
        for id: Int64 in 1...3 { try fixture.store.edit("Delete") { try $0.delete(.item(.integer(id))) } }
        let trash = try UntypedLiveTrash(of: fixture.store, limit: 3)
        #expect(trash.shown.rows.count == 3 && !trash.shown.isComplete)
        var updates = try trash.updates().makeAsyncIterator()
        let update = try trash.loadMore()
        #expect(!update.isEmpty && update.snapshot.isComplete)
        #expect(try await updates.next()?.get().snapshot.isComplete == true)
    }

    @Test("A view that nobody reads is released, and a view used inside its text function says so")
    func misuse() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.edit("Delete") { try $0.delete(.item(1)) }
        let found = Locked<UntypedLiveTrash?>(nil)
        let trash = try UntypedLiveTrash(of: fixture.store) { _ in
            let trash = found.withLock { $0 }
            #expect(throws: ListError.usedInside("the text function of a trash")) { try trash?.snapshot }
            return "milk"
        }
        found.withLock { $0 = trash }
        #expect(try trash.search("milk").snapshot.rows.count == 1)
        #expect(try trash.search("tea").snapshot.rows.isEmpty)
        found.withLock { $0 = nil }
        _ = try trash.updates()
        weak let released = { trash }()
        #expect(released != nil)
    }

    @Test("An edit in progress and a list that goes on do not change what a page is")
    func meanwhile() throws {
        let fixture = try StoreFixture()
        try fixture.fill(300)
        for row in 0..<100 { try fixture.store.edit("Delete") { try $0.delete(.item(.integer(Int64(row)))) } }
        var made = 0
        let found = try fixture.store.trash(limit: 100) { row in
            // The rows come back one after another, and others go, while the page is read.
            if made % 9 == 0 {
                try fixture.store.edit("Meanwhile") { list in
                    try list.delete(.item(.integer(Int64(200 + made))))
                    try list.insert(NewRow(id: .integer(Int64(made)), content: []), at: .end(ofSection: "today"))
                }
            }
            made += 1
            return true
        }
        #expect(found.map(\.row.id) == (0..<100).reversed().map { .integer(Int64($0)) })
        #expect(try fixture.store.trash().count == 100)
    }

    @Test("Rows whose ids have one hash are in the trash, each once")
    func collisions() throws {
        let fixture = try StoreFixture()
        let ids = (0..<8 as Range<UInt64>).map { UntypedID.uuid(ChosenHashes.uuid($0, hash: 7)) }
        try #require(Set(ids.map(\.hash64)).count == 1)
        for round in 0..<3 {
            try fixture.store.edit("Add") { list in
                if round == 0 { try list.insertSection(NewSection(id: "s", title: "")) }
                for id in ids.dropFirst(round) {
                    try list.insert(NewRow(id: id, content: []), at: .end(ofSection: "s"))
                }
            }
            for id in ids.dropFirst(round) { try fixture.store.edit("Delete") { try $0.delete(.item(id)) } }
        }
        let expected = Array(ids.dropFirst(2).reversed()) + [ids[1], ids[0]]
        #expect(try fixture.store.trash().map(\.row.id) == expected)
        let middle = try fixture.store.trash(before: fixture.store.version)
        #expect(middle.map(\.row.id) == Array(expected.dropFirst()))
    }

    @Test("A damaged index gives the same trash")
    func damage() throws {
        var edited = try EditedStore(seed: 6)
        try edited.edit(300)
        let all = try edited.store.trash()
        #expect(all.count > 50)
        try edited.store.close()
        for round in 0..<8 {
            try edited.reopen { $0.checkpoints.isBackground = false }
            let touches = try #require(edited.store.checkpointer?.touches)
            let rows = try #require(try touches.rows(create: false))
            let catalog = try #require(try touches.catalog())
            let segment = try #require(catalog.segments.filter { $0.landmarkCount > 0 }.randomElement())
            let chunk = round % segment.landmarkCount
            try touches.checkpoints.write { txn in
                let key = segment.key(segment.bucketCount + chunk)
                var row = try txn.get(key, in: rows)!
                row[row.count - 1 - round % 2] ^= 4
                try txn.put(row, forKey: key, in: rows)
            }
            #expect(try edited.store.trash() == all, "round \(round)")
            #expect(try touches.catalog() == nil, "it is made again")
            try edited.edit(1)
            try edited.store.undo()
            try edited.store.checkpoint()
            try edited.store.close()
        }
    }

    @Test("A store that is only read has a trash, and so has one at an earlier version")
    func reading() throws {
        var edited = try EditedStore(seed: 12)
        try edited.edit(300)
        let all = try edited.store.trash()
        try edited.store.close()
        try edited.reopen { $0.isReadOnly = true }
        #expect(try edited.store.trash() == all)
        #expect(try Array(UntypedLiveTrash(of: edited.store, limit: 7).snapshot.rows) == Array(all.prefix(7)))
        for version in [100, 250] as [Version] {
            try edited.reopen { ($0.isReadOnly, $0.lastVersion) = (true, version) }
            var oracle = try Oracle(edited.store)
            try oracle.follow(edited.store)
            try oracle.check(edited.store.trash(), before: version.next, in: edited.store, "version \(version)")
        }
    }
}

// MARK: - Restoring

extension TrashTests {
    @Test("A restored row leaves rows that came below its neighbour where they are, and gets its own back")
    func outline() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        func rows(_ depths: [(Int64, Int)]) -> [NewRow] {
            depths.map { NewRow(id: .integer($0.0), content: [], depth: $0.1) }
        }
        try store.edit("Add") { list in
            try list.insertSection(
                NewSection(id: "today", title: "Today", items: rows([(1, 0), (2, 0), (3, 1), (4, 0)])))
        }
        let then = try store.version
        try store.edit("Delete") { list in
            try list.delete(.item(2))
            try list.insert(rows([(9, 1)]), at: .after(1))
        }
        try store.restoreRow(2, from: then)
        let found = try store.snapshot.sections[0].items.map { "\($0.id) \($0.depth)" }
        #expect(found == ["1 0", "9 1", "2 0", "3 1", "4 0"])
    }

    @Test("A deleted section comes back with its title and its rows, and rows that are elsewhere stay there")
    func section() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try fixture.fill(5)
        try store.edit("More") { list in
            try list.insertSection(NewSection(id: "later", title: "Later"))
            try list.insertSection(NewSection(id: "done", title: "Done"))
            try list.toggle(.item(2))
            try list.move(.item(4), to: .end(ofSection: "later"))
        }
        let then = try store.version
        try store.edit("Delete") { list in
            try list.move(.item(0), to: .end(ofSection: "done"))
            try list.deleteSection(.section("today"))
        }
        try store.edit("Delete") { try $0.deleteSection(.section("later")) }
        #expect(try store.trash().map(\.sectionTitle) == ["Later", "Today", "Today", "Today"])
        let commit = try #require(
            try store.restoreSection("today", from: then, name: "Bring back", origin: "anna"))
        #expect(commit.name == "Bring back" && commit.origin == "anna")
        let sections = try store.snapshot.sections
        #expect(sections.map(\.title) == ["Today", "Done"])
        #expect(sections[0].items.map(\.id) == [1, 2, 3] && sections[0].items[1].isChecked)
        #expect(sections[1].items.map(\.id) == [0])
        #expect(try store.trash().map(\.row.id) == [4])
        try store.edit("Delete") { list in
            try list.delete(.items([1, 3]))
            try list.renameSection(.section("today"), to: "Tomorrow")
        }
        try store.restoreSection("today", from: then)
        #expect(try store.snapshot.sections[0].items.map(\.id) == [1, 2, 3])
        #expect(try store.snapshot.sections[0].title == "Today")
        #expect(try store.restoreSection("today", from: then) == nil)
        try store.restoreRow(4, from: then)
        #expect(try store.snapshot.sections.map(\.title) == ["Today", "Later", "Done"])
        for (what, restore) in [
            ("row 99", { try store.restoreRow(99, from: then) }),
            ("section \"nowhere\"", { try store.restoreSection("nowhere", from: then) }),
        ] as [(String, () throws -> Commit?)] {
            #expect(throws: ListError.notInVersion(what: what, then)) { _ = try restore() }
        }
        #expect(throws: ListError.unknownVersion(99, head: try store.version)) { try store.restoreRow(1, from: 99) }
    }

    @Test("The trash of a typed list has items, and a value for one that cannot be decoded")
    func typed() throws {
        struct Task: Codable, Identifiable, Equatable, Sendable { var id: Int; var title: String }
        enum Place: String, SectionIdentifier { case today, later }
        let folder = try TemporaryFolder()
        let store = try ListStore<Place, Task>.open(at: folder.file("list.listory"), createIfMissing: true)
        try store.edit("Add") { list in
            try list.insertSection(
                .today, title: "Today", items: [Task(id: 1, title: "Crème"), Task(id: 2, title: "Tea")])
            try list.insertSection(.later, title: "Later", items: [Task(id: 3, title: "Cream")])
        }
        try store.core.edit("Spoil") { try $0.update(2, content: [255]) }
        let trash = try store.liveTrash { $0.title }
        try store.edit("Clear", origin: "anna") { try $0.deleteAll() }
        let rows = try trash.snapshot.rows
        #expect(rows.map(\.id) == [1, 2, 3] && rows.map(\.sectionID) == [.today, .today, .later])
        #expect(rows.map(\.row.item?.title) == ["Crème", nil, "Cream"] && rows.map(\.sectionTitle)[2] == "Later")
        #expect(rows[0].commit.origin == "anna" && rows[0].commit.name == "Clear")
        guard case .failure = rows[1].row.content else { throw TestFailure() }
        try trash.search("cre")
        #expect(trash.shown.rows.map(\.id) == [1, 3])
        #expect(try store.trash { $0.row.item == nil }.map(\.id) == [2])
        try store.restoreSection(.later, from: rows[2].lastVersion)
        #expect(try trash.snapshot.rows.map(\.id) == [1])
        try store.restoreRow(1, from: rows[0].lastVersion)
        #expect(try store.snapshot.section(.today)?.rows.map(\.id) == [1])
        #expect(try trash.snapshot.rows.isEmpty)
        try store.close()
    }

    private struct TestFailure: Error {}
}
