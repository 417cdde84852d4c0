// Reads chunks of the index back: dense and sparse ids, equal fingerprints, all widths; and bytes that are no chunk.

@testable import ListModel
import TestSupport
import Testing

@Suite("Index chunks")
struct IndexChunkTests {
    /// How the ids of a chunk are spread.
    enum Spread: CaseIterable {
        /// No integers: each hash is random.
        case random
        /// Integers that count up, some left out, in leaves of neighbours.
        case dense
        /// Few fingerprints, so that many ids share one.
        case shared
        /// The least and the greatest fingerprint and leaf.
        case edges

        func word(_ number: Int, _ width: Int, _ generator: inout SeededGenerator) -> UInt64 {
            let fingerprint = generator.next() >> (64 - width)
            let leaf = generator.next() >> 32
            switch self {
            case .random: return fingerprint << 32 | leaf % 5_000
            case .dense:
                let hash = IdentifierHashing(salt: 7, hasFamilies: true)
                    .hash(of: .integer(Int64(number) * 3 / 2 - 50))
                return (hash >> UInt64(64 - width)) << 32 | UInt64(number / 20)
            case .shared: return (fingerprint & 0x3F) << 32 | leaf % 3
            case .edges:
                let greatest = UInt64.max >> (64 - width)
                return [0, 1, greatest - 1, greatest, fingerprint].randomElement(using: &generator)! << 32
                    | [0, 0xFFFF_FFFF, leaf].randomElement(using: &generator)!
            }
        }

        /// Sorted entries with the same lowest bits of their fingerprints.
        func words(_ width: Int, _ generator: inout SeededGenerator) -> [UInt64] {
            let common = generator.below(12)
            let bits = generator.next() & (1 << UInt64(common) - 1)
            return (0..<1 + generator.below(200)).map { number in
                let word = word(number, width, &generator)
                let upper = (word >> UInt64(32 + common)) << UInt64(common) | bits
                return upper << 32 | word & 0xFFFF_FFFF
            }.sorted()
        }
    }

    /// A chunk as bytes, after its kind and its count.
    private func encoded(_ words: [UInt64], _ width: Int) -> [UInt8] {
        var writer = ByteWriter()
        words.withUnsafeBufferPointer { IndexChunkCoding.encode($0, width, &writer) }
        return writer.withBytes { Array($0) }
    }

    /// The same as an earlier release wrote it: the fingerprints above their common bits, each less the one before, and the leaves,
    /// all with the widths of the greatest.
    private func encodedEarlier(_ words: [UInt64]) -> [UInt8] {
        let differing = words.reduce(0) { $0 | ($1 ^ words[0]) >> 32 }
        let shift = UInt64(min(32, differing.trailingZeroBitCount))
        let lowest = words.map { $0 & 0xFFFF_FFFF }.min()!
        var previous: UInt64 = 0
        let numbers = words.map { word in
            let upper = (word >> 32) >> shift
            defer { previous = upper }
            return (delta: upper - previous, leaf: (word & 0xFFFF_FFFF) - lowest)
        }
        let deltaWidth = 64 - numbers.map(\.delta).max()!.leadingZeroBitCount
        let leafWidth = 64 - numbers.map(\.leaf).max()!.leadingZeroBitCount
        var writer = ByteWriter()
        writer.write(byte: UInt8(shift))
        writer.write(varint: (words[0] >> 32) & (1 << shift - 1))
        writer.write(varint: lowest)
        writer.write(byte: UInt8(deltaWidth))
        writer.write(byte: UInt8(leafWidth))
        var bits = BitWriter()
        for (delta, leaf) in numbers {
            bits.write(delta, deltaWidth, &writer)
            bits.write(leaf, leafWidth, &writer)
        }
        bits.finish(&writer)
        return writer.withBytes { Array($0) }
    }

    /// What is read; nil if the bytes are damaged.
    private func decoded(_ bytes: [UInt8], _ count: Int, _ width: Int, isEarlier: Bool = false) -> [UInt64]? {
        bytes.withUnsafeBytes { bytes in
            var reader = NodeReader(bytes)
            var words = [UInt64](repeating: 1, count: count)
            words.withUnsafeMutableBufferPointer {
                if isEarlier {
                    IndexChunkCoding.decodeEarlier(&reader, $0, width)
                } else {
                    IndexChunkCoding.decode(&reader, $0, width)
                }
            }
            return reader.isDamaged ? nil : words
        }
    }

    /// Entries with the same fingerprint are in any order.
    private func fingerprints(_ words: [UInt64]) -> [UInt64] { words.map { $0 >> 32 } }

    @Test("A chunk is read as it was written", arguments: Spread.allCases, [26, 30, 32])
    func roundTrip(spread: Spread, width: Int) throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            let words = spread.words(width, &generator)
            let found = try #require(decoded(encoded(words, width), words.count, width), "seed \(seed)")
            try #require(found.sorted() == words, "seed \(seed)")
            try #require(fingerprints(found) == fingerprints(words), "seed \(seed): they ascend")
            let earlier = encodedEarlier(words)
            try #require(decoded(earlier, words.count, width, isEarlier: true) == words, "seed \(seed): earlier")
        }
    }

    @Test("A chunk whose fingerprints have another width than those of the index is damaged")
    func otherWidth() {
        let words = [3 << 32 | 1, (1 << 32 - 1) << 32 | 2] as [UInt64]
        #expect(decoded(encoded(words, 32), 2, 32) == words)
        #expect(decoded(encodedEarlier(words), 2, 32, isEarlier: true) == words)
        // Less than all widths, so that only the width in the chunk tells.
        let small = [3 << 32 | 1, 5 << 32 | 2] as [UInt64]
        for width in [26, 30] {
            #expect(decoded(encoded(small, width), 2, width) == small)
            #expect(decoded(encoded(small, 32), 2, width) == nil)
            #expect(decoded(encodedEarlier(words), 2, width, isEarlier: true) == nil)
        }
    }

    @Test("Bytes that are no chunk are refused, or read as ascending fingerprints", arguments: Spread.allCases)
    func damage(spread: Spread) {
        var (readCount, refusedCount) = (0, 0)
        for seed in UInt64(0)..<2_000 {
            var generator = SeededGenerator(seed: seed)
            let width = [26, 30, 32].randomElement(using: &generator)!
            let words = spread.words(width, &generator)
            var bytes = encoded(words, width)
            for _ in 0..<1 + generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.next() >> 56) }
            if generator.oneIn(4) { bytes.removeLast(generator.below(bytes.count)) }
            guard let found = decoded(bytes, words.count, width) else {
                refusedCount += 1
                continue
            }
            readCount += 1
            #expect(fingerprints(found) == fingerprints(found).sorted(), "seed \(seed)")
        }
        #expect(readCount > 20 && refusedCount > 100, "\(readCount) read, \(refusedCount) refused")
    }

    @Test("Integers that count up take less than a byte each, other ids less than five")
    func size() {
        var generator = SeededGenerator(seed: 1)
        let hashing = IdentifierHashing(salt: 1, hasFamilies: true)
        // The members of a family are in one chunk.
        let dense = (0..<64).map { (hashing.hash(of: .integer($0)) >> 34) << 32 | UInt64(5_000 + $0 / 20) }.sorted()
        #expect(encoded(dense, 30).count < dense.count)
        // The chunk of random ids among a hundred thousand.
        let random = (0..<64).map { _ in (generator.next() >> 45) << 43 | generator.next() % 5_000 }.sorted()
        #expect(encoded(random, 30).count < 5 * random.count)
    }

    @Test("The members of a family have different hashes, whose lower bits are the same")
    func families() {
        let hashing = IdentifierHashing(salt: 5, hasFamilies: true)
        var families: Set<UInt64> = []
        for first in [0, 64, -64, .min, .max - 63, 1 << 40] as [Int64] {
            let hashes = (first...first + 63).map { hashing.hash(of: .integer($0)) }
            #expect(Set(hashes).count == 64 && Set(hashes.map { $0 << 6 }).count == 1)
            // But for where they begin, they are in the order of the ids.
            #expect(zip(hashes, hashes.dropFirst()).count { $0 > $1 } <= 1)
            families.insert(hashes[0] << 6)
        }
        #expect(families.count == 6)
    }

    @Test(
        "Fingerprints of multiples of anything are as random as others, and evenly spread",
        arguments: [1, 7, 64, 1_000, 1 << 22])
    func multiples(factor: Int64) {
        let hashing = IdentifierHashing(salt: 5, hasFamilies: true)
        var (counts, fingerprints) = ([Int](repeating: 0, count: 64), Set<UInt64>())
        var touches: Set<UInt32> = []
        let ids = (0..<200_000 as Range<Int64>).map { UntypedID.integer($0 * factor) }
        for id in ids {
            counts[Int(hashing.hash(of: id) >> 58)] += 1
            fingerprints.insert(hashing.hash(of: id) >> 34)
            touches.insert(RowOrSection.row(id).fingerprint)
        }
        // On average each of the 64 has 3,125, and 19 fingerprints of 30 bits are there twice; of families, 64 times as many at once.
        #expect(counts.allSatisfy { (2_500...3_800).contains($0) }, "\(counts)")
        #expect(fingerprints.count > ids.count - 200 && touches.count > ids.count - 200)
    }
}
