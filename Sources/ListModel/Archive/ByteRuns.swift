// Compresses bytes many of which are equal to their neighbours: less than Deflate does, and some bytes are unpacked in a
// microsecond.
//
// Always holds: unpacking writes nothing outside of its buffer, whatever the bytes are.

/// What is compressed is a sequence of two things: n − 1 for n bytes (1 to 128), and these bytes; or 125 + n, and a byte that is
/// there n times (3 to 130).
enum ByteRuns {
    private static let longestLiteral = 128
    /// Shorter runs save nothing.
    private static let shortestRun = 3
    private static let longestRun = shortestRun + 127

    /// Compressed bytes, at most a 128th more than they were.
    static func packed(_ plain: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = []
        var literal = 0..<0
        func endLiteral() {
            if literal.isEmpty { return }
            packed.append(UInt8(literal.count - 1))
            packed += plain[literal]
        }
        var index = 0
        while index < plain.count {
            let most = min(plain.count, index + longestRun)
            let end = plain[index..<most].firstIndex { $0 != plain[index] } ?? most
            if end - index >= shortestRun {
                endLiteral()
                packed += [UInt8(128 + end - index - shortestRun), plain[index]]
                literal = end..<end
            } else {
                for place in index..<end {
                    if literal.count == longestLiteral {
                        endLiteral()
                        literal = place..<place
                    }
                    literal = literal.lowerBound..<place + 1
                }
            }
            index = end
        }
        endLiteral()
        return packed
    }

    /// Unpacks compressed bytes, which may be damaged.
    ///
    /// - Returns: whether they fill the buffer exactly.
    static func unpack(_ packed: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer) -> Bool {
        var (source, target) = (0, 0)
        while source < packed.count {
            let token = Int(packed[source])
            let isRun = token >= 128
            let count = isRun ? token - 128 + shortestRun : token + 1
            let taken = isRun ? 1 : count
            guard taken < packed.count - source, count <= plain.count - target else { return false }
            let place = UnsafeMutableRawBufferPointer(rebasing: plain[target..<target + count])
            if isRun {
                place.initializeMemory(as: UInt8.self, repeating: packed[source + 1])
            } else {
                place.copyMemory(from: UnsafeRawBufferPointer(rebasing: packed[source + 1...source + count]))
            }
            (source, target) = (source + 1 + taken, target + count)
        }
        return target == plain.count
    }
}
