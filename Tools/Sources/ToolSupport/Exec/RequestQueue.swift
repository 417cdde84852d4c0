// The requests that were read and are not carried out yet.
//
// Lines are read ahead as far as possible without waiting. The requests in the queue share one wait for durability, and
// a group that is completely in the queue needs no wait before it.
//
// Always holds: requests come in the order of the lines; blank lines are counted and skipped.

/// Reads requests ahead.
struct RequestQueue {
    /// A line and its request.
    struct Entry {
        /// Its number in the input, from 1.
        let line: Int
        let request: Result<ExecRequest, RequestError>
    }

    private var reader: LineReader
    private var entries: [Entry] = []
    private var position = 0
    private var lineCount = 0

    /// The most bytes to read ahead, so that a program that never pauses gets answers too.
    private static let readAheadLimit = 1 << 20

    init(_ reader: LineReader) {
        self.reader = reader
    }

    /// The next of the requests that were read.
    mutating func next() -> Entry? {
        guard position < entries.count else { return nil }
        defer { position += 1 }
        return entries[position]
    }

    /// Whether the end of a group is among the requests that were read.
    var holdsEnd: Bool {
        entries[position...].contains { entry in
            if case .success(.end) = entry.request { true } else { false }
        }
    }

    /// Reads the available lines, and waits if there are none.
    ///
    /// - Returns: false at the end of the input.
    mutating func refill() throws -> Bool {
        entries.removeAll(keepingCapacity: true)
        position = 0
        var byteCount = 0
        while true {
            while let line = reader.next() {
                lineCount += 1
                byteCount += line.count
                append(line)
            }
            let mayRead = entries.isEmpty || (byteCount < RequestQueue.readAheadLimit && reader.isReady)
            guard mayRead else { return true }
            if try !reader.fill() {
                // The last line may have no line feed.
                if let line = reader.next() {
                    lineCount += 1
                    append(line)
                }
                return !entries.isEmpty
            }
        }
    }

    private mutating func append(_ line: ArraySlice<UInt8>) {
        if line.allSatisfy(" \t\r".utf8.contains) { return }
        let request = Result { try ExecRequest(line: line) }
            .mapError { $0 as? RequestError ?? RequestError(.invalidRequest, "\($0)") }
        entries.append(Entry(line: lineCount, request: request))
    }
}
