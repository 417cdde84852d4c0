// A set of numbers, most of which follow one another.
//
// Always holds: a word has at least one number.

/// A set of numbers. Of numbers without gaps, each takes half a byte.
package struct NumberSet {
    /// For 64 numbers each, a bit for those that are in the set.
    private var words: [UInt64: UInt64] = [:]
    /// How many numbers there are.
    package private(set) var count = 0

    /// The empty set.
    package init() {}

    /// Whether a number is in the set.
    ///
    /// - Complexity: O(1).
    func contains(_ number: UInt64) -> Bool { words[number / 64, default: 0] & 1 << (number % 64) != 0 }

    /// Adds a number; whether it was not there.
    ///
    /// - Complexity: O(1).
    package mutating func insert(_ number: UInt64) -> Bool {
        let bit = UInt64(1) << (number % 64)
        let word = words[number / 64, default: 0]
        if word & bit != 0 { return false }
        words[number / 64] = word | bit
        count += 1
        return true
    }
}
