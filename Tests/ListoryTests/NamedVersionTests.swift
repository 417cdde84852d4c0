// Tests names of versions: what is named stays, whatever is dropped, and nothing else does.

import Foundation
import LMDB
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Named versions")
struct NamedVersionTests {
    @Test(
        "Through edits, names, compaction, retention, erasing and reopening, all named versions have their rows",
        arguments: 0..<UInt64(6 * Soak.factor))
    func model(seed: UInt64) throws {
        var story = try NamedStory(seed: seed)
        for round in 0..<40 {
            let comment: Comment = "seed \(seed), round \(round)"
            try story.edit(story.random(1...20))
            for _ in 0..<3 { try story.name(comment) }
            try story.rewrite(comment)
            try story.check(comment)
        }
        try story.reopen("at the end")
        try story.check("at the end")
        let backup = story.folder.file("backup")
        #expect(try story.store.backup(to: backup).nameCount == story.names.count, "seed \(seed)")
        try story.store.close()
        #expect(try StoreVerification(path: story.path).nameCount == story.names.count, "seed \(seed)")
        // Salvage writes the same names and versions from what it finds.
        let salvaged = story.folder.file("salvaged")
        let report = try UntypedStore.salvage(from: story.path, to: salvaged)
        #expect(report.isComplete && report.lostNameCount == 0, "seed \(seed)")
        story.lingering = []
        for path in [backup, salvaged] {
            story.store = try UntypedStore.open(at: path, options: story.store.options)
            if path == salvaged { try story.check("salvaged, seed \(seed)") }
            for (name, version) in story.names {
                let snapshot = try story.store.snapshot(at: story.store.version(named: name))
                #expect(snapshot.stateHash == story.hashes[Int(version.rawValue)], "seed \(seed)")
            }
            try story.store.close()
        }
    }

    /// A store of 600 rows in which each of the versions from 2 on updated one row, and every tenth has a name.
    private static func fixture(count: Int, isNamed: Bool = true) throws -> StoreFixture {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(600)
        for number in 2...UInt64(count) {
            try fixture.store.edit("Update") {
                try $0.update(.integer(Int64(number * 7 % 600)), content: Array("content \(number)".utf8))
            }
            if isNamed && number % 10 == 0 { try fixture.store.addName("name \(number)") }
        }
        return fixture
    }

    @Test("Versions with names share what is the same, with each other and with the newest one")
    func sharing() throws {
        var counts: [Int] = []
        for isNamed in [true, false] {
            let fixture = try Self.fixture(count: 100, isNamed: isNamed)
            try fixture.store.close()
            try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(100)))
            let store = try UntypedStore.open(at: fixture.path)
            #expect(try store.namedVersions.count == (isNamed ? 10 : 0))
            #expect(try store.checkpoints().count == (isNamed ? 10 : 1))
            counts.append(try store.statistics().nodeCount)
            try store.close()
        }
        // Nine versions more, ten edits apart, of a list of a dozen nodes.
        #expect(counts[0] < counts[1] * 8, "\(counts)")
    }

    @Test("A row that got an equal content again has it where the newest version has it")
    func equalContents() throws {
        let fixture = try StoreFixture { $0.durability = .deferred }
        try fixture.fill(3)
        try fixture.store.addName("first")
        for text in ["other", "row 1"] {
            try fixture.store.edit("Update") { try $0.update(1, content: Array(text.utf8)) }
        }
        try fixture.store.edit("Toggle") { try $0.toggle(.item(2)) }
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(4)))
        let store = try UntypedStore.open(at: fixture.path)
        for (version, written) in [(Version(1), Version(1)), (Version(4), Version(3))] {
            let row = try #require(try store.snapshot(at: version).item(at: ListIndexPath(section: 0, item: 1)))
            #expect(row.content.version == written)
            #expect(try store.source.content(of: row.content) == Array("row 1".utf8))
        }
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("What does not fit is refused with what was wrong, and changes nothing")
    func refusals() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        #expect(throws: ListError.unknownVersion(.empty, head: .empty)) { try store.addName("empty") }
        try fixture.fill(3)
        try store.addName("1.0")
        #expect(throws: ListError.duplicateName("1.0", of: 1)) { try store.addName("1.0") }
        #expect(throws: ListError.unknownVersion(2, head: 1)) { try store.addName("2.0", to: 2) }
        #expect(throws: ListError.unknownVersion(.empty, head: 1)) { try store.addName("0", to: .empty) }
        for name in ["", String(repeating: "é", count: 128)] {
            #expect(throws: ListError.invalidName(name, validBytes: 1...255)) { try store.addName(name) }
            #expect(throws: ListError.invalidName(name, validBytes: 1...255)) { try store.changeName("1.0", to: name) }
            #expect(throws: ListError.unknownName(name)) { try store.version(named: name) }
        }
        #expect(throws: ListError.unknownName("2.0")) { try store.removeName("2.0") }
        #expect(throws: ListError.unknownName("2.0")) { try store.changeName("2.0", to: "3.0") }
        try store.changeName("1.0", to: "1.0")
        #expect(throws: ListError.self) { try store.edit("Edit") { _ in try store.addName("inside") } }
        #expect(try store.namedVersions.map(\.name) == ["1.0"])
        // No edit, no step.
        #expect(try store.version == 1 && store.history.undoCount == 1)
        try store.close()
        for call in [
            { try store.addName("x") }, { try store.changeName("1.0", to: "x") }, { try store.removeName("1.0") },
            { _ = try store.namedVersions }, { _ = try store.version(named: "1.0") },
        ] as [() throws -> Void] {
            #expect(throws: ListError.closed) { try call() }
        }
        var options = store.options
        options.isReadOnly = true
        let reader = try UntypedStore.open(at: fixture.path, options: options)
        #expect(throws: ListError.readOnly) { try reader.addName("x") }
        #expect(throws: ListError.readOnly) { try reader.changeName("1.0", to: "x") }
        #expect(throws: ListError.readOnly) { try reader.removeName("1.0") }
        #expect(try reader.version(named: "1.0") == 1)
        try reader.close()
    }

    @Test("A version before the log can be compared and restored, and not undone to, gone to or played")
    func beforeTheLog() throws {
        let fixture = try Self.fixture(count: 30)
        let hash = try fixture.store.snapshot(at: 10).stateHash
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(25)))
        let store = try UntypedStore.open(at: fixture.path)
        let (oldest, old) = (Version(25), try store.version(named: "name 10"))
        #expect(store.oldestVersion == oldest && old == 10)
        #expect(try store.changeset(from: old, to: 25).items.updated.count == 15)
        #expect(throws: ListError.droppedVersion(11, oldest: oldest)) { try store.snapshot(at: 11) }
        #expect(throws: ListError.droppedVersion(old, oldest: oldest)) { try store.commit(old) }
        #expect(throws: ListError.notInHistory(old)) { try store.go(to: old) }
        #expect(throws: ListError.notInHistory(old)) { try store.revert(old) }
        #expect(throws: ListError.droppedVersion(old, oldest: oldest)) { try store.lineage(of: old) }
        for (start, end) in [(old, 30), (30, old), (old, old)] as [(Version, Version)] {
            #expect(throws: ListError.droppedVersion(old, oldest: oldest)) {
                try store.forEachFrame(from: start, to: end) { _ in Issue.record("a frame") }
            }
            #expect(throws: ListError.droppedVersion(old, oldest: oldest)) { try store.playback(from: start, to: end) }
        }
        #expect(throws: ListError.droppedVersion(old, oldest: oldest)) { try store.explanation(ofRow: 7, at: old) }
        #expect(throws: ListError.droppedVersion(.empty, oldest: oldest)) { try store.addName("none", to: .empty) }
        #expect(throws: ListError.droppedVersion(11, oldest: oldest)) { try store.restore(11) }
        try store.restore(old)
        #expect(try store.snapshot.stateHash == hash)
        try store.undo()
        #expect(try store.snapshot.stateHash == store.snapshot(at: 30).stateHash)
        try store.restoreRow(.integer(Int64(25 * 7 % 600)), from: old)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("An erased content is gone from named versions too")
    func erasing() throws {
        let fixture = try StoreFixture()
        let secret = Array("the secret of row 1".utf8)
        try fixture.fill(3)
        try fixture.store.edit("Update") { try $0.update(1, content: secret) }
        try fixture.store.addName("with it")
        try fixture.store.edit("Delete") { try $0.delete(.item(1)) }
        try fixture.store.edit("Toggle") { try $0.toggle(.item(2)) }
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(4)))
        func isThere() throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: fixture.path)).range(of: Data(secret)) != nil
        }
        #expect(try isThere())
        let report = try UntypedStore.erase(Erasure(rows: [1]), at: fixture.path)
        #expect(report.contentCount == 1 && report.byteCount == secret.count)
        #expect(try !isThere())
        let store = try UntypedStore.open(at: fixture.path)
        let row = try #require(
            try store.snapshot(at: store.version(named: "with it")).item(at: ListIndexPath(section: 0, item: 1)))
        #expect(row.id == 1 && row.content.isErased)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }
}
