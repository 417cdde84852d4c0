import SharedLog

/// Snapshots in NATS: a stream beside the log, with messages for the parts, and then one that lists them.
///
/// A snapshot counts when its manifest is there. After that, everything up to the manifest before is removed: the snapshot of that one,
/// and parts of which no manifest came. The parts between the two manifests may be those of another client that is not ready yet.
enum NATSSnapshots {
    static func write(
        _ snapshot: LogSnapshot, _ names: NATSNames, messageBytes: Int, replicas: Int, on connection: NATSConnection
    ) throws {
        let partBytes = min(messageBytes - 2, LogSnapshot.partBytes)
        // The manifest has to fit into a message. Of a server that takes only small ones, this may be the smaller limit.
        try snapshot.checkSize(limit: (messageBytes - NATSFrame.Manifest.header) / 8 * partBytes)
        let before: UInt64?
        do {
            before = try connection.lastMessage(names.manifest, of: names.snapshots)?.sequence
        } catch let failure as NATSFailure where failure.isNotFound {
            try connection.addStream(names.snapshots, subject: names.allSnapshots, stored: nil, replicas: replicas)
            before = nil
        }
        for _ in 0..<3 {
            let parts = try publish(snapshot, names, partBytes: partBytes, on: connection)
            // Another client's offer may have removed them before the manifest was there.
            if try parts.isEmpty || connection.message(parts[0], of: names.snapshots) != nil { break }
        }
        // The next offer removes them if this fails.
        if let before { try? connection.purge(names.snapshots, upTo: before) }
    }

    /// Publishes the parts, and then the manifest; returns the sequences of the parts.
    private static func publish(
        _ snapshot: LogSnapshot, _ names: NATSNames, partBytes: Int, on connection: NATSConnection
    ) throws -> [UInt64] {
        var parts: [UInt64] = []
        for start in stride(from: 0, to: snapshot.bytes.count, by: partBytes) {
            try SharedLogError.checkCancellation()
            let bytes = snapshot.bytes[start..<min(start + partBytes, snapshot.bytes.count)]
            parts.append(
                try connection.publish([NATSFrame.format, NATSFrame.Kind.part.rawValue] + bytes, to: names.part))
        }
        let manifest = NATSFrame.Manifest(
            position: snapshot.position, size: snapshot.bytes.count, digest: snapshot.digest, parts: parts)
        _ = try connection.publish(manifest.encoded, to: names.manifest)
        return parts
    }

    /// - Parameter largest: how many bytes it may have. One that has more is damage.
    static func read(_ names: NATSNames, largest: Int, on connection: NATSConnection) throws -> LogSnapshot? {
        // A newer offer may remove the parts while they are read: then that one is read.
        var before: UInt64?
        while let message = try manifest(names, on: connection) {
            let manifest = try NATSFrame.Manifest(message.bytes)
            try LogSnapshot.checkStoredSize(manifest.size, limit: largest)
            if let bytes = try readParts(of: manifest, names, on: connection) {
                let snapshot = LogSnapshot(position: manifest.position, bytes: bytes)
                guard bytes.count == manifest.size, snapshot.digest == manifest.digest else {
                    throw SharedLogError.damaged(
                        .snapshot, expected: "\(manifest.size) bytes with checksum \(hexadecimal(manifest.digest))",
                        found: "\(bytes.count) bytes with checksum \(hexadecimal(snapshot.digest))")
                }
                return snapshot
            }
            guard before != message.sequence else {
                throw SharedLogError.damaged(
                    .snapshot, expected: "\(manifest.parts.count) parts", found: "a part is missing")
            }
            before = message.sequence
        }
        return nil
    }

    /// The position of the newest snapshot; nil if there is none.
    static func position(_ names: NATSNames, on connection: NATSConnection) throws -> LogPosition? {
        try manifest(names, on: connection).map { try NATSFrame.Manifest($0.bytes).position }
    }

    /// The newest manifest; nil if there is none.
    private static func manifest(_ names: NATSNames, on connection: NATSConnection) throws -> NATSMessage? {
        do { return try connection.lastMessage(names.manifest, of: names.snapshots) } catch let failure as NATSFailure
            where failure.isNotFound
        {
            return nil
        }
    }

    /// The bytes of a snapshot; nil if a part is missing.
    private static func readParts(
        of manifest: NATSFrame.Manifest, _ names: NATSNames, on connection: NATSConnection
    ) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        for sequence in manifest.parts {
            try SharedLogError.checkCancellation()
            guard let message = try connection.message(sequence, of: names.snapshots) else { return nil }
            guard try NATSFrame.kind(of: message.bytes, at: .snapshot) == .part else {
                throw SharedLogError.damaged(.snapshot, expected: "a part", found: "another message")
            }
            bytes.append(contentsOf: message.bytes[2...])
            // No more is read than the manifest says.
            guard bytes.count <= manifest.size else { break }
        }
        return bytes
    }
}
