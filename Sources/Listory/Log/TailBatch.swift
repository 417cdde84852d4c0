// A batch of records as it stands in a slot of the tail. `Docs/FileFormat.md` draws the bytes.
//
// Always holds: a batch that was read is whole, byte for byte what was written, or it would not have the checksum. What
// else can be in a slot, zeros, a part of a batch, a batch over which another one was begun, is nil.

import ListModel

/// What a slot of the tail says: these records follow that head.
struct TailBatch {
    /// What the log ended with before the first record.
    let before: LogHead
    let records: RecordBatch
    /// What it ended with after the last one.
    let after: LogHead

    /// Where the checksum, the length, the number of records, the head before and the lengths of the records are.
    private static let (length, count, head, table) = (8, 12, 16, 16 + LogHead.byteCount)

    /// The bytes of a slot.
    ///
    /// - Parameters:
    ///   - batch: records, some of which follow `head`.
    ///   - range: which of them are in the slot; not empty.
    ///   - size: how long the slot is.
    /// - Returns: nil if they do not fit.
    static func bytes(_ batch: RecordBatch, _ range: Range<Int>, after head: LogHead, atMost size: Int) -> [UInt8]? {
        let recordStart = table + 4 * range.count
        guard batch.size(of: range) <= size - recordStart else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(recordStart + batch.size(of: range))
        append(UInt64(0), to: &bytes)
        append(UInt32(recordStart + batch.size(of: range)), to: &bytes)
        append(UInt32(range.count), to: &bytes)
        bytes += head.bytes
        for index in range { append(UInt32(batch.size(of: index..<index + 1)), to: &bytes) }
        batch.withRecords(range) { bytes.append(contentsOf: $0) }
        let sum = bytes.withUnsafeBytes { checksum($0, after: head) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return bytes
    }

    /// The batch in a slot.
    init?(_ slot: UnsafeRawBufferPointer) {
        guard slot.count >= Self.table else { return nil }
        func word(_ offset: Int) -> Int {
            Int(UInt32(littleEndian: slot.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let (length, count) = (word(Self.length), word(Self.count))
        guard length <= slot.count, count >= 1, count <= (length - Self.table) / 4,
            let before = LogHead(bytes: Array(slot[Self.head..<Self.table])),
            Self.checksum(UnsafeRawBufferPointer(rebasing: slot[..<length]), after: before)
                == UInt64(littleEndian: slot.loadUnaligned(as: UInt64.self))
        else { return nil }
        var records = RecordBatch(first: before.version.next, reserving: length)
        var after = before
        var start = Self.table + 4 * count
        for index in 0..<count {
            let size = word(Self.table + 4 * index)
            guard size <= length - start else { return nil }
            let record = UnsafeRawBufferPointer(rebasing: slot[start..<start + size])
            let version = Version(before.version.rawValue &+ UInt64(index) &+ 1)
            guard let eventCount = try? RecordHeader.eventCount(record, version: version) else { return nil }
            records.append(record, eventCount: eventCount)
            after.append(record, version: version, eventCount: eventCount)
            start += size
        }
        guard start == length else { return nil }
        self.before = before
        self.records = records
        self.after = after
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, after head: LogHead) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[length...]), seed: head.version.rawValue)
    }

    private static func append(_ word: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
