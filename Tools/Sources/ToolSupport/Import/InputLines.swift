// The lines of an input as text.
//
// Always holds: a line is valid UTF-8, without its line feed and a carriage return before it; a line feed at the end of
// the input begins no further line.

/// The lines of an input.
struct InputLines: Sequence {
    /// A line and its number, from 1.
    typealias Element = (number: Int, text: String)

    private let lines: [Element]

    /// - Throws: ``ImportError`` for bytes that are not UTF-8.
    init(_ bytes: [UInt8]) throws {
        var lines: [Element] = []
        var rest = bytes[...]
        // Some editors write a byte order mark.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw ImportError(line: lines.count + 1, expected: "UTF-8", found: "other bytes")
            }
            lines.append((lines.count + 1, text))
            rest = rest[end...].dropFirst()
        }
        self.lines = lines
    }

    func makeIterator() -> IndexingIterator<[Element]> { lines.makeIterator() }
}
