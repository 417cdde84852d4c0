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
            if connection.isAlive { _ = try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// What the first row of a snapshot says about it.
    private struct Header {
        let offer: Int64
        let partCount: Int64
        let position: LogPosition
        let size: Int64
        let digest: UInt64
    }

    /// - Parameter largest: how many bytes it may have. One that has more is damage.
    static func read(_ list: Int64, largest: Int, on connection: PostgresConnection) throws -> LogSnapshot? {
        // A newer offer may remove the parts while they are read: then that one is read.
        var before: Int64?
        while let header = try newest(list, on: connection) {
            try LogSnapshot.checkStoredSize(Int(header.size), limit: largest)
            if let snapshot = try readParts(of: header, list: list, on: connection) { return snapshot }
            guard before != header.offer else {
                throw SharedLogError.damaged(
                    .snapshot, expected: "\(header.partCount) parts", found: "a part is missing")
            }
            before = header.offer
        }
        return nil
    }

    /// The position of the newest snapshot; nil if there is none.
    static func position(_ list: Int64, on connection: PostgresConnection) throws -> LogPosition? {
        try newest(list, on: connection)?.position
    }

    /// The header of the newest snapshot; nil if there is none.
    private static func newest(_ list: Int64, on connection: PostgresConnection) throws -> Header? {
        guard let rows = try connection.run(PostgresSchema.newestSnapshot, [.integer(list)]), rows.count > 0 else {
            return nil
        }
        guard let offer = rows.integer(0, 0), let partCount = rows.integer(0, 1), partCount > 0,
            let number = rows.integer(0, 2), number >= 0, let checksum = rows.integer(0, 3),
            let size = rows.integer(0, 4), size >= 0, let digest = rows.integer(0, 5)
        else {
            throw SharedLogError.damaged(.snapshot, expected: "six integers", found: "something else")
        }
        let position = try LogChain.checked(
            LogPosition(number: UInt64(number), checksum: UInt64(bitPattern: checksum)))
        return Header(
            offer: offer, partCount: partCount, position: position, size: size, digest: UInt64(bitPattern: digest))
    }

    /// The snapshot with a header; nil if a part is missing.
    private static func readParts(
        of header: Header, list: Int64, on connection: PostgresConnection
    ) throws -> LogSnapshot? {
        var bytes: [UInt8] = []
        var part: Int64 = 0
        while part < header.partCount {
            try SharedLogError.checkCancellation()
            part += 1
            guard
                let rows = try connection.run(
                    PostgresSchema.part, [.integer(list), .integer(header.offer), .integer(part)]), rows.count > 0
            else { return nil }
            bytes.append(contentsOf: rows.bytes(0, 0))
            // What the row says is not believed before the bytes are there.
            guard bytes.count <= header.size else { break }
        }
        guard bytes.count == header.size else {
            throw SharedLogError.damaged(.snapshot, expected: "\(header.size) bytes", found: "\(bytes.count)")
        }
        let snapshot = LogSnapshot(position: header.position, bytes: bytes)
        guard snapshot.digest == header.digest else {
            throw SharedLogError.damaged(
                .snapshot, expected: "checksum \(hexadecimal(header.digest))", found: hexadecimal(snapshot.digest))
        }
        return snapshot
    }
}
