// Prints what was salvaged or repaired.
//
// Always holds: both formats have the same numbers.

import Listory

extension SalvageReport {
    /// A line for each number.
    public var text: String {
        var lines = [
            "newest      \(newestVersion)", "damage      \(damageCount) places in \(pageCount) pages",
            "lost        \(lostCommitCount) commits, \(unreadableCount) rows, \(lostContentCount) contents"
                + (lostNameCount == 0 ? "" : ", \(lostNameCount) names"),
            "loose       \(looseCommitCount) commits that can be read, but not the rows before them",
        ]
        for part in parts {
            let range = "\(part.oldestVersion) to \(part.version)"
            lines.append(
                "versions    \(range), \(part.commitCount) commits\(part.path.isEmpty ? "" : " in \(part.path)")")
        }
        lines.append("rows        \(itemCount - unreadableCount)")
        lines.append("left over   \(leftoverCount) rows added, \(updatedCount) updated")
        return lines.joined(separator: "\n") + "\n"
    }

    /// All numbers as one line of JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        writer.endLine()
        return writer.bytes
    }
}

extension RepairReport {
    /// The result as text.
    public var text: String { (wasRepaired ? "repaired\n" : "") + VerificationReport.text(verification) }

    /// The result as one line of JSON.
    public var json: [UInt8] {
        JSONWriter.line { writer in
            writer.member("repaired", wasRepaired)
            writer.member("version", verification.version.rawValue)
            writer.member("commits", verification.commitCount)
            writer.member("hash", verification.stateHash.description)
            writer.key("found")
            writer.write(found)
        }
    }
}

extension JSONWriter {
    /// Writes the numbers of a salvage.
    mutating func write(_ report: SalvageReport) {
        object { writer in
            writer.member("complete", report.isComplete)
            writer.member("newestVersion", report.newestVersion.rawValue)
            writer.member("pages", report.pageCount)
            writer.member("damagedPlaces", report.damageCount)
            writer.member("lostCommits", report.lostCommitCount)
            writer.member("looseCommits", report.looseCommitCount)
            writer.member("lostRows", report.unreadableCount)
            writer.member("lostContents", report.lostContentCount)
            writer.member("lostNames", report.lostNameCount)
            writer.member("rows", report.itemCount - report.unreadableCount)
            writer.member("rowsAdded", report.leftoverCount)
            writer.member("rowsUpdated", report.updatedCount)
            writer.key("parts")
            writer.array { writer in
                for part in report.parts {
                    writer.object { writer in
                        if !part.path.isEmpty { writer.member("path", part.path) }
                        writer.member("oldestVersion", part.oldestVersion.rawValue)
                        writer.member("version", part.version.rawValue)
                        writer.member("commits", part.commitCount)
                        writer.member("events", part.eventCount)
                    }
                }
            }
        }
    }
}
