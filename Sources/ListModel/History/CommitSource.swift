// Where committed records are read: a log, or an array in a test.
//
// The requirements return nothing, because calling a generic function through a protocol costs more than finding a
// record. `withRecord` and `withContent` add the results.
//
// Always holds: the record of a version never changes, so a reference always leads to the same content. Only the pending commits of a
// replica are replaced when it receives others.

/// The commits of a log, by version.
public protocol CommitSource: Sendable {
    /// Calls `body` once with the record of the commit that made `version`.
    ///
    /// - Parameters:
    ///   - version: a version of this log, not ``Version/empty``.
    ///   - body: receives the bytes, which are valid only until it returns.
    /// - Throws: what `body` throws, or an error that says that the record is missing or could not be read.
    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws

    /// Calls `body` once with the bytes that `reference` points to, valid only until it returns.
    ///
    /// Implement this in a source that has to copy records, to copy only these bytes.
    ///
    /// - Throws: ``ListError/erasedContent(_:)``; ``RecordError`` if the record is too short for it; what ``readRecord(of:_:)`` throws.
    /// - Complexity: O(1), plus finding the record.
    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws

    /// The mark of a commit in the history.
    ///
    /// Implement this in a source that has to rebuild records and knows the mark without.
    ///
    /// - Parameter version: a version of this log, not ``Version/empty``.
    /// - Throws: what ``readRecord(of:_:)`` throws.
    /// - Complexity: O(1), plus finding the record.
    func historyMark(of version: Version) throws -> HistoryMark

    /// The rows at an earlier version.
    ///
    /// Implement this in a source that has checkpoints. The default replays the log from its first commit.
    ///
    /// - Throws: what ``readRecord(of:_:)`` throws, or ``ListError`` if the log is damaged.
    func snapshot(at version: Version) throws -> UntypedSnapshot
}

extension CommitSource {
    /// The commit that made a version.
    ///
    /// - Throws: ``RecordError`` if the record is damaged, or what ``readRecord(of:_:)`` throws.
    public func commit(_ version: Version) throws -> Commit {
        var record: [UInt8] = []
        try readRecord(of: version) { record = Array($0) }
        return try Commit(record: record, version: version)
    }

    /// Calls `body` with the record of the commit that made `version`, and gives back what it returns.
    ///
    /// - Throws: as ``readRecord(of:_:)``.
    public func withRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var result: Result?
        try readRecord(of: version) { result = try body($0) }
        return result!
    }

    /// Calls `body` with the bytes that `reference` points to, and gives back what it returns.
    ///
    /// - Throws: as ``readContent(of:_:)``.
    public func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var result: Result?
        try readContent(of: reference) { result = try body($0) }
        return result!
    }

    /// Finds the bytes in the whole record.
    ///
    /// - Complexity: O(1), plus finding the record.
    public func readContent(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try readRecord(of: reference.version) { record in
            try body(reference.content(in: record))
        }
    }

    /// A copy of the bytes that `reference` points to.
    ///
    /// - Throws: as ``withContent(of:_:)``.
    /// - Complexity: O(length), plus finding the record.
    public func content(of reference: ContentReference) throws -> [UInt8] {
        try withContent(of: reference) { Array($0) }
    }

    public func historyMark(of version: Version) throws -> HistoryMark { try recordedMark(of: version) }

    /// The mark of a commit in the history, as its record says it.
    package func recordedMark(of version: Version) throws -> HistoryMark {
        // Not with `withRecord`, whose generic result is built at run time.
        var mark: HistoryMark?
        try readRecord(of: version) { mark = try RecordHeader.mark($0, version: version) }
        return mark!
    }

    public func snapshot(at version: Version) throws -> UntypedSnapshot {
        var state = ListState()
        var checksum: UInt64 = 0
        while state.version < version {
            try readRecord(of: state.version.next) { checksum = try state.replay($0, previousChecksum: checksum) }
        }
        return state.snapshot()
    }
}

extension ContentReference {
    /// The content in the record that this reference points into.
    ///
    /// - Throws: ``ListError/erasedContent(_:)``; ``RecordError`` if the record is too short.
    package func content(in record: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        try checkKept()
        let start = Int(offset)
        guard start + Int(length) <= record.count else {
            throw RecordError(
                version: version, offset: start, problem: .truncated(expected: "content of \(length) bytes"))
        }
        return UnsafeRawBufferPointer(rebasing: record[start..<start + Int(length)])
    }

    /// Checks that bytes are the content. A store that was opened from a checkpoint reads contents of records that it
    /// has not checked.
    package func check(_ content: UnsafeRawBufferPointer) throws {
        let found = ContentReference.hash(of: content)
        guard found == hash else {
            throw RecordError(
                version: version, offset: Int(offset), problem: .checksum(expected: hash, found: found))
        }
    }

    /// Whether bytes are the content, or equal to it.
    package func fits(_ content: [UInt8]) -> Bool {
        content.count == Int(length) && content.withUnsafeBytes { ContentReference.hash(of: $0) } == hash
    }
}
