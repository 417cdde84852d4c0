// Sorting, and searching ascending arrays of indices: those of the rows that left a list, came into it, or stayed.
//
// The sort of the standard library is compiled again for every type and every closure, about 3 KB each time. Numbers and
// index paths are sorted with `sorted()`, everything else with `ordered(by:)`, which sorts indices and is compiled once.

extension Array {
    /// The elements in ascending order. Elements of which neither comes before the other keep their order.
    ///
    /// - Complexity: O(n log n).
    func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
        if count < 2 { return self }
        return Ordering.indices(count) { isBefore(self[$0], self[$1]) }.map { self[$0] }
    }
}

enum Ordering {
    /// The indices below a count, in ascending order of what they stand for.
    ///
    /// - Complexity: O(n log n).
    @inline(never)
    static func indices(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
        Array(0..<count).sorted(by: isBefore)
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index at which a condition holds. The condition must stay true from there on.
    ///
    /// - Complexity: O(log n).
    package func sortedIndex(fromWhich holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension [Int] {
    /// How many elements of an ascending array are less than a number.
    func countLess(than number: Int) -> Int { sortedIndex { $0 >= number } }

    /// The number of rank `rank` among all numbers that an ascending array does not contain.
    func complement(_ rank: Int) -> Int { rank + indices.sortedIndex { self[$0] - $0 > rank } }

    /// The index of a number in an ascending array; nil if it is not there.
    func sortedIndex(of number: Int) -> Int? {
        let position = countLess(than: number)
        return position < count && self[position] == number ? position : nil
    }

    /// Whether an ascending array has a number.
    func containsSorted(_ number: Int) -> Bool { sortedIndex(of: number) != nil }
}
