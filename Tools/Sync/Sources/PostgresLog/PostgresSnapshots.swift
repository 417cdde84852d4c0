import SharedLog

/// Snapshots in PostgreSQL: rows with a part each, because a value has at most 1 GiB, and a part in memory is enough.
enum PostgresSnapshots {
    /// Writes a snapshot and removes the older ones, in one transaction: others see all of its parts or none.
    static func write(
        _ snapshot: LogSnapshot, list: Int64, on connection: PostgresConnection
    ) throws {
        let partBytes = LogSnapshot.partBytes
        // The number of the offer is taken before the transaction, because it locks the row that appends need.
        guard let rows = try connection.run(PostgresSchema.beginOffer, [.integer(list)]), rows.count > 0,
            let offer = rows.integer(0, 0)
        else { throw SharedLogError.damaged(.snapshot, expected: "the row of the list", found: "none") }
        let count = max(1, (snapshot.bytes.count + partBytes - 1) / partBytes)
        try connection.run("BEGIN")
        do {
            for part in 0..<count {
                try SharedLogError.checkCancellation()
                let start = part * partBytes
                let bytes = Array(snapshot.bytes[start..<min(start + partBytes, snapshot.bytes.count)])
                try connection.run(
                    PostgresSchema.addPart,
                    [
                        .integer(list), .integer(offer), .integer(Int64(part) + 1), .integer(Int64(count)),
                        .integer(Int64(snapshot.position.number)),
                        .integer(Int64(bitPattern: snapshot.position.checksum)), .integer(Int64(snapshot.bytes.count)),
                        .integer(Int64(bitPattern: snapshot.digest)), .bytes(bytes),
                    ])
            }
            try connection.run(PostgresSchema.removeOlder, [.integer(list), .integer(offer)])
            try connection.run("COMMIT")
        } catch {
            // A connection that is not used any more rolls back by itself.
            if !connection.isLate { _ = try? connection.run("ROLLBACK") }
            throw error
        }
    }

    static func read(_ list: Int64, on connection: PostgresConnection) throws -> LogSnapshot? {
        // A newer offer may remove the parts while they are read: then that one is read.
        var before: Int64?
        while let values = try newest(list, on: connection) {
            if let snapshot = try readParts(of: values, list: list, on: connection) { return snapshot }
            guard before != values[0] else {
                throw SharedLogError.damaged(.snapshot, expected: "\(values[1]) parts", found: "a part is missing")
            }
            before = values[0]
        }
        return nil
    }

    /// The position of the newest snapshot; nil if there is none.
    static func position(_ list: Int64, on connection: PostgresConnection) throws -> LogPosition? {
        try newest(list, on: connection).map(position)
    }

    private static func position(_ values: [Int64]) throws -> LogPosition {
        try LogChain.checked(LogPosition(number: UInt64(values[2]), checksum: UInt64(bitPattern: values[3])))
    }

    /// The six integers of the newest snapshot; nil if there is none.
    private static func newest(_ list: Int64, on connection: PostgresConnection) throws -> [Int64]? {
        guard let rows = try connection.run(PostgresSchema.newestSnapshot, [.integer(list)]), rows.count > 0 else {
            return nil
        }
        let values = (0..<6).compactMap { rows.integer(0, $0) }
        guard values.count == 6, values[1] > 0, values[2] >= 0, values[4] >= 0 else {
            throw SharedLogError.damaged(.snapshot, expected: "six integers", found: "something else")
        }
        return values
    }

    /// The snapshot that a row begins; nil if a part is missing.
    private static func readParts(
        of values: [Int64], list: Int64, on connection: PostgresConnection
    ) throws -> LogSnapshot? {
        let position = try position(values)
        var bytes: [UInt8] = []
        var part: Int64 = 0
        while part < values[1] {
            part += 1
            guard
                let rows = try connection.run(
                    PostgresSchema.part, [.integer(list), .integer(values[0]), .integer(part)]), rows.count > 0
            else { return nil }
            bytes.append(contentsOf: rows.bytes(0, 0))
            // What the row says is not believed before the bytes are there.
            guard bytes.count <= Int(values[4]) else { break }
        }
        guard bytes.count == Int(values[4]) else {
            throw SharedLogError.damaged(.snapshot, expected: "\(values[4]) bytes", found: "\(bytes.count)")
        }
        let snapshot = LogSnapshot(position: position, bytes: bytes)
        guard snapshot.digest == UInt64(bitPattern: values[5]) else {
            throw SharedLogError.damaged(
                .snapshot, expected: "checksum \(hexadecimal(UInt64(bitPattern: values[5])))",
                found: hexadecimal(snapshot.digest))
        }
        return snapshot
    }
}
