// XXH64, the hash function of the checksums. The library has the same one in its module ListModel, which the seam does not use.
//
// All arithmetic on words is modulo 2⁶⁴, as the algorithm requires.
//
// Always holds: the result is that of the published algorithm on any machine, so it may be kept by a server
// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).

package enum XXHash64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of some bytes.
    ///
    /// - Complexity: O(`bytes.count`); about 10 ns for 32 bytes.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        // SAFETY: every load below is of a range that `offset` and `count` keep inside `bytes`.
        var offset = 0
        let count = bytes.count
        var result: UInt64
        if count >= 32 {
            (result, offset) = stripes(bytes, seed: seed)
        } else {
            result = seed &+ prime5
        }
        result = result &+ UInt64(truncatingIfNeeded: count)
        while offset &+ 8 <= count {
            result = mixed(result, word: word(bytes, offset))
            offset &+= 8
        }
        if offset &+ 4 <= count {
            let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            result = rotated(result ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < count {
            result = rotated(result ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
            offset &+= 1
        }
        return avalanche(result)
    }

    /// The four parallel lanes, which take 32 bytes at a time.
    private static func stripes(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> (UInt64, Int) {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        var offset = 0
        while offset &+ 32 <= bytes.count {
            lane1 = round(lane1, word(bytes, offset))
            lane2 = round(lane2, word(bytes, offset &+ 8))
            lane3 = round(lane3, word(bytes, offset &+ 16))
            lane4 = round(lane4, word(bytes, offset &+ 24))
            offset &+= 32
        }
        var result = rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
        for lane in [lane1, lane2, lane3, lane4] {
            result = (result ^ round(0, lane)) &* prime1 &+ prime4
        }
        return (result, offset)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value &<< bits) | (value &>> (64 &- bits))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func mixed(_ value: UInt64, word: UInt64) -> UInt64 {
        rotated(value ^ round(0, word), 27) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func avalanche(_ value: UInt64) -> UInt64 {
        var result = value
        result ^= result &>> 33
        result = result &* prime2
        result ^= result &>> 29
        result = result &* prime3
        result ^= result &>> 32
        return result
    }
}
