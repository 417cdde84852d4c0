// What a replica of a shared log needs of its store: see `Docs/Design/Sync.md`. It is no public interface: the package in `Tools/Sync`
// uses it.

import ListModel

/// A place in the log of a replica.
@_spi(Sync)
public struct SharedPosition: Hashable, Sendable {
    /// The version of the last commit; 0 at the beginning.
    public var version: Version
    /// The checksum of its record.
    public var checksum: UInt64

    init(_ head: LogHead) { (version, checksum) = (head.version, head.checksum) }

    /// The place of a record.
    ///
    /// - Throws: ``RecordError`` if it is none.
    public init(record: [UInt8], version: Version) throws {
        self.version = version
        checksum = try Commit(record: record, version: version).checksum
    }
}

/// A commit of a shared log that no replica can adopt: it is damaged, does not follow the one before, or does not fit the rows.
@_spi(Sync)
public struct UnacceptableRecord: Error {
    /// The version that it would have.
    public let version: Version
    /// What is wrong with it.
    public let cause: any Error
}

@_spi(Sync)
extension UntypedStore {
    /// Makes the store a replica, if it is none. All its commits are pending then.
    ///
    /// - Throws: ``ListError/droppedVersion(_:oldest:)`` if the beginning of its log was dropped: other replicas could not read it;
    ///   ``ListError/busy(path:processes:)`` if another process edits it; ``ListError/readOnly``, ``ListError/closed``, errors of the file.
    public func beginSharing() throws {
        try door {
            if options.isReadOnly { throw ListError.readOnly }
            // Those in the queue have no ids, so they must not be made again after they were sent.
            try group.flush(through: nil)
            try withTurn { head in
                if group.log.confirmed.end != nil { return }
                guard group.log.base.version == .empty else {
                    throw ListError.droppedVersion(.empty, oldest: group.log.base.version)
                }
                // It would not know.
                let others = try otherProcesses().filter(\.isEditing)
                guard others.isEmpty else { throw ListError.busy(path: path, processes: others.map(\.processID)) }
                try group.log.confirmed.retreat(to: LogHead())
                head.editor.makeIdentifier = options.makeIdentifier
            }
        }
    }

    /// Up to where the log is in the shared log; nil if the store is no replica.
    public var confirmed: SharedPosition? { group.log.confirmed.end.map(SharedPosition.init) }

    /// As ``confirmed``, of a file that is not open.
    public static func confirmed(at path: String) throws -> SharedPosition? {
        var options = StoreOptions()
        (options.isReadOnly, options.isKnownToOthers) = (true, false)
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        return store.confirmed
    }

    /// How many commits are pending. Those that are not durable yet count.
    public var pendingCount: UInt64 {
        get throws { try group.log.confirmed.end.map { try version.rawValue - $0.version.rawValue } ?? 0 }
    }

    /// The records of the first pending commits: at least one if there is one, and not more than fit into the bytes otherwise. Those at the
    /// end may not be durable here yet: if they are sent and then lost here, they come back from the shared log.
    ///
    /// - Parameter start: behind which pending commit; nil for the confirmed end. None are returned if that commit was made again.
    /// - Throws: ``ListError`` if a record is damaged or does not follow the one before, as no replica could adopt it.
    public func pendingRecords(after start: SharedPosition? = nil, atMost bytes: Int) throws -> [[UInt8]] {
        try withTurn { head in
            try racer.followReplica(&head)
            return try racer.catchingUp(&head) { head in
                do { return try records(after: start, atMost: bytes, through: head.editor.state.version) } catch {
                    // Another process may have replaced some while they were read.
                    if try group.isBehind() { throw LostRace() }
                    throw error
                }
            }
        }
    }

    private func records(after start: SharedPosition?, atMost bytes: Int, through last: Version) throws -> [[UInt8]] {
        var end = group.log.confirmed.required
        if let start {
            guard start.version >= end.version, start.version < last,
                try group.commit(start.version).checksum == start.checksum
            else { return [] }
            (end.version, end.checksum) = (start.version, start.checksum)
        }
        var records: [[UInt8]] = []
        var size = 0
        func add(_ record: UnsafeRawBufferPointer) throws -> Bool {
            size += record.count
            if size > bytes && !records.isEmpty { return false }
            let version = end.version.next
            let header: RecordHeader
            do {
                header = try RecordHeader(record, version: version, previousChecksum: end.checksum)
            } catch {
                // Those before are sound.
                if records.isEmpty { throw error }
                return false
            }
            end.append(record, version: version, eventCount: header.eventCount)
            records.append(Array(record))
            return true
        }
        while end.version < last {
            let next = end.version.next
            let durable = group.durableVersion
            guard next <= durable else {
                guard try group.withRecord(of: next, add) else { return records }
                continue
            }
            let run = try group.records(of: next.rawValue...durable.rawValue)
            for index in 0..<run.count { guard try run.withRecord(index, add) else { return records } }
        }
        return records
    }

    /// The checksum of a confirmed commit.
    ///
    /// - Throws: ``ListError/droppedVersion(_:oldest:)``.
    public func sharedChecksum(of version: Version) throws -> UInt64 {
        try door {
            if version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            return try past.checksum(of: version)
        }
    }

    /// How many bytes all confirmed records have together.
    public var confirmedRecordBytes: UInt64 { group.log.confirmed.end?.recordBytes ?? 0 }

    /// Signals commits from now on, one signal for one or several; ends when the store closes.
    public func commitSignals() throws -> AsyncStream<Void> { try changes() }

    /// The record of a confirmed commit.
    public func sharedRecord(of version: Version) throws -> [UInt8] {
        try door { try group.withRecord(of: version) { Array($0) } }
    }

    /// Notes that the first pending commits are in the shared log as they are.
    ///
    /// - Parameter records: their records, as they were sent or came back.
    /// - Returns: how many of them are. The others were made again since, or are commits of other replicas.
    public func confirm(_ records: [[UInt8]]) throws -> Int {
        try door {
            try group.flush(through: nil)
            let count = try withTurn { head -> Int in
                var end = group.log.confirmed.required
                var run = RecordRun(first: end.version.next)
                var count = 0
                for record in records {
                    let version = end.version.next
                    guard version <= group.durableVersion else { break }
                    if run.index(of: version) == nil {
                        run = try group.records(of: version.rawValue...group.durableVersion.rawValue)
                    }
                    let index = Int(version.rawValue - run.first.rawValue)
                    let isSame = try run.withRecord(index) { bytes in
                        guard bytes.elementsEqual(record) else { return false }
                        let eventCount = try RecordHeader.eventCount(bytes, version: version)
                        end.append(bytes, version: version, eventCount: eventCount)
                        return true
                    }
                    guard isSame else { break }
                    count += 1
                }
                if count > 0 { group.log.confirmed.advance(to: end) }
                return count
            }
            if count > 0 {
                group.storeSoon()
                checkpointer?.meetDemand(self)
            }
            return count
        }
    }

    /// Replaces pending commits by commits without changes, which say why, and sets them aside.
    ///
    /// - Parameter reasons: why, by the checksums of the commits.
    public func setAside(_ reasons: [UInt64: String]) throws {
        try receiving { _ = try racer.receive([], refused: reasons) }
    }

    /// Appends commits of other replicas behind the confirmed end, and makes the pending ones again on top of them. Views receive one
    /// change.
    ///
    /// - Parameter records: their records, in order, checked by nobody.
    /// - Returns: what the pending commits have become.
    /// - Throws: ``UnacceptableRecord``, ``MustRetreat``, ``ListError``; nothing has changed then.
    /// - Complexity: O(events of the records and of the pending commits).
    @discardableResult
    public func receive(_ records: [[UInt8]]) throws -> [RebasedCommit] { try receiving { try racer.receive(records) } }

    private func receiving<Value>(_ body: () throws -> Value) throws -> Value {
        let received: Result<Value, any Error> = try door {
            if options.isReadOnly { throw ListError.readOnly }
            try checkIsOutside()
            do {
                let value = try body()
                tails.withLock { $0 = TouchTails() }
                group.storeSoon()
                checkpointer?.meetDemand(self)
                return .success(value)
            } catch  where error is UnacceptableRecord || error is MustRetreat {
                return .failure(error)
            }
        }
        return try received.get()
    }
}

// MARK: - Commits that were set aside

extension UntypedStore {
    /// The commits of this replica that are not in the shared list, in the order in which they were made, until they are forgotten.
    ///
    /// - Throws: ``ListError/closed``, an error of the file.
    public var setAsideCommits: [SetAsideCommit] {
        get throws {
            try door {
                try withHead { _ in }
                return try group.log.setAsideCommits()
            }
        }
    }

    /// Forgets a commit that was set aside.
    ///
    /// - Throws: ``ListError/readOnly``, ``ListError/closed``, an error of the file.
    public func forget(_ commit: SetAsideCommit) throws {
        try door {
            try withHead { _ in }
            if options.isReadOnly { throw ListError.readOnly }
            try group.log.forget(commit)
        }
    }
}
