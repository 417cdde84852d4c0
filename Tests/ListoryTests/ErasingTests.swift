// Tests erasing: nothing of an erased content is in any file, and everything else is as before.
//
// The oracle keeps the contents of all rows at all versions, and who wrote them. Contents are random bytes, so that each can be searched
// for in files.

import Foundation
import LMDB
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Erasing")
struct ErasingTests {
    private static let origins = ["", "anna", "ben"]

    /// A content that was written.
    private struct Written {
        let bytes: [UInt8]
        let row: UntypedID
        let origin: String
        let version: Version
    }

    /// A store with random edits, and what its rows had at each version.
    private final class Story {
        let folder: TemporaryFolder
        let path: String
        let options: StoreOptions
        var generator: SeededGenerator
        var store: UntypedStore
        /// Every content that was written.
        var written: [Written] = []
        /// The contents of the rows of each version, and the hash of each version.
        var rows: [[UntypedID: [UInt8]]] = [[:]]
        var hashes = [UntypedSnapshot.empty.stateHash]
        private var nextID: Int64 = 1

        init(seed: UInt64) throws {
            folder = try TemporaryFolder()
            path = folder.file("list.listory")
            generator = SeededGenerator(seed: seed)
            var options = StoreOptions()
            CheckpointTests.eager(&options)
            (options.durability, options.coalescing) = (.deferred, .never)
            if seed % 3 == 0 {
                options.unpackedCount = 8
                (options.packing.groupCount, options.packing.freeSize) = (8, 0)
            }
            self.options = options
            store = try UntypedStore.create(at: path, options: options)
        }

        /// A content that no other row has; some fit into a leaf.
        private func content(of row: UntypedID, _ origin: String) -> [UInt8] {
            // Some are so short that a leaf could have them.
            let lengths = generator.oneIn(4) ? 8...8 : 9...90
            let bytes = (0..<Int.random(in: lengths, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let version = Version(UInt64(rows.count))
            written.append(Written(bytes: bytes, row: row, origin: origin, version: version))
            return bytes
        }

        private func newRow(_ origin: String) -> NewRow {
            nextID += 1
            let id = UntypedID.integer(nextID)
            return NewRow(id: id, isChecked: generator.oneIn(3), content: content(of: id, origin))
        }

        func edit(_ count: Int) throws {
            for _ in 0..<count {
                let origin = ErasingTests.origins.randomElement(using: &generator)!
                let history = try store.history
                switch Int.random(in: 0..<8, using: &generator) {
                case 0 where history.undoCount > 0:
                    try store.undo(Int.random(in: 1...min(3, history.undoCount), using: &generator), origin: origin)
                case 1 where history.redoCount > 0: try store.redo(origin: origin)
                default: try store.edit("Edit", origin: origin) { try change(&$0, origin) }
                }
                try note()
            }
        }

        private func change(_ list: inout UntypedEditor, _ origin: String) throws {
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "a", items: [newRow(origin)])) }
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let snapshot = list.state.snapshot()
                let ids = snapshot.sections.flatMap { $0.items.map(\.id) }
                let section = snapshot.sections.randomElement(using: &generator)!.id
                guard let id = ids.randomElement(using: &generator) else {
                    try list.insert([newRow(origin)], at: .end(ofSection: section))
                    continue
                }
                switch Int.random(in: 0..<16, using: &generator) {
                case 0...3:
                    let rows = (0..<Int.random(in: 1...4, using: &generator)).map { _ in newRow(origin) }
                    try list.insert(rows, at: .before(id))
                case 4...8: try list.update(id, content: content(of: id, origin))
                case 9, 10: try list.delete(.item(id))
                case 11: try list.toggle(.item(id))
                case 12: try list.move(.item(id), to: .end(ofSection: section))
                case 13:
                    nextID += 1
                    let rows = [newRow(origin), newRow(origin)]
                    try list.insertSection(NewSection(id: .integer(nextID), items: rows), at: .at(0))
                case 14 where snapshot.sectionCount > 1: try list.deleteSection(.section(section))
                case 15 where generator.oneIn(4):
                    let kept = snapshot.sections[0].items.prefix(2).map {
                        NewRow(id: $0.id, content: content(of: $0.id, origin))
                    }
                    try list.reload([NewSection(id: "a", items: kept + [newRow(origin)])])
                default: try list.renameSection(.section(section), to: "Title \(nextID)")
                }
            }
        }

        /// Notes the rows of the versions that were made.
        private func note() throws {
            while try UInt64(rows.count) <= store.version.rawValue {
                let snapshot = try store.snapshot(at: Version(UInt64(rows.count)))
                var found: [UntypedID: [UInt8]] = [:]
                for section in snapshot.sections {
                    for row in section.items { found[row.id] = try store.source.content(of: row.content) }
                }
                rows.append(found)
                hashes.append(snapshot.stateHash)
            }
        }

        /// The contents that an erasure erases. Who wrote those of commits that were dropped is not known.
        func contents(of erasure: Erasure, droppedThrough oldest: Version = .empty) -> Set<[UInt8]> {
            let erased = written.filter {
                erasure.rows.contains($0.row) || ($0.version > oldest && erasure.origins.contains($0.origin))
            }
            return Set(erased.map(\.bytes))
        }

        /// Which of the contents are in a file of the folder.
        func found(_ contents: Set<[UInt8]>) throws -> Set<[UInt8]> {
            var found: Set<[UInt8]> = []
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
                found.formUnion(contents.filter { file.contains($0) })
            }
            return found
        }
    }

    private static func erasure(_ story: Story) -> Erasure {
        var erasure = Erasure()
        if story.generator.oneIn(2) { erasure.origins = [origins.randomElement(using: &story.generator)!] }
        if erasure.origins.isEmpty || story.generator.oneIn(2) {
            for _ in 0..<Int.random(in: 1...5, using: &story.generator) {
                erasure.rows.insert(story.written.randomElement(using: &story.generator)!.row)
            }
        }
        return erasure
    }

    @Test("Of 1,000 random stores, nothing that was erased is in a file, and everything else is as before")
    func randomStores() throws {
        let seed = Soak.seed
        var erased = 0
        for number in 0..<UInt64(1_000 * Soak.factor) {
            do { erased += try Self.check(seed &+ number) } catch {
                Issue.record("seed \(seed &+ number): \(error)")
                throw error
            }
        }
        #expect(erased > 3_000, "seed \(seed)")
        Soak.count(1_000 * Soak.factor)
    }

    /// - Returns: how many contents were erased.
    private static func check(_ seed: UInt64) throws -> Int {
        let comment: Comment = "seed \(seed)"
        let story = try Story(seed: seed)
        try story.edit(Int.random(in: 1...25, using: &story.generator))
        var oldest = Version.empty
        if story.generator.oneIn(4) {
            try story.store.close()
            oldest = Version(UInt64.random(in: 0..<UInt64(story.rows.count), using: &story.generator))
            try UntypedStore.compact(at: story.path, Compaction(keeping: .from(oldest)), options: story.options)
            story.store = try UntypedStore.open(at: story.path, options: story.options)
            try story.edit(8)
        }
        let erasure = erasure(story)
        try story.store.close()
        let gone = story.contents(of: erasure, droppedThrough: oldest)
        let report = try UntypedStore.erase(erasure, at: story.path, options: story.options)
        try #require(try story.found(gone).isEmpty, comment)
        let files = try FileManager.default.contentsOfDirectory(atPath: story.folder.path)
        try #require(Set(files).isSubset(of: ["list.listory", "list.listory-lock", "list.listory-processes"]), comment)

        let store = try UntypedStore.open(at: story.path, options: story.options)
        for number in Int(oldest.rawValue)..<story.rows.count {
            let snapshot = try store.snapshot(at: Version(UInt64(number)))
            try #require(snapshot.stateHash == story.hashes[number], comment)
            for section in snapshot.sections {
                for row in section.items {
                    let content = try #require(story.rows[number][row.id], comment)
                    try #require(row.content.isErased == gone.contains(content), comment)
                    if row.content.isErased {
                        #expect(throws: ListError.erasedContent(row.content.version), comment) {
                            try store.source.content(of: row.content)
                        }
                    } else {
                        try #require(try store.source.content(of: row.content) == content, comment)
                    }
                }
            }
        }
        // No record refers to bytes that are gone.
        for number in oldest.rawValue..<(try store.version.rawValue) {
            for event in try store.commit(Version(number + 1)).events() {
                try event.forEachContent { _, content in
                    if !content.isErased { _ = try store.source.content(of: content) }
                }
            }
        }
        try checkNewest(store, story.rows[story.rows.count - 1], gone, report, comment)
        if report.deletedCount == 0 { try Self.undoAndRedo(store, comment) }
        try store.close()
        try #require(try StoreVerification(path: story.path).version >= report.version, comment)
        if oldest == .empty { try #require(report.contentCount == gone.count, comment) }
        return report.contentCount
    }

    /// The newest rows are those of before, without the ones that lost their content.
    private static func checkNewest(
        _ store: UntypedStore, _ before: [UntypedID: [UInt8]], _ gone: Set<[UInt8]>, _ report: ErasureReport,
        _ comment: Comment
    ) throws {
        let newest = try store.snapshot
        let kept = Set(newest.sections.flatMap { $0.items.map(\.id) })
        try #require(newest.sections.allSatisfy { $0.items.allSatisfy { !$0.content.isErased } }, comment)
        try #require(kept.isSubset(of: before.keys) && before.count - kept.count == report.deletedCount, comment)
        try #require(report.version == newest.version, comment)
        for id in Set(before.keys).subtracting(kept) { try #require(gone.contains(before[id]!), comment) }
    }

    /// Undoes and redoes everything: the rows are as before.
    private static func undoAndRedo(_ store: UntypedStore, _ comment: Comment) throws {
        let hash = try store.snapshot.stateHash
        let count = try store.history.undoCount
        for _ in 0..<count { try store.undo() }
        for _ in 0..<count { try store.redo() }
        try #require(try store.snapshot.stateHash == hash, comment)
    }

    @Test("The control: without erasing, the contents are in the file")
    func control() throws {
        let story = try Story(seed: 1)
        try story.edit(25)
        try story.store.close()
        let written = Set(story.written.map(\.bytes))
        #expect(try story.found(written) == written)
        _ = try UntypedStore.erase(Erasure(rows: [.integer(-1)]), at: story.path, options: story.options)
        var compaction = Compaction()
        compaction.isPacked = false
        try UntypedStore.compact(at: story.path, compaction, options: story.options)
        #expect(try story.found(written) == written)
    }

    @Test("A dry run counts what an erasure counts, and leaves the file as it is")
    func dryRun() throws {
        let story = try Story(seed: 2)
        try story.edit(25)
        try story.store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: story.path))
        var erasure = Erasure(origins: ["anna"])
        erasure.isDryRun = true
        let planned = try UntypedStore.erase(erasure, at: story.path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: story.path)) == before)
        erasure.isDryRun = false
        let report = try UntypedStore.erase(erasure, at: story.path)
        #expect(planned.contentCount == report.contentCount && planned.contentCount > 3)
        #expect(planned.byteCount == report.byteCount && planned.commitCount == report.commitCount)
        #expect(planned.deletedCount == report.deletedCount && report.version == planned.version.next)
        // What is erased is not erased again.
        let again = try UntypedStore.erase(erasure, at: story.path)
        #expect(again.contentCount == 0 && again.deletedCount == 0)
    }

    @Test(
        "A row that undo brings back has no item; it can be edited and deleted, and is not restored from an earlier version"
    )
    func comingBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        typealias Store = ListStore<String, NumberedItem>
        let store = try Store.open(at: path, createIfMissing: true)
        try store.edit("Begin") { try $0.insertSection("list", items: [NumberedItem(id: 1, title: "a secret")]) }
        let secret = try store.version
        try store.edit("Delete") { try $0.delete(1) }
        try store.close()
        #expect(try Store.erase([1], at: path).contentCount == 1)
        let again = try Store.open(at: path)
        try again.undo()
        let row = try #require(try again.snapshot.rows.first)
        #expect(row.id == 1 && row.item == nil)
        #expect(throws: ListError.erasedContent(secret)) { try again.core.source.content(of: row.core.content) }
        let then = try again.core.snapshot(at: secret)
        #expect(throws: ListError.erasedContent(secret)) {
            try again.core.edit("Restore") { try $0.restore(1, from: then) }
        }
        // A view that reads items shows it as a row without one, now and in the past.
        do {
            let view = try again.view { $0.searchable(in: \.title).sorted(by: \.title) }
            #expect(try view.snapshot.rows.map(\.id) == [1] && view.snapshot(at: secret).rows.map(\.id) == [1])
            try again.edit("Check") { try $0.toggle(1) }
            #expect(try view.snapshot.rows.map(\.isChecked) == [true])
            try again.undo()
        }
        // The same item again is another content.
        try again.edit("Write") { try $0.update(NumberedItem(id: 1, title: "a secret")) }
        #expect(try again.snapshot.rows.first?.item?.title == "a secret")
        try again.undo(2)
        #expect(try again.snapshot.itemCount == 0)
        try again.close()
        _ = try StoreVerification(path: path)
    }

    @Test("Names of commits that name such a row are erased as well, and no others")
    func names() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        var options = StoreOptions()
        options.coalescing = .never
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "list", items: [NewRow(2)])) }
        try store.edit("Add a secret") {
            try $0.insert(NewRow(id: 1, content: [1, 2, 3]), at: .end(ofSection: "list"))
        }
        try store.edit("Check a secret") { try $0.toggle(.item(1)) }
        try store.edit("Check 2") { try $0.toggle(.item(2)) }
        try store.edit("Move a secret") { try $0.move(.item(1), to: .section("list", at: 0)) }
        try store.edit("Delete a secret") { try $0.delete(.item(1)) }
        try store.undo()
        // Only the row 2 is different there, but the name is that of the row 1.
        try store.go(to: 3)
        try store.edit("Check 2") { try $0.toggle(.item(2)) }
        try store.go(to: 3)
        // All commits of a group have its name.
        try store.beginGroup("Add another secret")
        try store.edit("") { try $0.toggle(.item(2)) }
        try store.edit("") { try $0.update(1, content: [4, 5]) }
        try store.edit("") { try $0.toggle(.item(2)) }
        try store.endGroup()
        let count = try store.version.rawValue
        let names = try (1...count).map { try store.commit(Version($0)).name }
        #expect(names[6] == "Delete a secret" && names[9] == "Check a secret" && names[12] == "Add another secret")
        try store.close()
        try UntypedStore.erase(Erasure(rows: [1]), at: path)
        let again = try UntypedStore.open(at: path, options: options)
        let kept = try (1...count).map { try again.commit(Version($0)).name }
        #expect(kept == ["Begin", "", "", "Check 2", "", "", "", "", "Check 2", "", "", "", ""])
        #expect(try again.commit(Version(count + 1)).name == "Erase")
        try again.close()
    }

    @Test("A commit that took a name loses it, even if the name became that of the row only afterwards")
    func takenName() throws {
        let fixture = try StoreFixture { ($0.undoScope, $0.coalescing) = (.origin, .never) }
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "list", items: [NewRow(1), NewRow(2)])) }
        try store.beginGroup("Card for Y", origin: "anna")
        try store.edit("", origin: "anna") { try $0.toggle(.item(1)) }
        try store.revert(2, origin: "ben")
        try store.edit("", origin: "anna") { try $0.update(2, content: [1, 2, 3]) }
        try store.endGroup(origin: "anna")
        try store.undo(origin: "ben")
        func names(_ store: UntypedStore) throws -> [String] {
            try (2...5 as ClosedRange<UInt64>).map { try store.commit(Version($0)).name }
        }
        #expect(try names(store) == Array(repeating: "Card for Y", count: 4))
        try store.close()
        try UntypedStore.erase(Erasure(rows: [2]), at: fixture.path)
        let again = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(try names(again) == ["", "", "", ""])
        try again.close()
    }

    @Test(
        "Copies of an origin's contents, which an import has written into commits of others, are erased as well",
        arguments: [false, true])
    func copies(isRestored: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.file("list.listory"), folder.file("copy.listory"))
        let secret = Array("a secret of Anna's".utf8)
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "list", title: "")) }
        try store.edit("Add", origin: "anna") {
            try $0.insert(NewRow(id: 1, content: secret), at: .end(ofSection: "list"))
        }
        try store.edit("Delete", origin: "ben") { try $0.delete(.item(1)) }
        if isRestored { try store.restoreRow(1, from: 2, origin: "ben") } else { try store.undo(origin: "ben") }
        try StoreTranscriber.write(to: copy) { copy in
            for version in 1...4 {
                let commit = try store.commit(Version(UInt64(version)))
                let events = try commit.events().map { event in
                    guard case .itemsInserted(let path, let rows) = event, let row = rows.first else { return event }
                    let content = copy.content(try store.source.content(of: row.content))
                    return .itemsInserted(
                        at: path, .one(UntypedRow(id: row.id, isChecked: row.isChecked, content: content)))
                }
                try copy.append(CommitTranscript(commit), events)
            }
        }
        try store.close()
        #expect(try UntypedStore.erase(Erasure(origins: ["anna"]), at: copy).contentCount == 2)
        let again = try UntypedStore.open(at: copy)
        #expect(try again.snapshot.itemCount == 0)
        let then = try #require(try again.snapshot(at: 4).sections[0].items.first)
        #expect(throws: ListError.erasedContent(4)) { try again.source.content(of: then.content) }
        try again.close()
    }

    @Test("A damaged store from which a content was erased is repaired: nothing is lost")
    func repairing() throws {
        let story = try Story(seed: 4)
        try story.edit(25)
        let ids = try story.store.snapshot.sections.flatMap { $0.items.map(\.id) }
        try story.store.close()
        try UntypedStore.compact(at: story.path, Compaction(keeping: .from(Version(20))), options: story.options)
        try UntypedStore.erase(Erasure(rows: Set(ids.prefix(3))), at: story.path, options: story.options)
        let survey = try UntypedStore.survey(at: story.path)
        #expect(survey.isComplete && survey.lostContentCount == 0)
    }

    @Test("An open store, and one that is just being compacted, are not erased from")
    func inUse() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        #expect(throws: ListError.inUse(path: fixture.path)) {
            try UntypedStore.erase(Erasure(rows: [1]), at: fixture.path)
        }
        try fixture.store.close()
        try DataFile.claiming(fixture.path) {
            #expect(throws: ListError.inUse(path: fixture.path)) {
                try UntypedStore.erase(Erasure(rows: [1]), at: fixture.path)
            }
        }
        #expect(throws: ListError.notFound(path: fixture.path + "-other")) {
            try UntypedStore.erase(Erasure(rows: [1]), at: fixture.path + "-other")
        }
    }

    @Test("A file with a second name, which would keep what is to go, is not erased from, compacted or repaired")
    func severalNames() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        try fixture.store.close()
        let (path, other) = (fixture.path, fixture.path + "-too")
        try FileManager.default.linkItem(atPath: path, toPath: other)
        let refusal = ListError.notPermitted(path: path, isReadOnly: false)
        #expect(throws: refusal) { try UntypedStore.erase(Erasure(rows: [1]), at: path) }
        #expect(throws: refusal) { try UntypedStore.compact(at: path) }
        // Nor if a backup makes the name while the new file is written.
        try FileManager.default.removeItem(atPath: other)
        #expect(throws: refusal) {
            try UntypedStore.compact(at: path) { _ in
                _ = try? FileManager.default.linkItem(atPath: path, toPath: other)
            }
        }
        try RepairTests.spoil("checkpoints", in: path)
        #expect(throws: refusal) { try UntypedStore.repair(at: path) }
        #expect(Platform.identity(path) == Platform.identity(other))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(files.filter { $0.contains("~") } == [])
        try FileManager.default.removeItem(atPath: other)
        #expect(try UntypedStore.repair(at: path).wasRepaired)
        #expect(try UntypedStore.erase(Erasure(rows: [1]), at: path).contentCount == 1)
    }

    @Test(
        "States of projections are not kept, because they may have contents; a projection may pass over what is erased")
    func projections() throws {
        var list = try ProjectedStore(seed: 1)
        for _ in 0..<60 { try list.commit() }
        try list.check("before")
        try list.store.close()
        let path = list.path
        func stored() throws -> Int {
            let environment = try Environment.open(path: path)
            defer { try? environment.close() }
            let states = try environment.openDatabase(named: "projections", of: String.self, [UInt8].self)
            return try environment.read { txn in
                try [SectionCounts.name, WordIndex.name, EditsPerDay.name].count { try txn.get($0, in: states) != nil }
            }
        }
        #expect(try stored() == 3)
        let id = try #require(list.rows.sections.first { !$0.items.isEmpty }?.items.first?.id)
        try UntypedStore.erase(Erasure(rows: [id]), at: list.path)
        // Not even one that no log would use any more.
        #expect(try stored() == 0)
        list.store = try UntypedStore.open(at: list.path)
        list.rows = try ReferenceList(list.store.snapshot, GroupSource(base: list.store.source))
        #expect(try list.store.projection(SectionCounts.self).value == SectionCounts(of: list.rows))
        #expect(throws: (any Error).self) { try list.store.projection(WordIndex.self).value }
        #expect(try list.store.projection(ErasedCount.self).value.erased > 0)
    }
}

/// Counts rows that were inserted with contents that are erased.
private struct ErasedCount: Projection, Codable {
    static let name = "erased"
    static let version = 1
    var (kept, erased) = (0, 0)

    init() {}

    mutating func apply(_ event: ListEvent, in context: EventContext) throws {
        guard case .itemsInserted(_, let rows) = event else { return }
        for row in rows {
            do {
                _ = try context.content(of: row.content)
                kept += 1
            } catch ListError.erasedContent { erased += 1 }
        }
    }
}

/// An item with a title.
private struct NumberedItem: Codable, Identifiable, Sendable {
    let id: Int
    var title: String
}

extension [UInt8] {
    /// Whether the bytes contain others.
    fileprivate func contains(_ others: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in
            others.withUnsafeBytes { others in
                var place = bytes.baseAddress!
                let end = place + bytes.count - others.count
                while place <= end, let next = memchr(place, Int32(others[0]), end - place + 1) {
                    if memcmp(next, others.baseAddress!, others.count) == 0 { return true }
                    place = UnsafeRawPointer(next) + 1
                }
                return false
            }
        }
    }
}
