// Compares the index with a dictionary: collisions, chunks of one fingerprint, growth chunk by chunk, removal, building
// at once.

import Foundation
@testable import ListModel
import TestSupport
import Testing

extension IdentifierIndex {
    fileprivate mutating func insert(_ hashes: [UInt64], leaf: UInt32) {
        hashes.withUnsafeBufferPointer { insert($0, leaf: leaf) }
    }
}

@Suite("Identifier index")
struct IdentifierIndexTests {
    /// The expected entries: for each fingerprint (the upper bits of a hash) its leaves, with repetitions.
    private struct Model {
        var bits: Int = 30
        var leaves: [UInt64: [UInt32]] = [:]
        var entries: [(hash: UInt64, leaf: UInt32)] = []

        mutating func insert(_ hash: UInt64, _ leaf: UInt32) {
            leaves[hash >> (64 - bits), default: []].append(leaf)
            entries.append((hash, leaf))
        }

        mutating func remove(at index: Int) -> (hash: UInt64, leaf: UInt32) {
            let entry = entries.remove(at: index)
            let position = leaves[entry.hash >> (64 - bits)]!.firstIndex(of: entry.leaf)!
            leaves[entry.hash >> (64 - bits)]!.remove(at: position)
            return entry
        }
    }

    /// The leaves that the table has for a hash, in ascending order.
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
            try #require(leaves(fingerprint << (64 - model.bits), in: index) == expected.sorted(), comment)
        }
    }

    /// The kinds of hashes in the random test: spread out, equal, near each other, at the end of a chunk.
    enum Hashes: CaseIterable {
        case spread, fewFingerprints, oneHome, endOfTable

        func next(_ generator: inout SeededGenerator, bits: Int) -> UInt64 {
            let low = generator.next() >> bits
            // Behind the fingerprint there are so many bits.
            let rest = 64 - bits
            switch self {
            case .spread: return generator.next()
            case .fewFingerprints: return UInt64.random(in: 0..<6, using: &generator) << 61 | low
            case .oneHome: return 0x7700_0000_0000_0000 | UInt64.random(in: 0..<64, using: &generator) << rest | low
            case .endOfTable: return .max << (rest + 8) | UInt64.random(in: 0..<256, using: &generator) << rest | low
            }
        }
    }

    @Test("The table has the entries of a dictionary", arguments: Hashes.allCases, 1...9 as ClosedRange<UInt64>)
    func randomEdits(hashes: Hashes, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var limits = TreeLimits()
        limits.fingerprintBits = [26, 30, 32][Int((seed - 1) / 3)]
        var index = IdentifierIndex(NodePool(limits: limits))
        var model = Model(bits: limits.fingerprintBits)
        let target = [10, 60, 300][Int(seed % 3)]
        for step in 0..<1_200 {
            let isCrowded = model.entries.count > target
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<(isCrowded ? 2 : 5):
                let leaf = UInt32.random(in: 0..<50, using: &generator)
                let count = step % 5 == 0 ? Int.random(in: 0..<20, using: &generator) : 1
                let inserted = (0..<count).map { _ in hashes.next(&generator, bits: model.bits) }
                index.insert(inserted, leaf: leaf)
                for hash in inserted { model.insert(hash, leaf) }
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

    @Test("Building an index at once is the same as adding its entries", arguments: [0, 1, 127, 128, 129, 5_000])
    func building(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        var index = IdentifierIndex(NodePool(limits: TreeLimits()))
        var model = Model()
        for number in 0..<count { model.insert(generator.next(), UInt32(number)) }
        var entries: [UInt64] = []
        for (hash, leaf) in model.entries { entries.append(index.entry(hash, leaf)) }
        index.build(entries)
        try expectEqual(index, model, "built at once")
        for number in 0..<300 {
            let hash = generator.next()
            index.insert([hash], leaf: UInt32(number))
            model.insert(hash, UInt32(number))
        }
        while model.entries.count > count / 2 {
            let old = model.remove(at: Int.random(in: 0..<model.entries.count, using: &generator))
            index.remove(hash: old.hash, leaf: old.leaf)
        }
        try expectEqual(index, model, "edited afterwards")
    }

    @Test("The lower bits of a hash are ignored, and the id is compared in the leaf")
    func fingerprints() {
        var index = IdentifierIndex(NodePool(limits: TreeLimits()))
        index.insert([0xABCD_0000_0000_0001], leaf: 3)
        index.insert([0xABCD_0000_0000_0002], leaf: 4)
        #expect(index.firstLeaf(hash: 0xABCD_0000_FFFF_FFFF) { $0 == 4 } == 4)
        #expect(index.firstLeaf(hash: 0xABCD_0000_FFFF_FFFF) { $0 == 5 } == nil)
        #expect(index.firstLeaf(hash: 0xABCD_0100_0000_0000) { _ in true } == nil)
        index.relocate(hash: 0xABCD_0000_0000_0001, from: 3, to: 5)
        #expect(leaves(0xABCD_0000_0000_0000, in: index) == [4, 5])
    }

    @Test("A fingerprint of zero in leaf zero is an entry and not an empty slot")
    func zero() {
        var index = IdentifierIndex(NodePool(limits: TreeLimits()))
        index.insert([0], leaf: 0)
        #expect(index.firstLeaf(hash: 0) { _ in true } == 0)
        index.remove(hash: 0, leaf: 0)
        #expect(index.firstLeaf(hash: 0) { _ in true } == nil)
    }

    @Test("The index grows chunk by chunk, and every entry is found at every size")
    func growth() throws {
        var index = IdentifierIndex(NodePool(limits: TreeLimits()))
        var model = Model()
        for number in 0..<5_000 as Range<UInt32> {
            let hash = UntypedID.integer(Int64(number)).hash64
            index.insert([hash], leaf: number)
            model.insert(hash, number)
            if number % 97 == 0 { try expectEqual(index, model, "\(number) entries") }
        }
        try expectEqual(index, model, "at the end")
    }

    @Test("With a salt, ids that were chosen for their hashes are spread like others")
    func chosenIDs() throws {
        let count = 3_000
        let integers = (0..<UInt64(count)).map { UntypedID.integer(ChosenHashes.integer(0x1234_5678 << 32 | $0)) }
        let uuids = (0..<UInt64(count)).map { UntypedID.uuid(ChosenHashes.uuid($0, hash: 0x1234_5678_9ABC_DEF0)) }
        // The chosen ids do collide.
        #expect(Set(integers.map { $0.hash64 >> 34 }).count == 1)
        #expect(Set(uuids.map(\.hash64)).count == 1 && Set(uuids).count == count)
        for ids in [integers, uuids] {
            for salt in [nil, 0] as [UInt64?] {
                var limits = TreeLimits()
                // The control: the integers were chosen for an index without families.
                limits.hasFamilies = salt != 0
                var state = ListState(NodePool(limits: limits, salt: salt))
                let rows = ids.map {
                    UntypedRow(
                        id: $0, isChecked: false,
                        content: ContentReference(version: Version(1), offset: 0, length: 0, hash: 1))
                }
                try state.apply(.sectionInserted(at: 0, ListSection(id: 1, title: "", items: Array(rows.dropLast()))))
                try state.apply(.itemsInserted(at: ListIndexPath(0, 0), .one(rows.last!)))
                var most = 0
                for id in ids.prefix(50) {
                    var candidates = 0
                    _ = state.itemLocator.index.firstLeaf(hash: state.itemLocator.hash(of: id)) { _ in
                        candidates += 1
                        return false
                    }
                    most = max(most, candidates)
                    try #require(candidates > 0)
                }
                #expect(salt == 0 ? most == count : most < 5, "\(most) leaves to look into")
            }
        }
    }
}
