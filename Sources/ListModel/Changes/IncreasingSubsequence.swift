// The heaviest increasing subsequence: the rows that stay, so that as few rows as possible move.

/// The heaviest increasing subsequence of distinct ranks.
enum IncreasingSubsequence {
    /// The elements, in their new order, that can stay while the others move.
    ///
    /// - Parameters:
    ///   - places: the old position of each; distinct.
    ///   - weights: the weight of each, at least 1.
    /// - Complexity: O(m log m) for m elements.
    static func staying(_ places: [Int], weights: [Int]) -> [Bool] {
        var ranks = [Int](repeating: 0, count: places.count)
        let ascending = Ordering.indices(places.count) { places[$0] < places[$1] }
        for (rank, index) in ascending.enumerated() { ranks[index] = rank }
        var stays = [Bool](repeating: false, count: places.count)
        for index in heaviest(ranks: ranks, weights: weights) { stays[index] = true }
        return stays
    }

    /// The positions of an increasing subsequence whose weights add up to as much as possible, ascending.
    ///
    /// - Parameters:
    ///   - ranks: distinct numbers in `0 ..< ranks.count`.
    ///   - weights: the weight of each, at least 1.
    /// - Complexity: O(m log m) for m ranks.
    static func heaviest(ranks: [Int], weights: [Int]) -> [Int] {
        let count = ranks.count
        if count == 0 { return [] }
        // A Fenwick tree over the ranks: the heaviest subsequence that ends with a rank up to r, and its last position.
        var bestWeight = [Int](repeating: 0, count: count + 1)
        var bestPosition = [Int](repeating: -1, count: count + 1)
        var previous = [Int](repeating: -1, count: count)
        for position in 0..<count {
            var weight = 0
            var last = -1
            var slot = ranks[position]
            while slot > 0 {
                if bestWeight[slot] > weight { (weight, last) = (bestWeight[slot], bestPosition[slot]) }
                slot &= slot - 1
            }
            previous[position] = last
            weight += weights[position]
            slot = ranks[position] + 1
            while slot <= count {
                if weight > bestWeight[slot] { (bestWeight[slot], bestPosition[slot]) = (weight, position) }
                slot += slot & -slot
            }
        }
        var weight = 0
        var position = -1
        var slot = count
        while slot > 0 {
            if bestWeight[slot] > weight { (weight, position) = (bestWeight[slot], bestPosition[slot]) }
            slot &= slot - 1
        }
        var result: [Int] = []
        while position >= 0 {
            result.append(position)
            position = previous[position]
        }
        return result.reversed()
    }
}
