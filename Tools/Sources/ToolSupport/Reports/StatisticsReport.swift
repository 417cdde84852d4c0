// Prints the statistics of a store.
//
// Always holds: both formats have the same numbers.

import Listory

extension StoreStatistics {
    /// A line for each number.
    public var report: String {
        let bytes = bytesPerEvent.text(places: 1)
        return """
            version     \(version)
            commits     \(commitCount)
            events      \(eventCount)
            sections    \(sectionCount)
            items       \(itemCount)
            undo steps  \(undoDepth)
            redo steps  \(redoDepth)
            oldest      \(oldestVersion)
            packed      \(packedCommitCount) commits
            checkpoint  \(checkpointVersion)
            checkpoints \(checkpointCount) with \(nodeCount) nodes
            row index   \(rowIndexBytes) bytes
            file        \(fileBytes) bytes, \(bytes) per event
            on disk     \(diskBytes) bytes
            records     \(recordBytes) bytes
            hash        \(stateHash)

            """
    }

    /// All numbers as one line of JSON.
    public var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.member("commits", commitCount)
            writer.member("events", eventCount)
            writer.member("sections", sectionCount)
            writer.member("items", itemCount)
            writer.member("undoDepth", undoDepth)
            writer.member("redoDepth", redoDepth)
            writer.member("oldestVersion", oldestVersion.rawValue)
            writer.member("lastPackedVersion", lastPackedVersion.rawValue)
            writer.member("packedCommits", packedCommitCount)
            writer.member("checkpointVersion", checkpointVersion.rawValue)
            writer.member("checkpoints", checkpointCount)
            writer.member("nodes", nodeCount)
            writer.member("rowIndexBytes", rowIndexBytes)
            writer.member("fileBytes", fileBytes)
            writer.member("diskBytes", diskBytes)
            writer.member("recordBytes", recordBytes)
            writer.key("bytesPerEvent")
            writer.write(.number((bytesPerEvent * 10).rounded() / 10))
            writer.member("hash", stateHash.description)
        }
    }
}
