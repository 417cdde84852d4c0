// A commit of a replica that is in no log, and its row in the file. `Docs/Design/FileFormat.md` defines its bytes.
//
// Always holds: the record in a row that was read has the right checksum.

import ListModel

/// A pending commit of this replica of which the shared list has nothing, or only a part: a rule of the app forbids it behind the commits of
/// others, these have changed the same rows, or the shared log does not take it.
public struct SetAsideCommit: Sendable {
    /// The commit as it was made. Its version is that of another commit now.
    public let commit: Commit
    /// Why it was set aside.
    public let reason: String

    init(commit: Commit, reason: String) { (self.commit, self.reason) = (commit, reason) }

    /// The commit that a row has.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)``, ``RecordError`` if it is damaged.
    init(_ row: UnsafeRawBufferPointer) throws {
        guard row.count >= 12 else {
            throw ListError.headMismatch(what: "commit set aside", expected: "12 bytes", found: "\(row.count)")
        }
        // SAFETY: the size was just checked.
        let version = Version(UInt64(littleEndian: row.loadUnaligned(as: UInt64.self)))
        let count = Int(UInt32(littleEndian: row.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        guard row.count - 12 >= count else {
            throw ListError.headMismatch(
                what: "commit set aside", expected: "a reason of \(count) bytes", found: "\(row.count - 12)")
        }
        reason = String(decoding: row[12..<12 + count], as: UTF8.self)
        commit = try Commit(record: Array(row[(12 + count)...]), version: version)
    }

    /// The row.
    var bytes: [UInt8] {
        let reason = Array(self.reason.utf8)
        return withUnsafeBytes(of: commit.version.rawValue.littleEndian) { Array($0) }
            + withUnsafeBytes(of: UInt32(reason.count).littleEndian) { Array($0) } + reason + commit.record
    }

    /// The key of its row.
    var key: String { LogFormat.setAsidePrefix + String(commit.checksum, radix: 16) }
}
