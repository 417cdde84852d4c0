// An entry of the journal: one write group as bytes. See `Docs/Design/FileFormat.md`.
//
// Always holds: an entry that was read is complete, because its checksum is right. Anything else that can be there is
// nil: zeros, a part of an entry, a partly overwritten entry.

import ListModel

/// An entry: records that continue a head.
struct JournalEntry {
    /// The head before the first record.
    let before: LogPosition
    let records: RecordRun
    /// The head after the last one.
    let after: LogPosition
    /// The size of the entry in bytes.
    let size: Int
    /// Its checksum, which identifies it.
    let checksum: UInt64

    /// The offsets of the size, the number of records, the head before and the lengths of the records.
    private static let (sizeOffset, countOffset, headOffset, table) = (8, 12, 16, 16 + LogPosition.byteCount)

    /// The bytes of an entry.
    ///
    /// - Parameters:
    ///   - run: records, some of which continue `head`.
    ///   - range: the records of the entry; not empty.
    ///   - size: the most bytes.
    /// - Returns: nil if it does not fit.
    static func bytes(_ run: RecordRun, _ range: Range<Int>, after head: LogPosition, atMost size: Int) -> [UInt8]? {
        let recordStart = table + 4 * range.count
        guard run.size(of: range) <= size - recordStart else { return nil }
        let count = recordStart + run.size(of: range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        append(UInt64(0), to: &bytes)
        append(UInt32(count), to: &bytes)
        append(UInt32(range.count), to: &bytes)
        bytes += head.bytes
        for index in range { append(UInt32(run.size(of: index..<index + 1)), to: &bytes) }
        run.withRecords(range) { bytes.append(contentsOf: $0) }
        let sum = bytes.withUnsafeBytes { checksum($0, after: head.version) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return bytes
    }

    /// The bytes of an entry as they are written, at the beginning of a sector; nil if the entry must not be in the journal, because
    /// another sector of it could be taken for an entry.
    ///
    /// Whoever makes a content can make such a sector. It would stay behind when the first sector is written over, and would then seem to
    /// show that commits are lost.
    ///
    /// - Parameter size: the most bytes.
    static func sectors(_ entry: [UInt8], atMost size: Int) -> [UInt8]? {
        var bytes = entry
        let rest = bytes.count % Journal.sectorSize
        // What is left of an older entry must not complete the header that the last sector begins with.
        if bytes.count > Journal.sectorSize && rest > 0 && rest < table {
            bytes += [UInt8](repeating: 0, count: max(0, min(table - rest, size - bytes.count)))
        }
        let isMisleading = bytes.withUnsafeBytes { bytes in
            stride(from: Journal.sectorSize, to: bytes.count, by: Journal.sectorSize).contains { offset in
                let sector = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                guard let (_, size, _) = header(sector, atMost: Journal.greatestSize) else { return false }
                // Whether a longer one has its checksum depends on what is, or will be, behind these bytes.
                return size > sector.count || JournalEntry(sector) != nil
            }
        }
        return isMisleading ? nil : bytes
    }

    /// The entry at the beginning of bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let (before, size, count) = Self.header(bytes) else { return nil }
        checksum = Self.checksum(in: bytes)
        guard checksum == Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<size]), after: before.version)
        else { return nil }
        var records = RecordRun(first: before.version.next, reserving: size)
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

    /// The header of the entry, if it is possible.
    ///
    /// - Parameter limit: the most bytes that the entry has; nil for those that are there.
    private static func header(
        _ bytes: UnsafeRawBufferPointer, atMost limit: Int? = nil
    ) -> (before: LogPosition, size: Int, count: Int)? {
        guard let before = before(in: bytes) else { return nil }
        let (size, count) = (word(bytes, sizeOffset), word(bytes, countOffset))
        guard size > table, size <= limit ?? bytes.count, count >= 1, count <= (size - table) / 4 else { return nil }
        return (before, size, count)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Whether bytes may begin with an entry that ends after a version; false only if they do not. Reads only the
    /// header.
    static func mayReach(beyond version: Version, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let (before, _, count) = header(bytes) else { return false }
        return before.version.rawValue + UInt64(count) > version.rawValue
    }

    /// The head that an entry continues, if these bytes are one: enough to recognise old entries.
    static func before(in bytes: UnsafeRawBufferPointer) -> LogPosition? {
        bytes.count < table ? nil : LogPosition(UnsafeRawBufferPointer(rebasing: bytes[headOffset..<table]))
    }

    /// The checksum in an entry.
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
