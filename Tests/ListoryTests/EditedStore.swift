// A store with random edits, and a reference with its rows at any version.

import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

/// A store, and its rows at each version.
struct EditedStore: ~Copyable {
    let folder: TemporaryFolder
    let path: String
    var store: UntypedStore
    var edits: RandomEdits
    /// The rows of every version.
    var versions = [ReferenceList()]

    init(
        seed: UInt64, targetCount: Int = 60, _ change: (inout StoreOptions) -> Void = CheckpointTests.eager
    ) throws {
        let fixture = try StoreFixture(change)
        folder = fixture.folder
        path = fixture.path
        store = fixture.store
        edits = RandomEdits(seed: seed, targetCount: targetCount)
    }

    /// Makes commits.
    mutating func edit(_ count: Int) throws {
        var made = 0
        while made < count {
            let operation = edits.next(versions.last!)
            var next = versions.last!
            guard (try? next.apply(operation)) != nil else { continue }
            guard try store.edit("Edit", { try $0.apply(operation) }) != nil else { continue }
            versions.append(next)
            made += 1
        }
    }

    /// Opens the store again with the same options, changed by `change`.
    mutating func reopen(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        if (try? store.version) != nil { try store.close() }
        var options = store.options
        change(&options)
        store = try UntypedStore.open(at: path, options: options)
    }

    /// Checks that the newest rows are those of the reference, and that each is found by its id.
    func checkRows(_ comment: Comment) throws {
        let source = GroupSource(base: store.source)
        try #require(try ReferenceList(store.snapshot, source) == versions.last!, comment)
        for path in versions.last!.paths {
            try #require(try store.indexPath(of: versions.last!.item(at: path).id) == path, comment)
        }
    }

    /// A random version, not older than one.
    mutating func randomVersion(from oldest: Version = .empty) -> Version {
        Version(UInt64.random(in: oldest.rawValue..<UInt64(versions.count), using: &edits.generator))
    }

    /// Checks random versions, and the changesets between them.
    mutating func checkPast(_ count: Int, from oldest: Version = .empty, _ comment: Comment) throws {
        let source = GroupSource(base: store.source)
        for _ in 0..<count {
            let (from, to) = (randomVersion(from: oldest), randomVersion(from: oldest))
            let (old, new) = (versions[Int(from.rawValue)], versions[Int(to.rawValue)])
            try #require(try ReferenceList(store.snapshot(at: from), source) == old, comment)
            let changes = try store.changeset(from: from, to: to)
            try #require(changes.applied(to: old, giving: new) == new, comment)
        }
    }
}
