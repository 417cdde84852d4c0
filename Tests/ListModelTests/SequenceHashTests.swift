// Compares the polynomial hash with the same arithmetic in 128 bits.

@testable import ListModel
import TestSupport
import Testing

@Suite("Sequence hash")
struct SequenceHashTests {
    private static let modulus = UInt128(SequenceHash.modulus)

    /// Words at the edges of the ranges, and some between.
    private static let words: [UInt64] = {
        let modulus = SequenceHash.modulus
        let edges: [UInt64] = [
            0, 1, 2, 7, 8, modulus - 2, modulus - 1, modulus, modulus + 1, 2 * modulus - 1, 2 * modulus, 1 << 61,
            1 << 63, 7 * modulus, 8 * modulus, .max - 1, .max,
        ]
        var generator = SeededGenerator(seed: 1)
        return edges + (0..<24).map { _ in generator.next() }
    }()

    private static let residues = words.map { $0 % SequenceHash.modulus } + [SequenceHash.modulus - 1]

    /// The definition: Σ hᵢ · Bⁿ⁻¹⁻ⁱ.
    private static func naiveHash(_ hashes: some Sequence<UInt64>) -> UInt64 {
        UInt64(hashes.reduce(0 as UInt128) { ($0 * UInt128(SequenceHash.base) + UInt128($1)) % modulus })
    }

    /// By squaring, in 128 bits.
    private static func naivePower(_ exponent: Int) -> UInt64 {
        if exponent == 0 { return 1 }
        let half = UInt128(naivePower(exponent / 2))
        return UInt64(half * half % modulus * (exponent % 2 == 1 ? UInt128(SequenceHash.base) : 1) % modulus)
    }

    @Test("The base and the modulus are those of the file format")
    func constants() {
        #expect(SequenceHash.modulus == 0x1FFF_FFFF_FFFF_FFFF)
        #expect(SequenceHash.base == 0x1A2B_3C4D_5E6F_7081)
        #expect(SequenceHash.base < SequenceHash.modulus)
        #expect(HashSeed.checkmark < SequenceHash.modulus)
        #expect(SequenceHash.unsealed >= SequenceHash.modulus)
    }

    @Test("Sums, differences and products of residues equal those in 128 bits")
    func arithmetic() {
        for left in Self.residues {
            for right in Self.residues {
                let comment: Comment = "\(left), \(right)"
                let (a, b) = (UInt128(left), UInt128(right))
                #expect(UInt128(SequenceHash.multiply(left, right)) == a * b % Self.modulus, comment)
                #expect(UInt128(SequenceHash.add(left, right)) == (a + b) % Self.modulus, comment)
                #expect(
                    UInt128(SequenceHash.subtract(left, right)) == (a + Self.modulus - b) % Self.modulus, comment)
            }
        }
    }

    @Test("Any word is reduced to its residue, the modulus to zero")
    func residue() {
        for word in Self.words { #expect(SequenceHash.residue(word) == word % SequenceHash.modulus) }
        #expect(SequenceHash.residue(SequenceHash.modulus) == 0)
        #expect(SequenceHash.residue(.max) == 7)
    }

    @Test("A sum of any number of products equals that in 128 bits, even of the largest")
    func sums() {
        var generator = SeededGenerator(seed: 2)
        for largest in [true, false] {
            var sum = SequenceHash.Sum()
            var expected: UInt128 = 0
            #expect(sum.value == 0)
            for term in 0..<300 {
                let hash = largest ? SequenceHash.modulus - 1 : Self.residues.randomElement(using: &generator)!
                let exponent = largest ? term : Int.random(in: 0..<5_000, using: &generator)
                sum.add(hash, exponent: exponent)
                expected = (expected + UInt128(hash) * UInt128(Self.naivePower(exponent))) % Self.modulus
                #expect(UInt128(sum.value) == expected, "\(term + 1) terms")
            }
        }
    }

    @Test("Powers equal repeated products, in the tables, at their edges and beyond them")
    func powers() {
        var exponents = Array(0...300) + [1_023 << 10, 1_023 << 20, (1 << 30) - 1_024, .max]
        for edge in [1_024, 1 << 20, 1 << 30, 1 << 40] {
            exponents += [edge - 1, edge, edge + 1, 3 * edge - 1, 3 * edge]
        }
        for exponent in exponents {
            #expect(SequenceHash.power(exponent) == Self.naivePower(exponent), "\(exponent)")
            #expect(SequenceHash.slowPower(exponent) == Self.naivePower(exponent), "\(exponent)")
        }
        let product = (0..<2_050).reduce(1 as UInt128) { power, _ in power * UInt128(SequenceHash.base) % Self.modulus }
        #expect(UInt128(SequenceHash.power(2_050)) == product)
    }

    @Test("The hashes of two parts give the hash of the whole", arguments: 1...20 as ClosedRange<UInt64>)
    func composition(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let hashes = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
            generator.oneIn(5) ? SequenceHash.modulus - 1 : generator.next() % SequenceHash.modulus
        }
        let whole = Self.naiveHash(hashes)
        for middle in 0...hashes.count {
            let left = Self.naiveHash(hashes[..<middle])
            let right = Self.naiveHash(hashes[middle...])
            let shifted = SequenceHash.multiply(left, SequenceHash.power(hashes.count - middle))
            #expect(SequenceHash.add(shifted, right) == whole, "seed \(seed), middle \(middle)")
        }
    }

    @Test("A tree of any width has the polynomial of its rows", arguments: [4, 5, 31, 32, 33, 64, 65, 100, 300])
    func treeHash(width: Int) {
        var generator = SeededGenerator(seed: UInt64(width))
        for count in [0, 1, 2, 31, 32, 33, 64, 65, 150, 301] {
            let store = NodePool(limits: TreeLimits(leafCapacity: width, innerCapacity: width))
            var locator = Locator<UntypedRow>(store)
            let items = (0..<count).map { index in
                UntypedRow(
                    id: .integer(Int64(index)), isChecked: generator.oneIn(2),
                    content: ContentReference(
                        version: Version(1), offset: 0, length: 1, hash: generator.next() % SequenceHash.modulus))
            }
            var tree = PersistentTree(items, store, owner: 0, &locator)
            tree.seal()
            #expect(tree.hash == Self.naiveHash(items.map(\.hash)), "\(count) rows, width \(width)")
        }
    }
}
