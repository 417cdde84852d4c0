// Reads the commits of a block: replays it into a state, rebuilds its records, lists its commits.
//
// Always holds: a block that is damaged, does not follow the state's version, or does not fit the rows throws. The
// state must not be used afterwards; start again from an intact one.

extension PackedBlock {
    /// Folds the commits of the block into a state, from the one after its version.
    ///
    /// - Parameters:
    ///   - state: the list at the version before the first commit, or at one in the block. Then the commits that it has already
    ///     are decoded and passed over, because the columns of a block can only be read from their start.
    ///   - version: the last version to replay, one of the block; nil for all.
    /// - Throws: ``RecordError`` for damaged bytes, ``ListError`` for events that do not fit. Whether the rows are
    ///   those that were packed can be checked with ``ListState/checkHash(_:)`` and ``stateHash`` after the last.
    /// - Complexity: O(k log n) for the k rows that the commits name; rows that were typed or deleted one after
    ///   another are folded together.
    package func replay(into state: inout ListState, through version: Version? = nil) throws {
        let end = try checkedEnd(version)
        let start = state.version
        try check(start, in: first.previous...end)
        var events = try EventReader(self)
        var pending = EventRun()
        var chunks: [PackedHeaders] = []
        try forEachChunk(through: end, .events) { headers, versions in
            for version in versions {
                try events.beginCommit(version)
                for _ in 0..<headers.eventCount(version) {
                    let event = try events.next()
                    if version > start { try pending.fold(event, into: &state) }
                }
                try events.endCommit()
            }
            chunks.append(headers)
            return true
        }
        try pending.flush(into: &state)
        state.version = end
        // The last commit of a history says what it is. Mostly, all of them are in the last chunk.
        var known: Set<HistoryScope> = []
        for headers in chunks.reversed() {
            let last = headers.lastOfHistories(in: start.next..<end.next, without: &known)
            if last.isEmpty { continue }
            let marks = try self.headers(near: headers.first)
            for version in last { state.histories.note(marks.mark(version), at: version) }
        }
    }

    /// Calls `body` with the record of every commit after the state's version, byte for byte as it was.
    ///
    /// The records are verified only when this function returns: it compares the checksum of the last record, which
    /// covers the link to the record before, and so on. Use the records only after that. If the range ends before the
    /// last version, only the checksum of the block protects the records.
    ///
    /// - Parameters:
    ///   - state: the list at the version before the first commit, or at one in the block; afterwards at the last that was
    ///     asked for.
    ///   - checksum: the checksum of the record of the state's version; nil before the first commit.
    ///   - version: the last version whose record is wanted, one of the block; nil for all.
    ///   - body: receives the version and the record.
    /// - Throws: ``RecordError`` for damaged bytes or another record than was packed, ``ListError`` for events that do
    ///   not fit, and what `body` throws.
    /// - Complexity: O(k log n) for the k rows that the commits name, and the hashes of what each commit changed.
    package func forEachRecord(
        with state: inout ListState, after checksum: UInt64? = nil, through version: Version? = nil,
        _ body: (Version, [UInt8]) throws -> Void
    ) throws {
        let end = try checkedEnd(version)
        let start = state.version
        try check(start, in: first.previous...(checksum == nil ? first.previous : end))
        var events = try EventReader(self)
        var writer = ByteWriter()
        var found = checksum ?? checksumBefore
        var (eventsRead, rest) = (0, recordBytes)
        try forEachChunk(through: end, .all) { headers, versions in
            for version in versions {
                let commit = headers.commit(version)
                try events.beginCommit(version)
                eventsRead += commit.eventCount
                if version <= start {
                    for _ in 0..<commit.eventCount { _ = try events.next() }
                    try events.endCommit()
                    continue
                }
                let link = RecordLayout.link(to: found)
                let record = try state.rebuild(commit, link: link, atMost: rest, &writer) { state in
                    let event = try state.resolve(events.next())
                    return (event, event, events.newContents)
                }
                try events.endCommit()
                guard record.count <= rest else {
                    throw RecordError(
                        version: version, offset: 0,
                        problem: .invalid(
                            what: "bytes of all records", expected: "\(recordBytes)",
                            found: "\(record.count - rest) more up to here"))
                }
                found = record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
                rest -= record.count
                try body(version, record)
            }
            return true
        }
        // The contents of an event lie in its memory.
        withExtendedLifetime(events) {}
        if end < last { return }
        guard found == self.checksum else {
            throw RecordError(version: last, offset: 0, problem: .checksum(expected: self.checksum, found: found))
        }
        guard eventsRead == eventCount && (rest == 0 || start >= first) else {
            throw RecordError(
                version: last, offset: 0,
                problem: .invalid(
                    what: "number of events and of bytes", expected: "\(eventCount), \(recordBytes)",
                    found: "\(eventsRead), \(recordBytes - rest)"))
        }
    }

    /// Calls `body` with the id of each row and section that the commits inserted, or that a reload gave to the list, in order. Needs no
    /// state, because they are in the block by themselves.
    ///
    /// - Throws: ``RecordError`` for damaged bytes, and what `body` throws.
    /// - Complexity: O(k) for k ids.
    package func forEachIdentifier(_ body: (UntypedID) throws -> Void) throws {
        var reader = try reader(identifiers)
        // A row or a section takes two bytes of a record, or more.
        var rest = recordBytes / 2
        while !reader.isAtEnd(.identifierKinds) {
            guard rest > 0 else {
                throw reader.error(.identifierKinds, "number of ids", expected: "that of the records", found: "more")
            }
            rest -= 1
            var (id, outline) = (UntypedID.integer(0), 0)
            try reader.code(&id, &outline, ofRow: true)
            try body(id)
        }
    }

    /// Calls `body` with the version of the commit and each event, in order, until it returns false. Needs no state: what events delete or
    /// replace is not in a block.
    ///
    /// - Parameter version: the last version to read, one of the block.
    /// - Returns: whether it came to the end.
    /// - Throws: ``RecordError`` for damaged bytes, and what `body` throws.
    func forEachEvent(through version: Version, _ body: (Version, PackedEvent) throws -> Bool) throws -> Bool {
        var events = try EventReader(self)
        return try forEachChunk(through: checkedEnd(version), .events) { headers, versions in
            for version in versions {
                try events.beginCommit(version)
                for _ in 0..<headers.eventCount(version) {
                    guard try body(version, events.next()) else { return false }
                }
                try events.endCommit()
            }
            return true
        }
    }

    /// Calls `body` with the headers of the commits from the first through one, chunk by chunk, until it returns false.
    ///
    /// - Returns: whether it came to the end.
    @discardableResult
    private func forEachChunk(
        through end: Version, _ columns: PackedHeaders.Columns,
        _ body: (PackedHeaders, Range<Version>) throws -> Bool
    ) throws -> Bool {
        var next = first
        while next <= end {
            let headers = try headers(near: next, columns)
            guard try body(headers, headers.versions.clamped(to: first..<end.next)) else { return false }
            next = headers.versions.upperBound
        }
        return true
    }

    /// The last version to read, which must be in the block.
    func checkedEnd(_ version: Version?) throws -> Version {
        guard let version else { return last }
        guard version >= first && version <= last else {
            throw RecordError(
                version: version, offset: 0,
                problem: .invalid(
                    what: "version", expected: "\(first) to \(last), as in the block", found: version.description))
        }
        return version
    }

    /// Checks that the block continues a state of a version.
    private func check(_ version: Version, in valid: ClosedRange<Version>) throws {
        guard valid.contains(version) else {
            throw RecordError(
                version: first, offset: PackedLayout.first,
                problem: .invalid(
                    what: "version of the rows", expected: "\(valid.lowerBound) to \(valid.upperBound)",
                    found: version.description))
        }
    }
}
