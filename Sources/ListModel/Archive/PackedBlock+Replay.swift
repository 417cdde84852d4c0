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
        var commits = try CommitReader(self)
        // A copy, because unpacking the headers again would take longer.
        var marks = commits
        var events = try EventReader(self, commits.strings)
        var pending = EventRun()
        // The last commit of a history says what it is. Strings of different bytes, which have two numbers, may be equal.
        var last: [Int: Version] = [:]
        while commits.version <= end {
            let version = commits.version
            let commit = try commits.nextInBrief()
            try events.beginCommit(version)
            for _ in 0..<commit.eventCount {
                let event = try events.next()
                if version > start { try pending.fold(event, into: &state) }
            }
            try events.endCommit()
            if version > start, let history = commit.history { last[history] = version }
        }
        try pending.flush(into: &state)
        var histories = state.histories
        for version in last.values.sorted() {
            while marks.version < version { _ = try marks.nextInBrief() }
            histories.note(try marks.next().mark, at: version)
        }
        state.version = end
        state.histories = histories
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
        var commits = try CommitReader(self)
        var events = try EventReader(self, commits.strings)
        var writer = ByteWriter()
        var found = checksum ?? checksumBefore
        var (eventsRead, rest) = (0, recordBytes)
        while state.version < end {
            let commit = try commits.next()
            try events.beginCommit(commit.version)
            eventsRead += commit.eventCount
            if commit.version <= start {
                for _ in 0..<commit.eventCount { _ = try events.next() }
                try events.endCommit()
                continue
            }
            let record = try state.rebuild(commit, link: RecordLayout.link(to: found), atMost: rest, &writer) { state in
                let event = try state.resolve(events.next())
                return (event, event, events.newContents)
            }
            try events.endCommit()
            found = record.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
            rest -= record.count
            try body(state.version, record)
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

    /// Calls `body` with the header of each commit. Skips the events.
    ///
    /// - Throws: ``RecordError`` for damaged bytes, and what `body` throws.
    /// - Complexity: O(commits).
    package func forEachCommit(_ body: (PackedCommit) throws -> Void) throws {
        var commits = try CommitReader(self)
        for _ in 0..<commitCount { try body(commits.next()) }
    }

    /// Calls `body` with each row and section that some commits inserted, and with those that a reload gave to the list. Needs no
    /// state, because their ids are in the block.
    ///
    /// - Parameter versions: versions of the block, ascending, each once.
    /// - Throws: as ``forEachCommit(_:)``.
    /// - Complexity: O(events of the block).
    package func forEachInserted(
        by versions: ArraySlice<Version>, _ body: (RowOrSection) throws -> Void
    ) throws {
        var rest = versions
        for version in rest { _ = try checkedEnd(version) }
        var commits = try CommitReader(self)
        var events = try EventReader(self, commits.strings, hasContents: false)
        while let wanted = rest.first, commits.version <= last {
            let commit = try commits.next()
            try events.beginCommit(commit.version)
            for _ in 0..<commit.eventCount {
                let event = try events.next()
                if commit.version < wanted { continue }
                for row in event.rows { try body(.row(row.id)) }
                for section in event.sections {
                    try body(.section(section.id))
                    for row in section.items { try body(.row(row.id)) }
                }
            }
            if commit.version == wanted { rest.removeFirst() }
        }
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
