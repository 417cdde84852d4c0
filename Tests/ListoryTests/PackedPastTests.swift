// Tests the past of a long list whose commits are packed: it is reached from the checkpoints on both sides.

@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("The packed past of a long list")
struct PackedPastTests {
    private static func options(_ options: inout StoreOptions) {
        options.checkpoints.interval = 128
        options.checkpoints.maximumSpacing = 128
        options.unpackedCount = 50
        options.packing.groupCount = 256
    }

    @Test("Versions are reached by going back from the checkpoint behind them, too")
    func goingBack() throws {
        let seed = Soak.seed
        let fixture = try StoreFixture(Self.options)
        try fixture.fill(6_000)
        let store = fixture.store
        var generator = SeededGenerator(seed: seed)
        // Those of the versions from this one on.
        let first = try store.version
        var hashes = [try store.snapshot.stateHash]
        for number in 0..<1_500 {
            let place = ListIndexPath(section: 0, item: .random(in: 0..<5_000, using: &generator))
            let target = ListIndexPath(section: 0, item: .random(in: 0..<5_000, using: &generator))
            let id = try store.snapshot.sections[0].items[place.item].id
            try store.edit("Edit \(number)") { list in
                switch number % 5 {
                case 0: try list.insert(NewRow(id: .string("new \(number)"), content: [1, 2, 3]), at: .at(place))
                case 1: try list.delete(.at(place))
                case 2: try list.move(.at(place), to: .at(target))
                case 3: try list.toggle(.at(place))
                default: try list.update(id, content: [UInt8(number % 251), 7])
                }
            }
            hashes.append(try store.snapshot.stateHash)
        }
        let newest = try store.version
        try #require(newest.rawValue == first.rawValue + 1_500)
        try store.close()
        let reopened = try UntypedStore.open(at: fixture.path, options: store.options)
        let log = reopened.group.log
        let lastPacked = try log.packed.lastPacked()
        #expect(lastPacked.rawValue > first.rawValue + 1_000, "seed \(seed)")
        let checkpoints = try #require(reopened.checkpointer).database.all().map(\.version)
            .filter { $0 > first && $0 <= lastPacked }
        var ways = 0
        for (before, behind) in zip(checkpoints, checkpoints.dropFirst()) {
            for _ in 0..<4 {
                let version = Version(.random(in: before.rawValue..<behind.rawValue, using: &generator))
                var state = ListState(from: try reopened.snapshot(at: behind))
                let base = try reopened.snapshot(at: before)
                guard try log.unreplayBlocks(&state, to: version, from: base) else { continue }
                ways += 1
                #expect(state.stateHash() == hashes[Int(version.rawValue - first.rawValue)], "seed \(seed), \(version)")
            }
        }
        #expect(ways > 10, "seed \(seed)")
        for _ in 0..<300 {
            let version = Version(.random(in: first.rawValue...newest.rawValue, using: &generator))
            let hash = try reopened.snapshot(at: version).stateHash
            #expect(hash == hashes[Int(version.rawValue - first.rawValue)], "seed \(seed), \(version)")
        }
        #expect(reopened.past.reversals > 10, "seed \(seed)")
        // As a slider that is moved backwards does.
        for number in stride(from: lastPacked.rawValue, to: lastPacked.rawValue - 400, by: -3) {
            let hash = try reopened.snapshot(at: Version(number)).stateHash
            #expect(hash == hashes[Int(number - first.rawValue)], "seed \(seed), \(number)")
        }
        try reopened.close()
    }
}
