// Ids that were chosen for their hashes.
//
// Always holds: the ids are made for the hashes without a salt.

import Foundation
import ListModel

/// Computes ids with a wanted hash, as an attacker could: XXH64 of one or two words can be inverted.
public enum ChosenHashes {
    private static let primes: [UInt64] = [
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5,
    ]

    private static func inverse(_ odd: UInt64) -> UInt64 {
        var result = odd
        for _ in 0..<6 { result = result &* (2 &- odd &* result) }
        return result
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

    private static func round(_ word: UInt64) -> UInt64 { rotated(word &* primes[1], 31) &* primes[0] }

    private static func mixed(_ value: UInt64, _ word: UInt64) -> UInt64 {
        rotated(value ^ round(word), 27) &* primes[0] &+ primes[3]
    }

    /// The word that leads from a value to a hash.
    private static func word(from value: UInt64, to hash: UInt64) -> UInt64 {
        var rest = hash
        rest ^= rest >> 32
        rest = rest &* inverse(primes[2])
        rest ^= rest >> 29 ^ rest >> 58
        rest = rest &* inverse(primes[1])
        rest ^= rest >> 33
        let round = rotated((rest &- primes[3]) &* inverse(primes[0]), 64 - 27) ^ value
        return rotated(round &* inverse(primes[0]), 64 - 31) &* inverse(primes[1])
    }

    /// An integer with this hash.
    public static func integer(_ hash: UInt64) -> Int64 {
        Int64(bitPattern: word(from: 1 &+ primes[4] &+ 8, to: hash))
    }

    /// A UUID that begins with a number and has this hash.
    public static func uuid(_ first: UInt64, hash: UInt64) -> UUID {
        let second = word(from: mixed(2 &+ primes[4] &+ 16, first), to: hash)
        return withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}
