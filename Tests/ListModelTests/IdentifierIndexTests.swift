// The open-addressing table against a dictionary: collisions, clusters over the end of the table, growth, removal.

@testable import ListModel
import TestSupport
import Testing

@Suite("Identifier index")
struct IdentifierIndexTests {
    /// What the table should hold: for each fingerprint (the upper half of a hash) its leaves, with repetitions.
    private struct Model {
        var leaves: [UInt64: [UInt32]] = [:]
        var entries: [(hash: UInt64, leaf: UInt32)] = []

        mutating func insert(_ hash: UInt64, _ leaf: UInt32) {
            leaves[hash >> 32, default: []].append(leaf)
            entries.append((hash, leaf))
        }

        mutating func remove(at index: Int) -> (hash: UInt64, leaf: UInt32) {
            let entry = entries.remove(at: index)
            let position = leaves[entry.hash >> 32]!.firstIndex(of: entry.leaf)!
            leaves[entry.hash >> 32]!.remove(at: position)
            return entry
        }
    }

    /// The leaves that the table offers for a hash, in ascending order.
    private func leaves(_ hash: UInt64, in index: borrowing IdentifierIndex) -> [UInt32] {
        var found: [UInt32] = []
        _ = index.firstLeaf(hash: hash) { leaf in
            found.append(leaf)
            return false
        }
        return found.sorted()
    }

    private func expectEqual(_ index: borrowing IdentifierIndex, _ model: Model, _ comment: Comment) throws {
        try #require(index.count == model.entries.count, comment)
        for (fingerprint, expected) in model.leaves {
            try #require(leaves(fingerprint << 32, in: index) == expected.sorted(), comment)
        }
    }

    /// The kinds of hashes that the random test draws: spread out, colliding whole, one cluster, the end of the table.
    enum Hashes: CaseIterable {
        case spread, fewFingerprints, oneHome, endOfTable

        func next(_ generator: inout SeededGenerator) -> UInt64 {
            let low = generator.next() & 0xFFFF_FFFF
            switch self {
            case .spread: return generator.next()
            case .fewFingerprints: return UInt64.random(in: 0..<6, using: &generator) << 61 | low
            // The upper bits are the home slot: equal ones make one long cluster.
            case .oneHome: return 0x7777_0000_0000_0000 | UInt64.random(in: 0..<64, using: &generator) << 32 | low
            case .endOfTable: return .max << 40 | UInt64.random(in: 0..<256, using: &generator) << 32 | low
            }
        }
    }

    @Test("The table holds what a dictionary holds", arguments: Hashes.allCases, 1...6 as ClosedRange<UInt64>)
    func randomEdits(hashes: Hashes, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var index = IdentifierIndex()
        var model = Model()
        let target = [10, 60, 300][Int(seed % 3)]
        for step in 0..<1_200 {
            let isCrowded = model.entries.count > target
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<(isCrowded ? 2 : 5):
                let (hash, leaf) = (hashes.next(&generator), UInt32.random(in: 0..<50, using: &generator))
                index.insert(hash: hash, leaf: leaf)
                model.insert(hash, leaf)
            case ..<7 where !model.entries.isEmpty:
                let old = model.remove(at: Int.random(in: 0..<model.entries.count, using: &generator))
                let new = UInt32.random(in: 0..<50, using: &generator)
                index.relocate(hash: old.hash, from: old.leaf, to: new)
                model.insert(old.hash, new)
            default:
                guard !model.entries.isEmpty else { continue }
                let old = model.remove(at: Int.random(in: 0..<model.entries.count, using: &generator))
                index.remove(hash: old.hash, leaf: old.leaf)
            }
            if step % 10 == 0 { try expectEqual(index, model, "\(hashes), seed \(seed), step \(step)") }
        }
        while !model.entries.isEmpty {
            let old = model.remove(at: Int.random(in: 0..<model.entries.count, using: &generator))
            index.remove(hash: old.hash, leaf: old.leaf)
            try expectEqual(index, model, "\(hashes), seed \(seed), emptying")
        }
        #expect(index.count == 0)
    }

    @Test("A cluster that wraps around the end survives the removal of any of its entries")
    func wrapAround() throws {
        // A new table has 16 slots; the upper four bits of a hash are the home. Twelve entries fit before it grows.
        let homes: [UInt64] = [14, 14, 15, 15, 15, 0, 0, 1, 2, 14, 5]
        for removed in homes.indices {
            for second in homes.indices where second != removed {
                var index = IdentifierIndex()
                var model = Model()
                for (number, home) in homes.enumerated() {
                    let hash = home << 60 | UInt64(number) << 32
                    index.insert(hash: hash, leaf: UInt32(number))
                    model.insert(hash, UInt32(number))
                }
                for number in [removed, second] {
                    let position = try #require(model.entries.firstIndex { $0.leaf == UInt32(number) })
                    let entry = model.remove(at: position)
                    index.remove(hash: entry.hash, leaf: entry.leaf)
                    try expectEqual(index, model, "without \(removed), then \(second)")
                }
            }
        }
    }

    @Test("The lower half of a hash does not count, and the leaf decides")
    func fingerprints() {
        var index = IdentifierIndex()
        index.insert(hash: 0xABCD_0000_0000_0001, leaf: 3)
        index.insert(hash: 0xABCD_0000_0000_0002, leaf: 4)
        #expect(index.firstLeaf(hash: 0xABCD_0000_FFFF_FFFF) { $0 == 4 } == 4)
        #expect(index.firstLeaf(hash: 0xABCD_0000_FFFF_FFFF) { $0 == 5 } == nil)
        #expect(index.firstLeaf(hash: 0xABCD_0001_0000_0000) { _ in true } == nil)
        index.relocate(hash: 0xABCD_0000_0000_0001, from: 3, to: 5)
        #expect(leaves(0xABCD_0000_0000_0000, in: index) == [4, 5])
    }

    @Test("A fingerprint of zero in leaf zero is an entry and not an empty slot")
    func zero() {
        var index = IdentifierIndex()
        index.insert(hash: 0, leaf: 0)
        #expect(index.firstLeaf(hash: 0) { _ in true } == 0)
        index.remove(hash: 0, leaf: 0)
        #expect(index.firstLeaf(hash: 0) { _ in true } == nil)
    }

    @Test("Reserving room and removing everything keep the table right")
    func reserveAndRemoveAll() throws {
        var index = IdentifierIndex()
        var model = Model()
        index.reserve(5_000)
        for number in 0..<5_000 as Range<UInt32> {
            let hash = Identifier.integer(Int64(number)).hash64
            index.insert(hash: hash, leaf: number)
            model.insert(hash, number)
        }
        try expectEqual(index, model, "after reserving")
        index.removeAll()
        #expect(index.count == 0)
        #expect(index.firstLeaf(hash: Identifier.integer(3).hash64) { _ in true } == nil)
        index.insert(hash: Identifier.integer(3).hash64, leaf: 9)
        #expect(index.firstLeaf(hash: Identifier.integer(3).hash64) { _ in true } == 9)
    }
}
