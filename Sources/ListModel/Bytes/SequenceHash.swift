// A composable hash of a sequence: the hash of the whole is computed from the hashes of two halves.
//
// The hash of h₀ … hₙ₋₁ is Rabin and Karp's polynomial Σ hᵢ · Bⁿ⁻¹⁻ⁱ modulo the prime 2⁶¹ − 1. A tree node can
// therefore keep the hash of the rows below it, and equal lists have equal hashes whatever the shape of their trees.
// Two different lists of n rows collide with a probability of about n / 2⁶¹.
//
// The wrapping operators below cannot overflow: residues have 61 bits, and a word has three bits to spare.
//
// Always holds: a value named `hash` or `power` below is a residue, less than `SequenceHash.modulus`.

enum SequenceHash {
    /// The Mersenne prime 2⁶¹ − 1.
    static let modulus: UInt64 = (1 << 61) - 1

    /// The base B, an arbitrary number below the modulus. It is part of the file format: changing it changes every
    /// hash.
    static let base: UInt64 = 0x1A2B_3C4D_5E6F_7081 % modulus

    /// Marks the hash of a node as out of date: its rows changed since it was sealed. No residue has this value.
    static let unsealed = UInt64.max

    /// The number of powers in one table.
    private static let stride = 1_024

    /// Powers of the base: B⁰ … B¹⁰²³, then the powers of B¹⁰²⁴, then those of B¹⁰⁴⁸⁵⁷⁶, then B⁰ … B⁻¹⁰²³.
    ///
    /// A global pointer: reading it costs a load and no reference counting.
    // SAFETY: initialised once with all values, never written again and never freed.
    nonisolated(unsafe) private static let powers: UnsafePointer<UInt64> = {
        let table = UnsafeMutablePointer<UInt64>.allocate(capacity: 4 * stride)
        // By Fermat, the power p − 2 is the inverse.
        let steps = (base, slowPower(stride), slowPower(stride * stride), slowPower(Int(modulus) - 2))
        var powers: (UInt64, UInt64, UInt64, UInt64) = (1, 1, 1, 1)
        // The tables beside each other, because each product has to wait for the one before it in its own table.
        for exponent in 0..<stride {
            table.advanced(by: exponent).initialize(to: powers.0)
            table.advanced(by: stride + exponent).initialize(to: powers.1)
            table.advanced(by: 2 * stride + exponent).initialize(to: powers.2)
            table.advanced(by: 3 * stride + exponent).initialize(to: powers.3)
            powers = (
                multiply(powers.0, steps.0), multiply(powers.1, steps.1), multiply(powers.2, steps.2),
                multiply(powers.3, steps.3)
            )
        }
        return UnsafePointer(table)
    }()

    /// B to the power of −`exponent`, for exponents below 1,024.
    @inline(__always)
    static func inversePower(_ exponent: Int) -> UInt64? {
        exponent < stride ? powers[3 &* stride &+ exponent] : nil
    }

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
    /// - Complexity: O(1) below 2³⁰, one or two multiplications.
    @inline(__always)
    static func power(_ exponent: Int) -> UInt64 { power(exponent, powers) }

    /// The same with the table as an argument, because every access to the global checks whether it is initialised.
    @inline(__always)
    private static func power(_ exponent: Int, _ powers: UnsafePointer<UInt64>) -> UInt64 {
        // SAFETY: each index into a table is below `stride`; otherwise the slow path is taken.
        let low = powers[exponent & (stride &- 1)]
        let rest = exponent &>> 10
        if rest == 0 { return low }
        let middle = multiply(low, powers[stride &+ (rest & (stride &- 1))])
        let top = rest &>> 10
        if top == 0 { return middle }
        return top < stride ? multiply(middle, powers[2 &* stride &+ top]) : slowPower(exponent)
    }

    /// B to the power of `exponent`, by squaring.
    static func slowPower(_ exponent: Int) -> UInt64 {
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

    /// Reduces the product of two residues, given as two words, modulo 2⁶¹ − 1.
    @inline(__always)
    private static func reduce(high: UInt64, low: UInt64) -> UInt64 {
        // 2⁶⁴ is 8 modulo 2⁶¹ − 1, and `high` is below 2⁵⁸.
        residue((low & modulus) &+ ((high &<< 3) | (low &>> 61)))
    }

    /// Reduces a sum of products of residues, given as two words, modulo 2⁶¹ − 1.
    @inline(__always)
    private static func reduce(sumHigh high: UInt64, low: UInt64) -> UInt64 {
        add(residue((residue(high) &<< 3) | (low &>> 61)), residue(low & modulus))
    }

    /// A sum of products hᵢ · Bᵉ. The products do not depend on each other, so the processor can compute them in
    /// parallel.
    struct Sum {
        private var high: UInt64 = 0
        private var low: UInt64 = 0
        private var terms = 0
        private let powers = SequenceHash.powers

        /// Adds `hash` · B to the power of `exponent`.
        @inline(__always)
        mutating func add(_ hash: UInt64, exponent: Int) {
            let product = hash.multipliedFullWidth(by: SequenceHash.power(exponent, powers))
            let sum = low.addingReportingOverflow(product.low)
            low = sum.partialValue
            high = high &+ product.high &+ (sum.overflow ? 1 : 0)
            terms &+= 1
            // Each product is below 2¹²², so 128 bits can hold the sum of 64.
            if terms == 32 {
                (high, low) = (0, value)
                terms = 1
            }
        }

        /// The sum as a residue.
        @inline(__always)
        var value: UInt64 { SequenceHash.reduce(sumHigh: high, low: low) }
    }
}
