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

    /// The records of the first pending commits, which are durable then: at least one if there is one, and not more than fit into the bytes
    /// otherwise.
    public func pendingRecords(atMost bytes: Int) throws -> [[UInt8]] {
        try door {
            try group.flush(through: nil)
            let start = group.log.confirmed.required
            let last = durableVersion
            guard last > start.version else { return [] }
            var records: [[UInt8]] = []
            var size = 0
            while true {
                let next = Version(start.version.rawValue + UInt64(records.count) + 1)
                guard next <= last else { return records }
                let run = try group.records(of: next.rawValue...last.rawValue)
                for index in 0..<run.count {
                    let record = run.record(index)
                    size += record.count
                    if size > bytes && !records.isEmpty { return records }
                    records.append(record)
                }
            }
        }
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
            let count = try withTurn { head -> Int in
                var end = group.log.confirmed.required
                var count = 0
                for record in records {
                    let version = end.version.next
                    guard version <= group.durableVersion,
                        try group.withRecord(of: version, { $0.elementsEqual(record) })
                    else { break }
                    let commit = try Commit(record: record, version: version, previousChecksum: end.checksum)
                    record.withUnsafeBytes { end.append($0, version: version, eventCount: commit.eventCount) }
                    count += 1
                }
                if count > 0 { group.log.confirmed.advance(to: end) }
                return count
            }
            if count > 0 { checkpointer?.meetDemand(self) }
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
