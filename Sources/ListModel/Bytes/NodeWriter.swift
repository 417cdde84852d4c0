// What stored nodes need beyond the primitive encodings of the file format.

/// The bytes of a node while it is written.
typealias NodeWriter = RecordWriter

extension RecordWriter {
    /// A signed number in zigzag: 0, −1, 1, −2 … are 0, 1, 2, 3 …
    @inline(__always)
    mutating func write(delta value: Int64) {
        write(varint: UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
    }

    /// Bytes in runs: each byte once, and how often it comes.
    mutating func write(runs bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            var end = start + 1
            while end < bytes.count && bytes[end] == bytes[start] { end += 1 }
            write(byte: bytes[start])
            write(count: end - start)
            start = end
        }
    }
}
