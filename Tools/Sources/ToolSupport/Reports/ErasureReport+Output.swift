// Prints what was erased.
//
// Always holds: both formats have the same numbers.

import Listory

extension ErasureReport {
    /// A line for each number.
    public var text: String {
        """
        version     \(version)
        erased      \(contentCount) contents of \(commitCount) commits, \(byteCount) bytes
        deleted     \(deletedCount) rows
        unknown     \(unattributedCount) contents of dropped commits
        before      \(bytesBefore) bytes
        after       \(bytesAfter) bytes

        """
    }

    /// All numbers as one line of JSON.
    public var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.member("erased", contentCount)
            writer.member("commits", commitCount)
            writer.member("bytes", byteCount)
            writer.member("deleted", deletedCount)
            writer.member("unknown", unattributedCount)
            writer.member("bytesBefore", bytesBefore)
            writer.member("bytesAfter", bytesAfter)
        }
    }
}
