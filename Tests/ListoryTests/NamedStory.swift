// A store with random edits and names of versions, and what it has to show: its rows at each version, in arrays.

import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

/// Reads erased contents as if they were empty.
private struct ErasedAsEmpty: CommitSource {
    let base: any CommitSource

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try base.readRecord(of: version, body)
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        do { try base.readContent(of: reference, body) } catch ListError.erasedContent {
            try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

extension ReferenceList {
    /// The rows, some of them without their contents.
    fileprivate func without(_ ids: Set<UntypedID>) -> ReferenceList {
        var list = self
        for section in list.sections.indices {
            for item in list.sections[section].items.indices where ids.contains(list.sections[section].items[item].id) {
                list.sections[section].items[item].content = []
            }
        }
        return list
    }
}

/// A store, and a naive model of its past and its names.
struct NamedStory: ~Copyable {
    let folder: TemporaryFolder
    let path: String
    let seed: UInt64
    var store: UntypedStore
    var edits: RandomEdits
    /// The rows of every version, and their hashes.
    var versions = [ReferenceList()]
    var hashes = [UntypedSnapshot.empty.stateHash]
    var names: [String: Version] = [:]
    /// The rows of which contents were erased.
    var erased: Set<UntypedID> = []
    /// The versions before the log whose last name was taken away, but whose rows are not dropped yet.
    var lingering: Set<Version> = []
    /// A successor: the version that its log begins with, and the versions before it that it has.
    var successor: (base: Version, kept: Set<Version>)?

    init(seed: UInt64) throws {
        let fixture = try StoreFixture(seed % 2 == 0 ? CheckpointTests.eager : CheckpointTests.packing)
        (folder, path, store, self.seed) = (fixture.folder, fixture.path, fixture.store, seed)
        edits = RandomEdits(seed: seed, targetCount: 25)
    }

    func rows(_ snapshot: UntypedSnapshot) throws -> ReferenceList {
        try ReferenceList(snapshot, ErasedAsEmpty(base: store.source))
    }

    mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &edits.generator) }

    /// Notes the rows of the newest version, if there is a new one.
    mutating func note() throws {
        guard try Int(store.version.rawValue) == versions.count else { return }
        versions.append(try rows(store.snapshot))
        hashes.append(try store.snapshot.stateHash)
    }

    mutating func edit(_ count: Int) throws {
        for _ in 0..<count {
            let history = try store.history
            switch random(0...9) {
            case 0 where history.undoCount > 0: try store.undo(onConflict: .skip)
            case 1 where history.redoCount > 0: try store.redo(onConflict: .skip)
            case 2 where !names.isEmpty && edits.generator.oneIn(3):
                // Also of versions whose commits were dropped.
                let version = names.values.sorted().randomElement(using: &edits.generator)!
                if try store.restore(version) != nil {
                    let wanted = versions[Int(version.rawValue)].without(erased)
                    try #require(try rows(store.snapshot).without(erased) == wanted, "seed \(seed)")
                }
            default:
                let operation = edits.next(versions.last!)
                _ = try? store.edit("Edit") { try $0.apply(operation) }
            }
            try note()
        }
    }

    // MARK: Names

    /// Gives, changes or takes away a name.
    mutating func name(_ comment: Comment) throws {
        guard versions.count > 1 else { return }
        let name = ["a", "b", "1.0", "größer", "name:x", "\u{0}\n", String(repeating: "l", count: 255)][random(0...6)]
        let other = "other \(random(0...3))"
        switch random(0...9) {
        case 0, 1:
            let known = names.removeValue(forKey: name)
            if let known { leave(known) }
            try check(known == nil ? .unknownName(name) : nil, comment) { try store.removeName(name) }
        case 2:
            let (known, taken) = (names[name], names[other])
            let error: ListError? =
                known == nil ? .unknownName(name) : taken.map { .duplicateName(other, of: $0) }
            if error == nil { (names[name], names[other]) = (nil, known) }
            try check(error, comment) { try store.changeName(name, to: other) }
        default:
            let oldest = max(1, Int(store.oldestVersion.rawValue))
            var version: Version? = Version(UInt64(random(oldest...versions.count - 1)))
            if edits.generator.oneIn(4) { version = nil }
            if edits.generator.oneIn(4) { version = Version(UInt64(random(1...versions.count - 1))) }
            let meant = version ?? Version(UInt64(versions.count - 1))
            var error: ListError?
            if !isReadable(meant) {
                error = .droppedVersion(meant, oldest: store.oldestVersion)
            } else if let taken = names[name] {
                error = .duplicateName(name, of: taken)
            } else {
                names[name] = meant
                lingering.remove(meant)
            }
            try check(error, comment) {
                let named = try store.addName(name, to: version)
                try #require(named.version == meant && named.stateHash == hashes[Int(meant.rawValue)], comment)
            }
        }
    }

    private func check(_ expected: ListError?, _ comment: Comment, _ body: () throws -> Void) throws {
        guard let expected else { return try body() }
        #expect(throws: expected, comment) { try body() }
    }

    /// A name of a version was taken away.
    private mutating func leave(_ version: Version) {
        if version < store.oldestVersion && !names.values.contains(version) { lingering.insert(version) }
    }

    func isReadable(_ version: Version) -> Bool {
        version >= store.oldestVersion || names.values.contains(version) || lingering.contains(version)
    }

    // MARK: Rewriting

    /// Opens the store again, compacts it, erases rows, writes a successor, or does nothing.
    mutating func rewrite(_ comment: Comment) throws {
        switch random(0...7) {
        case 0, 1: try reopen(comment)
        case 2:
            // A successor takes the place first.
            try reopen(comment)
            let oldest = Int(store.oldestVersion.rawValue)
            var compaction = Compaction()
            if !edits.generator.oneIn(3) {
                compaction.kept = .from(Version(UInt64(random(oldest...versions.count - 1))))
            }
            compaction.isPacked = edits.generator.oneIn(2)
            (compaction.unpackedCount, compaction.checkpointSpacing) = (random(0...30), random(5...60))
            try closed { try UntypedStore.compact(at: $0, compaction, options: $1) }
        case 3:
            try reopen(comment)
            let rows = versions.randomElement(using: &edits.generator)!.sections.flatMap(\.items)
            let ids = Set((0...random(0...2)).compactMap { _ in rows.randomElement(using: &edits.generator)?.id })
            try closed { try UntypedStore.erase(Erasure(rows: ids), at: $0, options: $1) }
            erased.formUnion(ids)
            versions = versions.map { $0.without(ids) }
            try note()
        case 4, 5:
            try store.waitUntilDurable()
            let kept = Retention(steps: random(0...20))
            let base = try store.oldestVersion(keptBy: kept)
            let isWritten = try store.trim(kept, atLeast: 1)
            // One that lacks what is to be kept now is removed.
            if let successor, base < successor.base { self.successor = nil }
            if isWritten { successor = (base, Set(names.values.filter { $0 < base })) }
        default: break
        }
    }

    private mutating func closed(_ work: (String, StoreOptions) throws -> Void) throws {
        try store.close()
        try work(path, store.options)
        store = try UntypedStore.open(at: path, options: store.options)
        lingering = []
    }

    mutating func reopen(_ comment: Comment) throws {
        let oldest = store.oldestVersion
        try store.close()
        store = try UntypedStore.open(at: path, options: store.options)
        guard let successor else { return try #require(store.oldestVersion == oldest, comment) }
        // Versions that were named later must be in it.
        let isWhole = names.values.allSatisfy { $0 >= successor.base || successor.kept.contains($0) }
        try #require(store.oldestVersion == (isWhole ? successor.base : oldest), comment)
        if isWhole { lingering = successor.kept.subtracting(names.values) }
        self.successor = nil
    }

    // MARK: Comparison

    /// Compares names, and the rows of versions, with the model.
    mutating func check(_ comment: Comment) throws {
        let found = try store.namedVersions
        let expected = names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        try #require(found.map(\.name) == expected.map(\.key) && found.map(\.version) == expected.map(\.value), comment)
        for (name, version) in names { try #require(try store.version(named: name) == version, comment) }
        let newest = Version(UInt64(versions.count - 1))
        var wanted = names.values.sorted()
        for _ in 0..<6 { wanted.append(Version(UInt64(random(0...versions.count - 1)))) }
        for version in wanted {
            let number = Int(version.rawValue)
            guard isReadable(version) else {
                #expect(throws: ListError.droppedVersion(version, oldest: store.oldestVersion), comment) {
                    try store.snapshot(at: version)
                }
                continue
            }
            let snapshot = try store.snapshot(at: version)
            try #require(snapshot.version == version && snapshot.stateHash == hashes[number], comment)
            try #require(try rows(snapshot) == versions[number], comment)
            let changes = try store.changeset(from: version, to: newest)
            // A content that is equal to an erased one is no difference.
            let applied = changes.applied(to: versions[number], giving: versions.last!)
            try #require(applied.without(erased) == versions.last!.without(erased), comment)
        }
    }
}
