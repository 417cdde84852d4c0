// Reads commits and contents, wherever they are: in the queue, in the log, in a packed block, or in a record that was made again.
//
// Always holds: a content is returned only if its hash is right. So where it is read may be a guess: another commit may have its version.

import LMDB
import ListModel

extension GroupCommit {
    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try useRecord(of: version, body)
    }

    @inline(__always)
    private func useRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let result = try useUnpackedRecord(of: version, body) { return result }
        if let result = try past.withPackedRecord(of: version, body) { return result }
        if version <= log.base.version { throw ListError.droppedVersion(version, oldest: log.base.version) }
        if version > durableVersion { throw ListError.unknownVersion(version, head: durableVersion) }
        // Its key is damaged.
        throw ListError.missingCommit(version)
    }

    /// Calls `body` with the record of a version that is in the queue or in the log; nil if it is packed, or there is none.
    @inline(__always)
    private func useUnpackedRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if let copy = try queuedBytes(of: version, { $0 }) { return try copy.withUnsafeBytes(body) }
        return try log.withRecord(of: version) { try $0.map(body) }
    }

    /// The header of a commit.
    func commitInfo(_ version: Version) throws -> CommitInfo {
        // Read where it is: the record of a reload is as large as the list.
        if let info = try useUnpackedRecord(of: version, { try CommitInfo(record: $0, version: version) }) {
            return info
        }
        return try past.packedHeaders(of: version)?.info(version) ?? CommitInfo(commit(version))
    }

    /// The commit of a version that is far from those which are read before and after it.
    func distantCommit(_ version: Version) throws -> Commit {
        let stored = version <= durableVersion ? try log.distantCommit(version) : nil
        return try stored ?? commit(version)
    }

    /// Copies of records from the beginning of a range of durable versions, packed or not; at least one.
    func records(of range: ClosedRange<UInt64>) throws -> RecordRun {
        if let run = try log.copies(of: range) { return run }
        guard let packed = try past.packedRecords(of: Version(range.lowerBound)),
            let first = packed.index(of: Version(range.lowerBound))
        else { throw ListError.missingCommit(Version(range.lowerBound)) }
        var run = RecordRun(first: Version(range.lowerBound))
        run.append(packed, first..<first + min(packed.count - first, Int(clamping: range.count), 1_024))
        return run
    }

    /// Calls `body` with the records of a range of durable versions, packed or not, in order. It may be called inside a read
    /// transaction: it must be quick and must not read itself.
    func forEachRecord(
        in range: ClosedRange<UInt64>, _ body: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var next = range.lowerBound
        while next <= range.upperBound {
            next = try log.forEachRecord(in: next...range.upperBound, body)
            if next > range.upperBound { return }
            let run = try records(of: next...range.upperBound)
            for index in 0..<run.count { try run.withRecord(index) { try body(run.version(index), $0) } }
            next = run.version(run.count).rawValue
        }
    }

    func historyMark(of version: Version) throws -> HistoryMark {
        if let mark = try useUnpackedRecord(of: version, { try RecordHeader.mark($0, version: version) }) {
            return mark
        }
        return try past.packedHeaders(of: version, .all)?.mark(version) ?? recordedMark(of: version)
    }

    /// The time of a commit.
    func commitTime(_ version: Version) throws -> Timestamp {
        if let time = try useUnpackedRecord(of: version, { try RecordHeader.time($0, version: version) }) {
            return time
        }
        return try past.packedHeaders(of: version)?.time(version)
            ?? withRecord(of: version) { try RecordHeader.time($0, version: version) }
    }

    func snapshot(at version: Version) throws -> UntypedSnapshot {
        if let rows = shownRows(at: version) { return rows }
        // Commits are read where they are durable.
        if version > durableVersion { try flush(through: version) }
        let revision = revision
        do { return try past.point(at: version) } catch {
            // Pending commits of a replica were replaced meanwhile.
            monitor.withLock { waitForRacer() }
            if revision == self.revision { throw error }
            return try past.point(at: version)
        }
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        // The decoder of an app may take long, and may use the store. So no transaction is open meanwhile.
        try copiedContent(of: reference).withUnsafeBytes(body)
    }

    private func copiedContent(of reference: ContentReference) throws -> [UInt8] {
        if reference == .unreadable {
            throw ListError.damagedNode(
                ListError.unreadable(what: "row", expected: "the stored node that it is in", found: "a damaged one"))
        }
        try reference.checkKept()
        do { return try recordedContent(of: reference) } catch {
            // Its commit may have been made again, perhaps just now; then another one has the version.
            let racer = monitor.withLock {
                waitForRacer()
                return state.race.racer
            }
            if let copy = supersededContent(of: reference) { return copy }
            // Another process may have replaced the pending commits of a replica.
            guard log.confirmed.end != nil, try isBehind() else { throw error }
            do { try racer?.catchUp() } catch is LostRace {
                // Inside an edit, the rows stay as they were when it began.
                throw ListError.writtenElsewhere(
                    expected: durableVersion, found: try published()?.version ?? durableVersion)
            } catch {}
            guard let copy = supersededContent(of: reference) else { throw error }
            return copy
        }
    }

    /// A content whose commit was made again, perhaps several times. Its hash says whether it is where it should be.
    private func supersededContent(of reference: ContentReference) -> [UInt8]? {
        var visited: Set<ContentReference> = []
        var next = reference
        while visited.insert(next).inserted {
            if let copy = (try? recordedContent(of: next)) ?? superseded.bytes(of: next) { return copy }
            guard let place = superseded.place(of: next) else { return nil }
            next = place
        }
        return nil
    }

    /// The content in the record that the reference names, wherever the record is.
    func recordedContent(of reference: ContentReference) throws -> [UInt8] {
        let queued = try queuedBytes(of: reference.version) { record in
            let content = try reference.content(in: record)
            try reference.check(content)
            return content
        }
        if let queued { return queued }
        let recorded = try log.withRecord(of: reference.version) { record in
            try record.map { try reference.checkedCopy(of: reference.content(in: $0)) }
        }
        if let recorded { return recorded }
        let packed = try log.packed.withContent(of: reference) { try reference.checkedCopy(of: $0) }
        // Otherwise this says what is missing.
        return try packed
            ?? useRecord(of: reference.version) { try reference.checkedCopy(of: reference.content(in: $0)) }
    }

    /// A copy of a part of a record that is not durable yet, or nil if it is, or if there is none.
    private func queuedBytes(
        of version: Version, _ part: (UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        if version <= durableVersion { return nil }
        return try monitor.withLock {
            while version > state.head.version {
                let run = version < state.waiting.first ? state.writing : state.waiting
                if let index = run.index(of: version) { return try run.withRecord(index) { try Array(part($0)) } }
                // It may be one of those that are being made again.
                if !waitForRacer() { return nil }
            }
            return nil
        }
    }
}

extension ContentReference {
    /// A copy of its content, once the hash of the content is checked.
    func checkedCopy(of content: UnsafeRawBufferPointer) throws -> [UInt8] {
        try check(content)
        return Array(content)
    }
}
