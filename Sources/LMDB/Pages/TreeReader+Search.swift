// Searches a page for a key.
//
// Always holds: the result is that of a binary search, wherever the key is expected.

/// Between which keys those of a page lie, as the branches above it say. Keys that are numbers mostly follow one another, so that the
/// place of one can be guessed: each probe of a page waits for memory. A guess that is wrong costs time only.
struct KeyRange {
    /// Not after any key; nil if that is unknown, or no number.
    var first: UInt64?
    /// After all keys; nil if that is unknown, or no number.
    var end: UInt64?

    /// The index that a key probably has.
    @inline(__always)
    func place(of key: UnsafeRawBufferPointer, among count: Int) -> Int? {
        guard let first, let end, let number = TreeReader.number(key), first <= number, number < end else { return nil }
        return Int(Double(number - first) / Double(end - first) * Double(count))
    }
}

extension TreeReader {
    /// Which child of a branch has a key: the last one that does not begin after it. The first one has no key.
    ///
    /// - Parameter expected: which one it probably is.
    @inline(__always)
    func childIndex(
        _ key: UnsafeRawBufferPointer, _ page: SoundPage, expected: Int? = nil
    ) throws(LMDBError) -> Int {
        try search(1..<page.count, from: expected) { index throws(LMDBError) in
            TreeReader.compare(try node(index, of: page).key, key) <= 0
        } - 1
    }

    /// The first entry of a leaf that is not before a key, and whether it has the key.
    ///
    /// - Parameter expected: which one it probably is.
    @inline(__always)
    func entryIndex(
        _ key: UnsafeRawBufferPointer, _ page: SoundPage, expected: Int? = nil
    ) throws(LMDBError) -> (index: Int, isExact: Bool) {
        let index = try search(0..<page.count, from: expected) { index throws(LMDBError) in
            TreeReader.compare(try node(index, of: page).key, key) < 0
        }
        return (index, index < page.count ? TreeReader.compare(try node(index, of: page).key, key) == 0 : false)
    }

    /// The first index that is not before what is searched. From where it is expected, the steps double; without that, each halves
    /// what is left.
    ///
    /// - Complexity: O(log d), if it is d away from where it is expected.
    @inline(__always)
    private func search(
        _ indices: Range<Int>, from expected: Int?, _ isBefore: (Int) throws(LMDBError) -> Bool
    ) throws(LMDBError) -> Int {
        var (low, high) = (indices.lowerBound, indices.upperBound)
        var step = expected == nil ? high : 1
        var probe = expected.map { min(max($0, low), high - 1) } ?? (low + high) >> 1
        while low < high {
            if try isBefore(probe) {
                low = probe + 1
                probe = min(probe + step, (low + high) >> 1)
            } else {
                high = probe
                probe = max(probe - step, (low + high) >> 1)
            }
            step &<<= 1
        }
        return low
    }

    /// Compares keys as LMDB does. Most have eight bytes.
    @inline(__always)
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        guard let first = number(left), let second = number(right) else { return Platform.compare(left, right) }
        return first < second ? -1 : first == second ? 0 : 1
    }

    /// A key as a number; nil if it has another size than eight bytes.
    @inline(__always)
    static func number(_ key: UnsafeRawBufferPointer) -> UInt64? {
        key.count == 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : nil
    }
}
