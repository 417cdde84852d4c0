/// Whether entries continue a log.
public enum LogChain {
    /// The position behind entries that follow a position; throws ``SharedLogError/damaged(_:expected:found:)`` for the first entry
    /// with another number or another link.
    ///
    /// The checksums of the entries are right: a ``LogEntry`` has no other.
    @discardableResult
    public static func verify(
        _ entries: [LogEntry], after position: LogPosition
    ) throws -> LogPosition {
        var end = position
        // In place: a copy of an entry would count a reference to its payload.
        for index in entries.indices {
            let (number, link) = (entries[index].number, entries[index].link)
            // No number follows the largest one, so it cannot be added to.
            guard end.number < LogPosition.maximumNumber, number == end.number + 1 else {
                throw SharedLogError.damaged(
                    .entry(number), expected: "the entry after \(end.number)", found: "entry \(number)")
            }
            guard link == end.checksum else {
                throw SharedLogError.damaged(
                    .entry(number), expected: "a link to \(hexadecimal(end.checksum))",
                    found: "a link to \(hexadecimal(link))")
            }
            end = LogPosition(number: number, checksum: entries[index].checksum)
        }
        return end
    }

    /// Checks what an engine has read after a number: the first entry has the next number, and each of the others follows the one
    /// before it.
    package static func verify(_ entries: [LogEntry], afterNumber number: UInt64) throws {
        guard let first = entries.first else { return }
        try verify(entries, after: LogPosition(number: number, checksum: first.link))
        guard number > 0 || first.link == 0 else {
            throw SharedLogError.damaged(.entry(1), expected: "no link", found: "a link to \(hexadecimal(first.link))")
        }
    }

    /// Checks a number that a server says.
    package static func checked(_ position: LogPosition) throws -> LogPosition {
        guard position.number <= LogPosition.maximumNumber else {
            throw SharedLogError.damaged(
                .end, expected: "a number of at most \(LogPosition.maximumNumber)", found: "\(position.number)")
        }
        guard position.number > 0 || position.checksum == 0 else {
            throw SharedLogError.damaged(
                .end, expected: "no checksum before the first entry", found: hexadecimal(position.checksum))
        }
        return position
    }
}
