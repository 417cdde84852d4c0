// The packed part of a log: blocks, and the contents of dropped commits.
//
// Always holds: a commit after the base is either a record or in exactly one block, and only ever becomes the latter, in one
// transaction. So whoever looks for a record first, and then for a block, finds the commit without a lock. (`UntypedStore.retreat(at:)`
// unpacks blocks, of a store that nobody else has open.) No checkpoint is inside a block: a block begins at one, or at the end of another
// block, or after a record.

import LMDB
import ListModel

/// The packed blocks, and the contents of dropped commits, of a file.
struct PackedLog: Sendable {
    let environment: Environment
    /// The beginning of the log.
    let base: LogBase

    /// The blocks, by their first version; nil if the file has none.
    func blocks() throws -> Database<UInt64, [UInt8]>? { try open(LogFormat.blockDatabase) }

    private func contents() throws -> Database<[UInt8], [UInt8]>? { try open(LogFormat.contentDatabase) }

    private func open<Key>(_ name: String) throws -> Database<Key, [UInt8]>? {
        if let known = environment.openedDatabase(named: name, of: Key.self, [UInt8].self) { return known }
        // Opening one that is missing would begin a write transaction each time, and wait for whoever writes.
        let names = try environment.openDatabase(named: nil, of: String.self, [UInt8].self)
        guard try environment.read({ try $0.contains(name, in: names) }) else { return nil }
        return try environment.openDatabase(named: name, of: Key.self, [UInt8].self)
    }

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
        guard version > base.version, let blocks = try blocks() else { return nil }
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
                // The rows before it would be looked for in front of the log.
                guard first > base.version else {
                    throw ListError.headMismatch(
                        what: "beginning of a packed block", expected: "one after version \(base.version)",
                        found: "\(first)")
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

    /// The last version whose commit may be packed: the end of the last block, or how far a compaction has packed. That of the
    /// base if no commit is.
    func lastPacked() throws -> Version {
        let end = max(base.version, base.lastPacked)
        guard let blocks = try blocks() else { return end }
        return try environment.read { txn in
            guard let first = try txn.lastKey(in: blocks) else { return end }
            return try txn.withValue(forKey: first, in: blocks) { bytes in
                try bytes.map { max(end, try PackedBlock($0, isVerified: true).last) } ?? end
            }
        }
    }

    /// How many commits are in blocks.
    ///
    /// - Complexity: O(blocks).
    func packedCount() throws -> UInt64 {
        guard let blocks = try blocks() else { return 0 }
        return try environment.read { txn in
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
        guard reference.length > 0, reference.version <= base.version, let contents = try contents() else {
            return false
        }
        return try environment.read { txn in
            try txn.withValue(forKey: PackedLog.contentKey(reference), in: contents) { $0?.isEmpty ?? false }
        }
    }

    /// Whether the file lacks the content of a dropped commit, or knows that it is lost.
    func lacks(_ reference: ContentReference) throws -> Bool {
        guard let contents = try contents() else { return true }
        return try environment.read { txn in
            try txn.withValue(forKey: PackedLog.contentKey(reference), in: contents) { bytes in
                bytes.map { $0.isEmpty && reference.length > 0 } ?? true
            }
        }
    }

    /// Calls `body` with a content of a packed or dropped commit; nil if it is in neither.
    func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if reference.version > base.version {
            return try withBlock(of: reference.version, isVerified: true) { try $0.withContent(of: reference, body) }
        }
        guard let contents = try contents() else { return nil }
        return try environment.read { txn in
            try txn.withValue(forKey: PackedLog.contentKey(reference), in: contents) { bytes in
                guard let bytes, bytes.count == Int(reference.length) else { return nil }
                return try body(bytes)
            }
        }
    }
}
