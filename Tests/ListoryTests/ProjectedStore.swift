// A store with random commits and three projections, and the values that these must have at every version.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

/// A store with projections.
struct ProjectedStore: ~Copyable {
    let folder: TemporaryFolder
    var path: String
    var store: UntypedStore
    var edits: RandomEdits
    /// The expected rows.
    var rows = ReferenceList()
    /// The expected counts of edits.
    var edited = EditsPerDay()
    private var clock: Int64 = 1_700_000_000_000_000

    init(seed: UInt64) throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        folder = fixture.folder
        path = fixture.path
        store = fixture.store
        edits = RandomEdits(seed: seed, targetCount: 30)
    }

    /// Makes one commit: an edit, an undo or a redo.
    mutating func commit() throws {
        let history = try store.history
        clock += Int64.random(in: 0...20_000_000_000, using: &edits.generator)
        let time = Timestamp(microseconds: clock)
        let origin = ["", "phone", "sync"].randomElement(using: &edits.generator)!
        var made: Commit?
        switch Int.random(in: 0..<8, using: &edits.generator) {
        case 0 where history.undoCount > 0: made = try store.undo(origin: origin).commit
        case 1 where history.redoCount > 0: made = try store.redo(origin: origin).commit
        default:
            let operation = edits.next(rows)
            let isAnnotated = edits.generator.oneIn(4)
            made = try? store.edit("Edit", origin: origin, time: time) { list in
                if isAnnotated { list.annotate("note", with: [1]) }
                try list.apply(operation)
            }
        }
        guard let made else { return }
        edited.note(made.origin, made.time)
        rows = try ReferenceList(store.snapshot, GroupSource(base: store.source))
    }

    /// Opens the store again.
    mutating func reopen(isCrash: Bool = false) throws {
        let options = store.options
        if isCrash {
            // A crash leaves the file as it is, without the writes of closing.
            try store.waitUntilDurable()
            let copy = folder.file("crashed-\(UInt64.random(in: 0...(.max), using: &edits.generator))")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try store.close()
            path = copy
        } else {
            try store.close()
        }
        store = try UntypedStore.open(at: path, options: options)
    }

    /// Checks the values of the projections.
    func check(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try #require(
            try store.projection(SectionCounts.self).value == SectionCounts(of: rows), comment,
            sourceLocation: sourceLocation)
        try #require(
            try store.projection(WordIndex.self).value == WordIndex(of: rows), comment, sourceLocation: sourceLocation)
        try #require(
            try store.projection(EditsPerDay.self).value.counts == edited.counts, comment,
            sourceLocation: sourceLocation)
    }

    /// The version of a projection's stored state; nil if there is none that can be used.
    func storedVersion(_ name: String) throws -> Version? { try store.storedProjection(name)?.version }

    /// Changes the row of a projection in the file of a closed store.
    static func changeRow(_ path: String, _ name: String, _ change: (inout [UInt8]) -> Void) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        let rows = try environment.openDatabase(named: "projections", of: String.self, [UInt8].self)
        var row = try #require(try environment.read { try $0.get(name, in: rows) })
        change(&row)
        let changed = row
        try environment.write { try $0.put(changed, forKey: name, in: rows) }
    }
}
