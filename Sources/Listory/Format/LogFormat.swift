// The databases and rows of a store's LMDB file. See `Docs/Design/FileFormat.md`.
//
// Always holds: the row of the head is written in one transaction with the last record that it counts; the others refer to records that
// the file has already.

import LMDB
import ListModel

enum LogFormat {
    /// The database of properties of the store, by name.
    static let metaDatabase = "meta"
    /// The database of commit records, by version.
    static let commitDatabase = "commits"

    /// The database of the nodes of checkpoints, by number.
    static let nodeDatabase = "nodes"
    /// The database of checkpoints, by version.
    static let checkpointDatabase = "checkpoints"
    /// The database of nodes that a checkpoint does not share with the one before, by version.
    static let goneDatabase = "gone"

    /// The database of the states of projections, by name.
    static let projectionDatabase = "projections"

    /// The database of the index of touches, by segment and bucket.
    static let touchDatabase = "touches"

    /// The database of the journal.
    static let journalDatabase = "tail"

    /// The database of packed blocks, by their first version.
    static let blockDatabase = "blocks"
    /// The database of contents that were written in dropped commits, by version and offset.
    static let contentDatabase = "contents"

    /// The names of all databases. A file has no others. An array, because opening uses it, and a set takes some time at its first use.
    static let databases = [
        metaDatabase, commitDatabase, nodeDatabase, checkpointDatabase, goneDatabase, projectionDatabase, touchDatabase,
        journalDatabase, blockDatabase, contentDatabase,
    ]

    /// The row of `meta` that says where a compacted log begins.
    static let baseKey = "base"
    /// The row of `meta` that says where the locators of the newest checkpoint are.
    static let locatorKey = "locators"
    /// The row of `meta` that lists superfluous numbers.
    static let superfluousKey = "superfluous"
    /// The row of `meta` with the catalog of the index of touches.
    static let touchCatalogKey = "touches"
    /// The row of `meta` that counts the transactions on checkpoints, so that a process detects those of another one.
    static let revisionKey = "revision"
    /// The row of `meta` with the format of the file.
    static let formatKey = "format"
    /// The row of `meta` with the kinds of ids of an app's store.
    static let identifierKey = "identifiers"
    /// The row of `meta` that says which commit is the newest.
    static let headKey = "head"
    /// The row of `meta` that says how much of the log is in a shared log.
    static let confirmedKey = "confirmed"
    /// The row of `meta` that says up to where pending commits were confirmed once, before the shared log lost them.
    static let confirmedOnceKey = "confirmed-once"
    /// The row of `meta` of a replica whose commits are encrypted in the shared log.
    static let encryptedKey = "encrypted"
    /// What the key of a row of `meta` with a commit that was set aside begins with; its checksum follows, in hexadecimal digits.
    static let setAsidePrefix = "aside:"
    /// What the key of a row of `meta` that names a version begins with; the name follows.
    static let namePrefix = "name:"

    /// The first bytes of the format row, before the number of the format.
    static let magic = Array("listory\0".utf8)
    /// The format that this library reads and writes. Formats 1 and 2, which no release ever wrote, had no tree of
    /// commits.
    static let version: UInt32 = 3

    /// The checksum of a row that has a name, which it covers.
    ///
    /// - Parameter kind: a number for each kind of such rows.
    static func checksum(_ body: UnsafeRawBufferPointer, named name: String, kind: UInt64) -> UInt64 {
        var name = name
        let seed = name.withUTF8 { XXHash64.hash(UnsafeRawBufferPointer($0), seed: kind) }
        return XXHash64.hash(body, seed: seed)
    }

    /// The bytes of the format row.
    static var formatRow: [UInt8] {
        magic + withUnsafeBytes(of: version.littleEndian) { Array($0) }
    }

    /// The number in a format row; nil if it is not a format row.
    static func format(_ row: [UInt8]) -> UInt32? {
        guard row.count == magic.count + 4, row.starts(with: magic) else { return nil }
        return row.withUnsafeBytes { bytes in
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: magic.count, as: UInt32.self))
        }
    }
}
