// A log in memory. Always holds: all commits are there.

import ListModel

/// The records of all commits of a list.
final class ProbeLog: CommitSource, @unchecked Sendable {
    // @unchecked Sendable: used by one thread.

    private(set) var records: [[UInt8]] = []

    /// A record was asked for that there is not.
    struct Missing: Error {}

    func append(_ commit: Commit?) {
        if let commit { records.append(commit.record) }
    }

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let index = Int(version.rawValue) - 1
        guard records.indices.contains(index) else { throw Missing() }
        try records[index].withUnsafeBytes(body)
    }
}
