// Compares XXH64 with results of the reference implementation (the C library, through the Python package xxhash).

@testable import ListModel
import TestSupport
import Testing

@Suite("XXH64")
struct XXHash64Tests {
    /// Bytes without a simple period in a stripe: 3, 10, 17, … modulo 256.
    static let pattern: [UInt8] = (0..<101).map { UInt8(($0 * 7 + 3) % 256) }

    private static func hash(_ bytes: some Sequence<UInt8>, seed: UInt64) -> UInt64 {
        Array(bytes).withUnsafeBytes { XXHash64.hash($0, seed: seed) }
    }

    @Test(
        "The published vectors have the published hashes",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func publishedVectors(text: String, expected: UInt64) {
        #expect(Self.hash(text.utf8, seed: 0) == expected)
    }

    @Test(
        "Inputs with every kind of rest are right: bytes, a half word, words, stripes",
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (1, 0, 0x1F25_C8D0_BC1F_4BB6), (3, 0, 0x31D2_363F_52E5_64C9),
            (4, 0, 0x9BB6_4B7D_66EE_9FDA), (7, 0, 0x9A7B_1499_59CE_60D8), (8, 0, 0xDAB9_9D95_C6F9_0092),
            (15, 0, 0x1B47_CB82_43CC_8E32), (31, 0, 0xA2AA_5F33_CC4A_6119), (32, 0, 0x23C3_C17E_F790_FD97),
            (33, 0, 0x50A7_CFC7_BA58_8784), (64, 0, 0x0EB6_4B3E_F6EE_B01F), (100, 0, 0xA61F_8D4C_170F_E531),
            (0, 1, 0xD5AF_BA13_36A3_BE4B), (12, 1, 0x3785_1F0D_89D2_3966), (39, 1, 0x0997_49B2_76E4_93A2),
            (63, 1, 0xB1AB_B4A5_AD0E_2943), (65, 1, 0x6153_DC23_FC8B_EBD8),
            (16, 0x9E37_79B1_85EB_CA87, 0x1537_847D_3B6D_0609), (100, 0x9E37_79B1_85EB_CA87, 0x9869_D9EF_8505_1BE9),
        ] as [(Int, UInt64, UInt64)])
    func tails(length: Int, seed: UInt64, expected: UInt64) {
        #expect(Self.hash(Self.pattern[..<length], seed: seed) == expected)
    }

    @Test(
        "All lengths up to 100 are right, by a hash of their hashes",
        arguments: [
            (0, 0x6927_8944_434A_BCF6), (1, 0x4C31_1BC9_9C41_B98C), (2, 0xD9CF_3795_AB92_ED79),
            (0x9E37_79B1_85EB_CA87, 0xD2F4_6129_7EBF_DED3), (.max, 0xF617_82BF_C73C_24A0),
        ] as [(UInt64, UInt64)])
    func allLengths(seed: UInt64, expected: UInt64) {
        var hashes: [UInt8] = []
        for length in 0...100 {
            withUnsafeBytes(of: Self.hash(Self.pattern[..<length], seed: seed).littleEndian) { hashes += $0 }
        }
        #expect(Self.hash(hashes, seed: 0) == expected)
    }

    @Test("The address of the bytes makes no difference")
    func alignment() {
        for shift in 0..<8 {
            let shifted = [UInt8](repeating: 0xEE, count: shift) + Self.pattern
            let found = shifted.withUnsafeBytes {
                XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[shift...]), seed: 5)
            }
            #expect(found == Self.hash(Self.pattern, seed: 5), "shifted by \(shift)")
        }
    }

    @Test("One word and two words have the hash of their bytes", arguments: 1...20 as ClosedRange<UInt64>)
    func words(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for (first, second) in [(0, 0), (.max, .max), (1, 1 << 63), (generator.next(), generator.next())] {
            let bytes = [first, second].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
            #expect(XXHash64.hash(first, seed: seed) == Self.hash(bytes[..<8], seed: seed), "seed \(seed)")
            #expect(XXHash64.hash(first, second, seed: seed) == Self.hash(bytes, seed: seed), "seed \(seed)")
        }
    }
}
