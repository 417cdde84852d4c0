// A hash of a sequence that composes: the hash of two halves gives the hash of the whole.
//
// The hash of h₀ … hₙ₋₁ is Σ hᵢ · Bⁿ⁻¹⁻ⁱ modulo the prime 2⁶¹ − 1, Rabin and Karp's polynomial. A tree node can
// therefore keep the hash of the rows below it, and two equal lists have equal hashes whatever shape their trees have.
// Two different lists of n rows collide with a probability of about n / 2⁶¹.
//
// Always holds: a value named hash or power below is a residue, less than `SequenceHash.modulus`.

enum SequenceHash {
    /// The Mersenne prime 2⁶¹ − 1.
    static let modulus: UInt64 = (1 << 61) - 1

    /// The base B, an arbitrary number below the modulus. Part of the file format: changing it changes every hash.
    static let base: UInt64 = 0x1A2B_3C4D_5E6F_7081 % modulus

    /// The hash of a node whose rows changed since it was last sealed. No residue has this value.
    static let unsealed = UInt64.max

    /// B⁰ … B⁶³, so that the rows of a leaf are summed without a chain of dependent multiplications.
    ///
    /// A tuple-free global pointer: reading it costs a load and no reference counting.
    // SAFETY: initialised once with 64 values, never written again and never freed.
    nonisolated(unsafe) static let powers: UnsafePointer<UInt64> = {
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: stride)
        var power: UInt64 = 1
        for exponent in 0..<stride {
            table.advanced(by: exponent).initialize(to: power)
            power = multiply(power, base)
        }
        return UnsafePointer(table)
    }()

    /// How many powers of the base `powers` holds.
    static let stride = 64

    /// a · b modulo 2⁶¹ − 1.
    @inline(__always)
    static func multiply(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return reduce(high: product.high, low: product.low)
    }

    /// a + b modulo 2⁶¹ − 1.
    @inline(__always)
    static func add(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let sum = a &+ b
        return sum >= modulus ? sum &- modulus : sum
    }

    /// a − b modulo 2⁶¹ − 1.
    @inline(__always)
    static func subtract(_ a: UInt64, _ b: UInt64) -> UInt64 {
        a >= b ? a &- b : a &+ modulus &- b
    }

    /// Any 64-bit value as a residue.
    @inline(__always)
    static func residue(_ value: UInt64) -> UInt64 {
        let folded = (value & modulus) &+ (value &>> 61)
        return folded >= modulus ? folded &- modulus : folded
    }

    /// B to the power of `exponent`.
    ///
    /// - Complexity: O(log `exponent`).
    static func power(_ exponent: Int) -> UInt64 {
        if exponent < stride { return powers[exponent] }
        var result: UInt64 = 1
        var square = base
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = multiply(result, square) }
            square = multiply(square, square)
            rest &>>= 1
        }
        return result
    }

    /// The product of two residues modulo 2⁶¹ − 1, given as its two words.
    @inline(__always)
    private static func reduce(high: UInt64, low: UInt64) -> UInt64 {
        // 2⁶⁴ is 8 modulo 2⁶¹ − 1, and `high` is below 2⁵⁸.
        residue((low & modulus) &+ ((high &<< 3) | (low &>> 61)))
    }

    /// A sum of products of residues modulo 2⁶¹ − 1, given as its two words.
    @inline(__always)
    static func reduce(sumHigh high: UInt64, low: UInt64) -> UInt64 {
        add(residue((residue(high) &<< 3) | (low &>> 61)), residue(low & modulus))
    }
}
