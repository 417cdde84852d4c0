// A log in memory. Always holds: it has all commits.

import ListModel

/// The records of all commits of a list.
final class ProbeLog: CommitSource, @unchecked Sendable {
    // @unchecked Sendable: used by one thread.

    private(set) var records: [[UInt8]] = []

    /// The error for a record that does not exist.
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
