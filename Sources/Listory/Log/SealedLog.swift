// The compacted part of a log: packed blocks, and the contents of dropped commits.
//
// Always holds: each commit from the base to `base.sealed` is in one block or is a record; a block begins at a
// checkpoint or at the end of another block, so it can be replayed from there.

import LMDB
import ListModel

/// The packed blocks, and the contents of dropped commits, of a file.
struct SealedLog: Sendable {
    let environment: Environment
    let base: LogBase
    let blocks: Database<UInt64, [UInt8]>
    let contents: Database<[UInt8], [UInt8]>

    /// The key of a content that was written in a dropped commit: version and offset, big-endian.
    static func contentKey(_ reference: ContentReference) -> [UInt8] {
        withUnsafeBytes(of: reference.version.rawValue.bigEndian) { Array($0) }
            + withUnsafeBytes(of: reference.offset.bigEndian) { Array($0) }
    }

    /// Calls `body` with the block that holds the commit of a version; nil if none does.
    ///
    /// - Parameter isVerified: whether the checksum of the block need not be compared.
    func withBlock<Result>(
        of version: Version, isVerified: Bool = false, _ body: (PackedBlock) throws -> Result
    ) throws -> Result? {
        guard version > base.version && version <= base.sealed else { return nil }
        return try environment.read { txn in
            var result: Result?
            try txn.forEach(in: blocks, range: 0...version.rawValue, reverse: true) { key, bytes in
                let block = try PackedBlock(bytes, isVerified: isVerified)
                // If a damaged header says that the block begins later, a replay would look for it again and again.
                let first = Version(try UInt64.decode(key))
                guard block.first == first else {
                    throw ListError.headMismatch(
                        what: "key of a packed block", expected: "\(block.first)", found: "\(first)")
                }
                if block.first <= version && version <= block.last { result = try body(block) }
                return false
            }
            return result
        }
    }

    /// As ``withBlock(of:isVerified:_:)``, with a copy of the block and without an open transaction.
    @discardableResult
    func withBlockCopy<Result>(of version: Version, _ body: (PackedBlock) throws -> Result) throws -> Result? {
        guard let copy = try withBlock(of: version, isVerified: true, { Array($0.allBytes) }) else { return nil }
        return try copy.withUnsafeBytes { try body(PackedBlock($0)) }
    }

    /// The first version of the next block after a version; nil if there is none.
    func nextBlock(after version: Version) throws -> Version? {
        guard version < base.sealed else { return nil }
        return try environment.read { txn in
            var first: Version?
            try txn.forEach(in: blocks, range: version.rawValue + 1...UInt64.max) { key, _ in
                first = Version(try UInt64.decode(key))
                return false
            }
            return first
        }
    }

    /// How many commits are in blocks.
    ///
    /// - Complexity: O(blocks).
    func packedCount() throws -> UInt64 {
        try environment.read { txn in
            var count: UInt64 = 0
            try txn.forEach(in: blocks) { _, bytes in
                let block = try PackedBlock(bytes, isVerified: true)
                count += block.last.rawValue - block.first.rawValue + 1
                return true
            }
            return count
        }
    }

    /// Whether the content of a dropped commit was lost already when the store was salvaged: its value is empty.
    func isKnownAsLost(_ reference: ContentReference) throws -> Bool {
        guard reference.length > 0, reference.version <= base.version else { return false }
        return try environment.read { txn in
            try txn.withValue(forKey: SealedLog.contentKey(reference), in: contents) { $0?.isEmpty ?? false }
        }
    }

    /// Calls `body` with a content of a packed or dropped commit; nil if it is in neither.
    func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if reference.version > base.version {
            return try withBlock(of: reference.version, isVerified: true) { try $0.withContent(of: reference, body) }
        }
        return try environment.read { txn in
            try txn.withValue(forKey: SealedLog.contentKey(reference), in: contents) { bytes in
                guard let bytes, bytes.count == Int(reference.length) else { return nil }
                return try body(bytes)
            }
        }
    }
}
