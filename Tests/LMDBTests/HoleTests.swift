// Tests giving the disk space of free pages back while a file is open.

import Foundation
import TestSupport
import Testing

@testable import LMDB

/// Whether the file system makes holes.
private let isPossible: Bool = {
    guard let folder = try? TemporaryFolder(),
        case .success(let descriptor) = Platform.create(folder.file("file"), mode: 0o600)
    else { return false }
    defer { Platform.close(descriptor) }
    return Platform.reserve(descriptor, 1 << 16) == 0 && Platform.makeHole(descriptor, 0..<1 << 16) == 0
}()

@Suite("Holes in an open file", .enabled(if: isPossible, "this file system makes no holes"))
struct HoleTests {
    let folder = try! TemporaryFolder()

    /// A version that a reader keeps, and what it has.
    private struct Kept {
        let snapshot: PinnedSnapshot
        let values: ListedValues
    }

    /// Random transactions, with readers that stand still, and holes between them.
    ///
    /// - Returns: in how many of `rounds` a reader found something else than it should have.
    private func countSpoiled(
        _ generator: inout SeededGenerator, rounds: Int, isCareless: Bool, _ change: (inout Environment.Options) -> Void
    ) throws -> Int {
        var environment = try folder.open("data", change)
        var rows = try environment.bytes()
        var values = ListedValues()
        var kept: [Kept] = []
        var spoiled = 0
        try environment.write { try $0.put(values.value(0)!, forKey: 0, in: rows) }
        for _ in 0..<rounds {
            let changes = values.change(&generator)
            try environment.write { txn in
                for (key, value) in changes {
                    if let value {
                        try txn.put(value, forKey: key, in: rows)
                    } else {
                        _ = try txn.delete(key, in: rows)
                    }
                }
            }
            if generator.oneIn(6) { kept.append(Kept(snapshot: try PinnedSnapshot(environment), values: values)) }
            if generator.oneIn(8) { kept.removeAll() }
            if generator.oneIn(2) {
                var place: FreePagePlace?
                // All at once, or one after the other, perhaps not to the end.
                let slices = generator.oneIn(2) ? 1 : Int.random(in: 1...40, using: &generator)
                for _ in 0..<slices {
                    let limit = slices == 1 ? Duration.seconds(10) : .zero
                    guard try environment.giveBackFreePages(&place, within: limit, isCareless: isCareless) else {
                        break
                    }
                }
            }
            func isWhole(_ values: ListedValues, _ read: (UInt64) throws -> [UInt8]?) -> Bool {
                (try? values.isWhole(read)) ?? false
            }
            var isSound = try environment.read { txn in isWhole(values) { try txn.get($0, in: rows) } }
            for kept in kept {
                let isKept = try kept.snapshot.read { txn in isWhole(kept.values) { try txn.get($0, in: rows) } }
                isSound = isSound && isKept
            }
            if !isSound { spoiled += 1 }
            if generator.oneIn(20) {
                kept = []
                try environment.close()
                try DataFile.check(path: folder.file(), depth: .full)
                environment = try folder.open("data", change)
                rows = try environment.bytes()
            }
        }
        kept = []
        try environment.close()
        return spoiled
    }

    @Test(
        "Readers that stand still, and all later versions, see what a model says",
        arguments: [Environment.Durability.full, .noSync], [false, true])
    func random(durability: Environment.Durability, unloads: Bool) throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        let rounds = (durability == .full ? 150 : 600) * Soak.factor
        let spoiled = try countSpoiled(&generator, rounds: rounds, isCareless: false) {
            ($0.durability, $0.unloadsPages) = (durability, unloads)
        }
        #expect(spoiled == 0, "seed \(seed)")
    }

    @Test("The control: without the rule, readers find holes")
    func careless() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        let spoiled = try countSpoiled(&generator, rounds: 200, isCareless: true) { $0.durability = .noSync }
        #expect(spoiled > 10, "seed \(seed)")
    }

    /// An environment with eight megabytes of values.
    private func fill() throws -> (Environment, Database<UInt64, [UInt8]>) {
        let environment = try folder.open()
        let rows = try environment.bytes()
        try environment.write { txn in
            for key in 0..<1_024 as Range<UInt64> {
                try txn.put([UInt8](repeating: 7, count: key % 8 == 0 ? 30_000 : 3_000), forKey: key, in: rows)
            }
        }
        return (environment, rows)
    }

    /// Deletes all but a few values, and commits until the pages may be used again.
    private func free(_ environment: Environment, _ rows: Database<UInt64, [UInt8]>) throws {
        try environment.write { txn in
            for key in 16..<1_024 as Range<UInt64> { _ = try txn.delete(key, in: rows) }
        }
        for _ in 0..<2 { try environment.write { try $0.put([1], forKey: 0, in: rows) } }
    }

    private func giveBack(_ environment: Environment) throws {
        var place: FreePagePlace?
        #expect(try !environment.giveBackFreePages(&place, within: .seconds(60)))
    }

    @Test("The disk space goes, the length stays, and the pages are used again")
    func space() throws {
        let (environment, rows) = try fill()
        try free(environment, rows)
        let length = try environment.fileSize
        #expect(Platform.diskSize(environment.path) >= length - (1 << 16))
        try giveBack(environment)
        #expect(try environment.fileSize == length)
        let used = try #require(try environment.databaseBytes())
        // The list of free pages, the meta pages, and what the last transactions have freed.
        #expect(Platform.diskSize(environment.path) <= used + 40 * (try environment.pageSize))
        try environment.write { txn in
            for key in 16..<900 as Range<UInt64> {
                try txn.put([UInt8](repeating: 8, count: 5_000), forKey: key, in: rows)
            }
        }
        #expect(try environment.fileSize == length)
        try environment.close()
        try DataFile.check(path: folder.file(), depth: .full)
    }

    @Test("While a reader of another process stands still, its pages stay; after it was killed, they go")
    func otherProcess() throws {
        let (environment, rows) = try fill()
        let before = Platform.diskSize(environment.path)
        let helper = try ChildProcess("LMDBTestHelper", ["hold-reader", environment.path])
        #expect(helper.firstLine() == "reading")
        try free(environment, rows)
        try giveBack(environment)
        #expect(Platform.diskSize(environment.path) >= before)
        helper.kill()
        try giveBack(environment)
        #expect(Platform.diskSize(environment.path) >= before, "the entry of the dead reader is still there")
        try environment.checkReaders()
        try giveBack(environment)
        #expect(Platform.diskSize(environment.path) < before / 4)
    }

    @Test("Slices without time make one hole each, and all of them what one slice with time makes")
    func slices() throws {
        let (environment, rows) = try fill()
        try free(environment, rows)
        var sizes = [Platform.diskSize(environment.path)]
        var place: FreePagePlace?
        while try environment.giveBackFreePages(&place, within: .zero) {
            let size = Platform.diskSize(environment.path)
            #expect(sizes[sizes.count - 1] - size <= 1 << 20)
            sizes.append(size)
            // Others can write meanwhile. What they free now is not given back in this round, so it ends.
            try environment.write { try $0.put([UInt8](repeating: 2, count: sizes.count), forKey: 1, in: rows) }
        }
        #expect(sizes.count > 8 && sizes[sizes.count - 1] < sizes[0] / 2)
    }

    @Test("After a call has failed, no other is made")
    func impossible() throws {
        let (environment, rows) = try fill()
        try free(environment, rows)
        let before = Platform.diskSize(environment.path)
        environment.makesHoles.store(false, ordering: .relaxed)
        try giveBack(environment)
        #expect(Platform.diskSize(environment.path) == before)
    }

    @Test("In a transaction it is refused, and without checks of the pages nothing happens")
    func refused() throws {
        let (environment, _) = try fill()
        var place: FreePagePlace?
        try environment.write { _ in
            #expect(kind { _ = try environment.giveBackFreePages(&place, within: .zero) } == .nestedWrite)
        }
        let other = try folder.open("other") { $0.gate = .off }
        #expect(try !other.giveBackFreePages(&place, within: .zero))
    }
}
