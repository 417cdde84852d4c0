// Prints the result of a compaction.
//
// Always holds: both formats have the same numbers.

import Listory

extension CompactionReport {
    /// A line for each number.
    public var text: String {
        let share = bytesBefore == 0 ? 100 : Double(bytesAfter) / Double(bytesBefore) * 100
        return """
            version     \(version)
            oldest      \(oldestVersion)
            dropped     \(droppedCount) commits
            packed      \(packedCount) commits in \(blockBytes) bytes
            unpacked    \(unpackedCount) commits
            before      \(bytesBefore) bytes
            after       \(bytesAfter) bytes, \(share.text(places: 1)) %
            per event   \(bytesPerEvent.text(places: 2)) bytes, \(eventCount) events

            """
    }

    /// All numbers as one line of JSON.
    public var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("version", version.rawValue)
            writer.member("oldestVersion", oldestVersion.rawValue)
            writer.member("dropped", droppedCount)
            writer.member("packed", packedCount)
            writer.member("unpacked", unpackedCount)
            writer.member("events", eventCount)
            writer.member("blockBytes", blockBytes)
            writer.member("bytesBefore", bytesBefore)
            writer.member("bytesAfter", bytesAfter)
            writer.key("bytesPerEvent")
            writer.write(.number((bytesPerEvent * 100).rounded() / 100))
        }
    }
}
