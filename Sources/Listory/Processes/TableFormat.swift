// The bytes of the process table. See `Docs/Design/FileFormat.md`.
//
// Always holds: a header or a slot that was read is whole, because its checksum is right.

import LMDB
import ListModel

/// The checkpoints that a process needs.
struct ProcessLeases: Hashable, Sendable {
    /// The most that are listed one by one.
    static let limit = 12

    /// Their versions, ascending.
    let versions: [Version]
    /// Whether all later checkpoints are needed as well, because there are too many to list.
    let isOpen: Bool
    /// The oldest of them whose locators are needed as well; nil if only their rows are read, as by snapshots.
    let located: Version?

    /// Leases of some checkpoints.
    ///
    /// - Parameter located: as the property, or an older version.
    init(_ versions: [Version], located: Version?) {
        var sorted: [Version] = []
        for version in versions.sorted() where version != sorted.last { sorted.append(version) }
        isOpen = sorted.count > ProcessLeases.limit
        let listed = isOpen ? Array(sorted.prefix(1)) : sorted
        self.versions = listed
        // One that is not listed cannot be stated.
        self.located = located.flatMap { listed.contains($0) ? $0 : listed.first }
    }

    /// Leases from a slot.
    ///
    /// - Parameter place: 0 if nothing is said of locators, as by earlier builds, 1 if none are needed, otherwise two more than the
    ///   index of the oldest version whose locators are.
    fileprivate init(_ versions: [Version], isOpen: Bool, place: Int) {
        (self.versions, self.isOpen) = (versions, isOpen)
        located = place == 1 ? nil : versions.indices.contains(place - 2) ? versions[place - 2] : versions.first
    }

    /// What a slot says of locators.
    fileprivate var place: Int { located.flatMap { versions.firstIndex(of: $0) }.map { $0 + 2 } ?? 1 }

    /// Whether none is needed.
    var isEmpty: Bool { versions.isEmpty }

    /// Whether a checkpoint is needed.
    func contains(_ version: Version) -> Bool {
        versions.contains(version) || (isOpen && versions.first.map { version >= $0 } ?? false)
    }
}

/// Reads and writes the parts of the process table.
enum TableFormat {
    static let slotCount = 64
    static let headerSize = 128
    static let slotSize = 128
    static let size = headerSize + slotCount * slotSize
    /// The locks are on bytes beyond the file: a byte for each slot, and one for the checkpoint role.
    static let firstLock = 1 << 20
    static let roleLock = firstLock + slotCount

    static func offset(ofSlot index: Int) -> Int { headerSize + index * slotSize }

    /// What all processes share.
    struct Header {
        /// How many processes have joined.
        var generation: UInt64 = 0
        var end = ProcessTable.Published()

        init() {}

        /// A header from its bytes; nil if it is not whole. Before the first process has written it, it is zeros.
        init?(_ bytes: UnsafeRawBufferPointer) {
            guard TableFormat.isWhole(bytes, TableFormat.headerSize) else {
                if bytes.allSatisfy({ $0 == 0 }) { return }
                return nil
            }
            generation = TableFormat.word(1, in: bytes)
            guard let head = LogPosition(UnsafeRawBufferPointer(rebasing: bytes[16..<16 + LogPosition.byteCount]))
            else {
                return nil
            }
            let stored = TableFormat.word(2 + LogPosition.byteCount / 8, in: bytes)
            end = ProcessTable.Published(head: head, stored: Version(stored))
        }

        var bytes: [UInt8] {
            var words: [UInt64] = [generation]
            end.head.bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count, by: 8) {
                    words.append(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                }
            }
            words.append(end.stored.rawValue)
            return TableFormat.bytes(words, TableFormat.headerSize)
        }
    }

    /// What a process says about itself.
    struct Slot {
        var purpose: UInt32
        var leases: ProcessLeases

        init(purpose: UInt32, leases: ProcessLeases) { (self.purpose, self.leases) = (purpose, leases) }

        /// A slot from its bytes; nil if it is not whole.
        init?(_ bytes: UnsafeRawBufferPointer) {
            func word(_ index: Int) -> UInt64 { TableFormat.word(index, in: bytes) }
            guard TableFormat.isWhole(bytes, TableFormat.slotSize), word(2) <= ProcessLeases.limit else { return nil }
            purpose = UInt32(truncatingIfNeeded: word(1))
            leases = ProcessLeases(
                (4..<4 + Int(word(2))).map { Version(word($0)) }, isOpen: word(3) != 0, place: Int(word(1) >> 32))
        }

        var bytes: [UInt8] {
            let words =
                [UInt64(purpose) | UInt64(leases.place) << 32, UInt64(leases.versions.count), leases.isOpen ? 1 : 0]
                + leases.versions.map(\.rawValue)
            return TableFormat.bytes(words, TableFormat.slotSize)
        }
    }

    /// The header in the bytes of a table; nil if it is not whole.
    static func header(in bytes: [UInt8]) -> Header? { bytes.prefix(headerSize).withUnsafeBytes { Header($0) } }

    /// The slot of an index in the bytes of a table; nil if it is not whole.
    static func slot(_ index: Int, in bytes: [UInt8]) -> Slot? {
        bytes[offset(ofSlot: index)...].prefix(slotSize).withUnsafeBytes { Slot($0) }
    }

    /// The other processes that have slots, by slot.
    static func holders(_ descriptor: Int32) -> [Int: Int32] {
        var holders: [Int: Int32] = [:]
        Platform.forEachByteLock(descriptor, in: firstLock..<firstLock + slotCount) { holders[$0 - firstLock] = $1 }
        return holders
    }

    /// The bytes of words behind their checksum.
    private static func bytes(_ words: [UInt64], _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        for word in words { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
        bytes += [UInt8](repeating: 0, count: count - bytes.count)
        let sum = bytes[8...].withUnsafeBytes { XXHash64.hash($0, seed: UInt64(count)) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(0..<8, with: $0) }
        return bytes
    }

    /// Whether bytes are as many as they have to be, and have their checksum.
    private static func isWhole(_ bytes: UnsafeRawBufferPointer, _ count: Int) -> Bool {
        bytes.count == count
            && word(0, in: bytes) == XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[8...]), seed: UInt64(count))
    }

    /// A word of bytes; the first one is their checksum.
    private static func word(_ index: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }

    // MARK: The file

    static func check(_ code: Int32, _ path: String) throws {
        if code != 0 { throw LMDBError(code: code, in: "process table", detail: path) }
    }

    /// Calls `body` with bytes of the file.
    static func withBytes<Result>(
        _ descriptor: Int32, at offset: Int, _ count: Int, _ path: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result {
        try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            switch Platform.read(descriptor, into: bytes, at: offset) {
            case .failure(let error): throw LMDBError(code: error.number, in: "pread", detail: path)
            case .success(let read):
                guard read == count else {
                    throw ListError.headMismatch(
                        what: "process table", expected: "\(offset + count) bytes", found: "\(offset + read)")
                }
                return body(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    static func put(_ bytes: [UInt8], _ descriptor: Int32, at offset: Int, _ path: String) throws {
        try check(bytes.withUnsafeBytes { Platform.write(descriptor, $0, at: offset) }, path)
    }
}
