// The values of a file of which each version can be checked by itself: the first one lists which transaction wrote each of the
// others.

public struct ListedValues: Equatable, Sendable {
    /// The number of the last transaction, and behind it that of the one that wrote each other value; 0 where there is none.
    public private(set) var numbers = [UInt64](repeating: 0, count: 49)

    /// Before the first transaction.
    public init() {}

    /// - Parameter bytes: the first value.
    public init(_ bytes: [UInt8]) {
        numbers = stride(from: 0, to: bytes.count, by: 8).map { place in
            bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Changes some values at random.
    ///
    /// - Returns: what a transaction has to do for that: which values to put, and which to delete.
    public mutating func change(_ generator: inout SeededGenerator) -> [(key: UInt64, value: [UInt8]?)] {
        numbers[0] += 1
        var keys: Set<Int> = []
        // Sometimes most of them, so that much becomes free at once.
        let count = generator.oneIn(12) ? 40 : Int.random(in: 1...5, using: &generator)
        for _ in 0..<count { keys.insert(Int.random(in: 1..<numbers.count, using: &generator)) }
        for key in keys { numbers[key] = generator.oneIn(3) ? 0 : numbers[0] }
        return ([0] + keys).map { (UInt64($0), value($0)) }
    }

    /// A value; nil if there is none. Most have a place in a page, some have pages of their own.
    public func value(_ key: Int) -> [UInt8]? {
        if key == 0 { return numbers.flatMap { number in (0..<8).map { UInt8(number >> (56 - 8 * $0) & 255) } } }
        if numbers[key] == 0 { return nil }
        var bytes = SeededGenerator(seed: numbers[key] << 8 | UInt64(key))
        let count = bytes.below(bytes.oneIn(3) ? 30_000 : 1_500)
        let byte = UInt8(1 + bytes.below(255))
        return [UInt8](repeating: byte, count: count)
    }

    /// Whether all values are as listed.
    ///
    /// - Parameter read: reads a value.
    public func isWhole(_ read: (UInt64) throws -> [UInt8]?) rethrows -> Bool {
        for key in numbers.indices where try read(UInt64(key)) != value(key) { return false }
        return true
    }
}
