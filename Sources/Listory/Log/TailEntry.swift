// One batch of records as it stands in the tail. `Docs/Design/FileFormat.md` draws the bytes.
//
// Always holds: an entry that was read is whole, byte for byte what was written, or it would not have the checksum. What
// else can be there, zeros, a part of an entry, an entry over which another one was begun, is nil.

import ListModel

/// An entry of the tail: these records follow that head.
struct TailEntry {
    /// What the log ended with before the first record.
    let before: LogHead
    let records: RecordBatch
    /// What it ended with after the last one.
    let after: LogHead
    /// How many bytes the entry has.
    let size: Int
    /// Its checksum, which tells it from others.
    let checksum: UInt64

    /// Where the size, the number of records, the head before and the lengths of the records are.
    private static let (sizeOffset, countOffset, headOffset, table) = (8, 12, 16, 16 + LogHead.byteCount)

    /// The bytes of an entry.
    ///
    /// - Parameters:
    ///   - batch: records, some of which follow `head`.
    ///   - range: which of them are in the entry; not empty.
    ///   - size: how many bytes there may be.
    /// - Returns: nil if there would be more.
    static func bytes(_ batch: RecordBatch, _ range: Range<Int>, after head: LogHead, atMost size: Int) -> [UInt8]? {
        let recordStart = table + 4 * range.count
        guard batch.size(of: range) <= size - recordStart else { return nil }
        let count = recordStart + batch.size(of: range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        append(UInt64(0), to: &bytes)
        append(UInt32(count), to: &bytes)
        append(UInt32(range.count), to: &bytes)
        bytes += head.bytes
        for index in range { append(UInt32(batch.size(of: index..<index + 1)), to: &bytes) }
        batch.withRecords(range) { bytes.append(contentsOf: $0) }
        let sum = bytes.withUnsafeBytes { checksum($0, after: head.version) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return bytes
    }

    /// The entry that bytes begin with.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let (before, size, count) = Self.header(bytes) else { return nil }
        checksum = Self.checksum(in: bytes)
        guard checksum == Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<size]), after: before.version)
        else { return nil }
        var records = RecordBatch(first: before.version.next, reserving: size)
        var after = before
        var start = Self.table + 4 * count
        for index in 0..<count {
            let length = Self.word(bytes, Self.table + 4 * index)
            guard length <= size - start else { return nil }
            let record = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
            let version = Version(before.version.rawValue &+ UInt64(index) &+ 1)
            guard let eventCount = try? RecordHeader.eventCount(record, version: version) else { return nil }
            records.append(record, eventCount: eventCount)
            after.append(record, version: version, eventCount: eventCount)
            start += length
        }
        guard start == size else { return nil }
        self.before = before
        self.records = records
        self.after = after
        self.size = size
    }

    /// What stands before the records, if it can be that of an entry.
    private static func header(_ bytes: UnsafeRawBufferPointer) -> (before: LogHead, size: Int, count: Int)? {
        guard let before = before(in: bytes), before.version.rawValue < Limits.versions else { return nil }
        let (size, count) = (word(bytes, sizeOffset), word(bytes, countOffset))
        guard size > table, size <= bytes.count, count >= 1, count <= (size - table) / 4 else { return nil }
        return (before, size, count)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Whether bytes may begin with an entry that leads beyond a version: false only if they do not. Nothing is read but what
    /// stands before the records.
    static func mayReach(beyond version: Version, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let (before, _, count) = header(bytes) else { return false }
        return before.version.rawValue + UInt64(count) > version.rawValue
    }

    /// The head that an entry follows, if these bytes are one: enough to leave those alone that are left over.
    static func before(in bytes: UnsafeRawBufferPointer) -> LogHead? {
        bytes.count < table ? nil : LogHead(UnsafeRawBufferPointer(rebasing: bytes[headOffset..<table]))
    }

    /// The checksum that stands in an entry.
    static func checksum(in bytes: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, after version: Version) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[sizeOffset...]), seed: version.rawValue)
    }

    private static func append(_ word: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
