// Searching ascending arrays of indices: those of the rows that left a list, came into it, or stayed.

extension RandomAccessCollection where Index == Int {
    /// The first index at which a condition holds. The condition must stay true from there on.
    ///
    /// - Complexity: O(log n).
    func sortedIndex(fromWhich holds: (Element) -> Bool) -> Int {
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

    /// Whether an ascending array has a number.
    func containsSorted(_ number: Int) -> Bool {
        let position = countLess(than: number)
        return position < count && self[position] == number
    }
}
