// Reading from a stream: where it ends, and which message has an entry.
//
// Always holds: the cursor's sequence is that of the message behind the entries that were read; a message that is missing before the end
// is an error.

import SharedLog

extension NATSLog {
    /// Goes on behind the entries that were announced and taken.
    func followAnnouncements() {
        guard let taken = events.takeTail(), taken.position.number >= cursor.number else { return }
        cursor = Cursor(number: taken.position.number + 1, sequence: taken.sequence + 1)
        (tail, tailEnd) = (taken, nil)
    }

    func readTail(on connection: NATSConnection) throws -> Tail {
        let end = try streamEnd(on: connection)
        if let tail, end == tailEnd { return tail }
        guard let message = try connection.lastMessage(names.subject, of: names.log) else {
            let none = Tail(sequence: end.last, position: .beginning)
            // All messages are gone, and the server knows that there were some.
            guard end.last == 0 else {
                throw SharedLogError.damaged(.end, expected: "a message", found: "none up to sequence \(end.last)")
            }
            return none
        }
        let last = message.sequence
        var sequence = last
        var position = try position(behind: message)
        while position == nil, sequence > max(1, end.first) {
            sequence -= 1
            position = try connection.message(sequence, of: names.log).flatMap { try self.position(behind: $0) }
        }
        let tail = Tail(sequence: last, position: position ?? .beginning)
        self.tail = tail
        // It may have grown between the two requests.
        tailEnd = end.last == last ? end : nil
        return tail
    }

    /// The position behind the entries of a message; nil if it has none.
    private func position(behind message: NATSMessage) throws -> LogPosition? {
        guard let numbers = try NATSFrame.numbers(in: message.bytes, of: list, at: .end) else { return nil }
        return try NATSFrame.entries(in: message.bytes, numbers: numbers, from: numbers.upperBound).last?.position
    }

    func read(from number: UInt64, maximumBytes: Int, on connection: NATSConnection) throws -> [LogEntry] {
        followAnnouncements()
        if cursor.number != number {
            cursor = Cursor(number: number, sequence: try sequence(of: number, on: connection))
        }
        var result: [LogEntry] = []
        var bytes = 0
        var requests = 0
        while true {
            while let entry = cursor.entries.first {
                bytes += entry.encodedCount
                guard bytes <= maximumBytes || result.isEmpty else { return result }
                result.append(entry)
                cursor.entries.removeFirst()
                cursor.number += 1
                if bytes > maximumBytes { return result }
            }
            // This was the newest message when the server last woke this client. It wakes it again for another one; that there is none,
            // it says sooner than that a message is missing.
            if cursor.sequence - 1 == events.stored.load(ordering: .relaxed) {
                if try !result.isEmpty || connection.end(of: names.log).last == cursor.sequence - 1 { return result }
            }
            // A few messages are asked for one by one; for more of them, a consumer is worth its requests. It is asked for no more
            // messages than there are, because it would wait for others.
            var messages: [NATSMessage] = []
            if requests >= 3 || cursor.reader != nil {
                if cursor.last < cursor.sequence { cursor.last = try connection.end(of: names.log).last }
                let count = Int(clamping: cursor.last) - Int(clamping: cursor.sequence) + 1
                if count > 0 {
                    if cursor.reader?.next != cursor.sequence {
                        cursor.reader = try connection.reader(
                            of: names.log, subject: names.subject, from: cursor.sequence)
                    }
                    messages = cursor.reader!.read(
                        count: min(count, 10_000), bytes: min(max(1, maximumBytes - bytes), 16 << 20))
                }
            }
            if messages.isEmpty {
                cursor.reader = nil
                guard let message = try connection.message(cursor.sequence, of: names.log) else {
                    if result.isEmpty { try checkGap(on: connection) }
                    return result
                }
                messages = [message]
                requests += 1
            }
            var entries: [LogEntry] = []
            for message in messages { try decode(message, to: &entries) }
            cursor.sequence += UInt64(messages.count)
            cursor.entries = entries[...]
        }
    }

    /// Reads the entries of a message from the cursor's number on.
    private func decode(_ message: NATSMessage, to entries: inout [LogEntry]) throws {
        let next = cursor.number + UInt64(entries.count)
        let bytes = message.bytes
        guard let numbers = try NATSFrame.numbers(in: bytes, of: list, at: .entry(next)) else { return }
        guard numbers.contains(next) else {
            throw SharedLogError.damaged(
                .entry(next), expected: "a message with it",
                found: "entries \(numbers.lowerBound) to \(numbers.upperBound)")
        }
        entries += try NATSFrame.entries(in: bytes, numbers: numbers, from: next)
    }

    /// The sequence of the message with an entry, or the one behind the last message.
    private func sequence(of number: UInt64, on connection: NATSConnection) throws -> UInt64 {
        let end = try connection.end(of: names.log)
        let first = max(1, end.first)
        guard number > 1 else { return first }
        if let tail, end == tailEnd, number == tail.position.number + 1 { return tail.sequence + 1 }
        // The last message that begins at or before the number. Single entries are mostly asked for in order, so this one is looked for
        // where the last reading ended, and then where it is if the next messages have as many entries as that one; by halves once that
        // is too late.
        var (low, high) = (first, end.last)
        var next: UInt64?
        var step: UInt64 = 1
        if number >= cursor.number, cursor.sequence - 1 <= end.last {
            let isRead = number < cursor.number + UInt64(cursor.entries.count)
            next = isRead ? cursor.sequence - 1 : cursor.sequence
            low = max(first, cursor.sequence - min(cursor.sequence, 2))
        }
        let start = low
        while low < high {
            let middle = next.map { min(max($0, low + 1), high) } ?? (low + (high - low + 1) / 2)
            let found = try numbers(upTo: middle, from: low, for: number, on: connection)
            if let found, found.numbers.contains(number) { return found.sequence }
            if let found, found.numbers.lowerBound > number {
                (high, next) = (middle - 1, nil)
            } else {
                low = middle
                guard next != nil else { continue }
                let skipped = found.map { (number - $0.numbers.upperBound - 1) / UInt64($0.numbers.count) } ?? 0
                // In any case farther than before.
                (next, step) = (middle + max(step, skipped + 1), step * 2)
            }
        }
        guard low <= end.last, let last = try numbers(upTo: low, from: first, for: number, on: connection) else {
            return low
        }
        if last.numbers.contains(number) { return last.sequence }
        if start > first, last.numbers.lowerBound > number {
            // What was read last is not in this stream any more.
            cursor = Cursor()
            return try sequence(of: number, on: connection)
        }
        // The number is behind the end of the log.
        return low + 1
    }

    /// The numbers of the entries in a message, or, if it has none, in the last one before it that has.
    private func numbers(
        upTo sequence: UInt64, from first: UInt64, for number: UInt64, on connection: NATSConnection
    ) throws -> (sequence: UInt64, numbers: ClosedRange<UInt64>)? {
        for probe in stride(from: sequence, through: first, by: -1) {
            guard let message = try connection.message(probe, of: names.log) else {
                // A server that leads from now on may not have it yet, or never have had it.
                let end = try connection.end(of: names.log)
                guard end.first <= probe, probe <= end.last,
                    try connection.message(probe, of: names.log) == nil
                else {
                    throw SharedLogError.unavailable(cause: "the log changes while it is read")
                }
                throw SharedLogError.damaged(.entry(number), expected: "message \(probe)", found: "none")
            }
            if let numbers = try NATSFrame.numbers(in: message.bytes, of: list, at: .entry(number)) {
                return (probe, numbers)
            }
        }
        return nil
    }

    /// No entries at the cursor are an error if the log ends behind it.
    private func checkGap(on connection: NATSConnection) throws {
        let number = cursor.number
        let tail = try readTail(on: connection)
        if tail.position.number + 1 == number, tail.sequence + 1 == cursor.sequence { return }
        guard tail.position.number >= number else {
            // The cursor may be behind the end of a log that was truncated.
            cursor = Cursor()
            return
        }
        // It may have grown just now.
        if tail.sequence >= cursor.sequence, try connection.message(cursor.sequence, of: names.log) != nil { return }
        throw SharedLogError.damaged(
            .entry(number), expected: "an entry", found: "none, and the log ends at \(tail.position)")
    }
}
