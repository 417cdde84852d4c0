// The messages of a stream.
//
//     0  format  u8   1
//     1  kind    u8   1 beginning, 2 entries, 3 part of a snapshot, 4 manifest of a snapshot
//     2  the rest, all integers little-endian:
//
//     beginning   the name of the list
//     entries     first number u64, count u32; for each of them its length u32 and its bytes, in the format of LogEntry
//     part        bytes
//     manifest    number u64, checksum u64, size u64, digest u64, count u32, the sequence u64 of each part
//
// A message holds as many entries as fit, and is stored as a whole or not at all. So an append that fits into a message is one step,
// and the server needs to compare one sequence for all of its entries. With a message for each entry, sent without waiting for the
// one before, the sequence alone would not be enough: if another client has stored entry 5, then this one's entry 5, which expects 4,
// is refused, but its entry 6, which expects 5, is taken.
//
// The stream begins with a message without entries, because a server before 2.10 ignores the expectation that a stream is empty. More
// than one of them do no harm.

import SharedLog

enum NATSFrame {
    static let format: UInt8 = 1

    enum Kind: UInt8 {
        case beginning = 1
        case entries
        case part
        case manifest
    }

    /// The bytes before the first entry, and before each of them.
    static let entriesHeader = 14
    static let entryHeader = 4

    static func beginning(of list: String) -> [UInt8] { [format, Kind.beginning.rawValue] + Array(list.utf8) }

    static func entries(_ entries: ArraySlice<LogEntry>) -> [UInt8] {
        let size = entries.reduce(entriesHeader) { $0 + entryHeader + $1.encodedCount }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes[0] = format
            bytes[1] = Kind.entries.rawValue
            bytes.storeBytes(of: entries.first!.number.littleEndian, toByteOffset: 2, as: UInt64.self)
            bytes.storeBytes(of: UInt32(entries.count).littleEndian, toByteOffset: 10, as: UInt32.self)
            var offset = entriesHeader
            for entry in entries {
                bytes.storeBytes(of: UInt32(entry.encodedCount).littleEndian, toByteOffset: offset, as: UInt32.self)
                offset += entryHeader
                entry.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
                offset += entry.encodedCount
            }
            count = size
        }
    }

    /// Cuts entries into messages of at most so many bytes.
    static func cut(_ entries: [LogEntry], bytes limit: Int) -> [ArraySlice<LogEntry>] {
        var parts: [ArraySlice<LogEntry>] = []
        var start = 0
        var bytes = entriesHeader
        for (index, entry) in entries.enumerated() {
            let size = entryHeader + entry.encodedCount
            if bytes + size > limit, index > start {
                parts.append(entries[start..<index])
                (start, bytes) = (index, entriesHeader)
            }
            bytes += size
        }
        parts.append(entries[start...])
        return parts
    }

    /// What kind a message is; anything may stand in it.
    static func kind(of bytes: UnsafeRawBufferPointer, at place: LogPlace) throws -> Kind {
        guard bytes.count >= 2 else {
            throw SharedLogError.damaged(place, expected: "at least 2 bytes", found: "\(bytes.count)")
        }
        guard bytes[0] <= format else {
            throw SharedLogError.futureFormat(place, expected: Int(format), found: Int(bytes[0]))
        }
        guard bytes[0] == format else {
            throw SharedLogError.damaged(place, expected: "format \(format)", found: "format \(bytes[0])")
        }
        guard let kind = Kind(rawValue: bytes[1]) else {
            throw SharedLogError.damaged(place, expected: "a kind from 1 to 4", found: "kind \(bytes[1])")
        }
        return kind
    }

    /// The numbers of the entries in a message; nil for a beginning, whose list is compared.
    static func numbers(
        in bytes: UnsafeRawBufferPointer, of list: String, at place: LogPlace
    ) throws -> ClosedRange<UInt64>? {
        switch try kind(of: bytes, at: place) {
        case .beginning:
            let name = bytes[2...]
            guard name.elementsEqual(list.utf8) else {
                throw SharedLogError.damaged(
                    .list(list), expected: "its own stream",
                    found: "that of \(quoted(String(decoding: name.prefix(200), as: UTF8.self)))")
            }
            return nil
        case .entries:
            guard bytes.count >= entriesHeader else {
                throw SharedLogError.damaged(
                    place, expected: "at least \(entriesHeader) bytes", found: "\(bytes.count)")
            }
            let first: UInt64 = bytes.littleEndian(at: 2)
            let count: UInt32 = bytes.littleEndian(at: 10)
            guard first > 0, count > 0, first <= LogPosition.maximumNumber - UInt64(count) else {
                throw SharedLogError.damaged(place, expected: "numbers of entries", found: "\(count) from \(first)")
            }
            return first...(first + UInt64(count) - 1)
        case .part, .manifest:
            throw SharedLogError.damaged(place, expected: "entries", found: "a snapshot")
        }
    }

    /// The entries of a message from a number on.
    ///
    /// - Parameter numbers: of all entries in the message.
    static func entries(
        in bytes: UnsafeRawBufferPointer, numbers: ClosedRange<UInt64>, from start: UInt64
    ) throws -> [LogEntry] {
        var entries: [LogEntry] = []
        var offset = entriesHeader
        for number in numbers {
            guard bytes.count - offset >= entryHeader else {
                throw SharedLogError.damaged(.entry(number), expected: "an entry", found: "the end of the message")
            }
            let size = Int(bytes.littleEndian(at: offset, as: UInt32.self))
            offset += entryHeader
            guard bytes.count - offset >= size else {
                throw SharedLogError.damaged(
                    .entry(number), expected: "\(size) bytes",
                    found: "\(bytes.count - offset) up to the end of the message")
            }
            if number >= start {
                let encoded = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
                entries.append(try LogEntry(encoded: encoded, number: number))
            }
            offset += size
        }
        guard offset == bytes.count else {
            throw SharedLogError.damaged(
                .entry(numbers.upperBound), expected: "the end of the message",
                found: "\(bytes.count - offset) more bytes")
        }
        return entries
    }

    // MARK: Snapshots

    /// What is known of a snapshot besides its bytes.
    struct Manifest {
        var position: LogPosition
        var size: Int
        var digest: UInt64
        /// The sequences of the parts in their stream, in ascending order.
        var parts: [UInt64]

        /// The bytes before the first sequence.
        static let header = 38

        var encoded: [UInt8] {
            var bytes = [format, Kind.manifest.rawValue]
            bytes.append(littleEndian: position.number)
            bytes.append(littleEndian: position.checksum)
            bytes.append(littleEndian: UInt64(size))
            bytes.append(littleEndian: digest)
            bytes.append(littleEndian: UInt32(parts.count))
            for part in parts { bytes.append(littleEndian: part) }
            return bytes
        }

        init(position: LogPosition, size: Int, digest: UInt64, parts: [UInt64]) {
            self.position = position
            self.size = size
            self.digest = digest
            self.parts = parts
        }

        init(_ bytes: UnsafeRawBufferPointer) throws {
            guard try kind(of: bytes, at: .snapshot) == .manifest, bytes.count >= Manifest.header else {
                throw SharedLogError.damaged(.snapshot, expected: "a manifest", found: "\(bytes.count) other bytes")
            }
            position = try LogChain.checked(
                LogPosition(number: bytes.littleEndian(at: 2), checksum: bytes.littleEndian(at: 10)))
            size = Int(clamping: bytes.littleEndian(at: 18, as: UInt64.self))
            digest = bytes.littleEndian(at: 26)
            let count = Int(bytes.littleEndian(at: 34, as: UInt32.self))
            guard bytes.count == Manifest.header + count * 8 else {
                throw SharedLogError.damaged(
                    .snapshot, expected: "\(count) parts", found: "\(bytes.count - Manifest.header) bytes for them")
            }
            parts = (0..<count).map { bytes.littleEndian(at: Manifest.header + $0 * 8) }
            // One part that is listed many times would fill the memory, and would cost its writer nothing.
            for (before, next) in zip(parts, parts.dropFirst()) where next <= before {
                throw SharedLogError.damaged(
                    .snapshot, expected: "a part behind sequence \(before)", found: "sequence \(next)")
            }
        }
    }
}
