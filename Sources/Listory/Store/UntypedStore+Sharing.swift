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

    init(_ head: LogPosition) { (version, checksum) = (head.version, head.checksum) }

    /// The place of a record.
    ///
    /// - Throws: ``RecordError`` if it is none.
    public init(record: [UInt8], version: Version) throws {
        self.version = version
        checksum = try Commit(record: record, version: version).checksum
    }
}

/// The records of pending commits, as they were when they were read, in one buffer.
@_spi(Sync)
public struct PendingRecords: Sendable {
    /// The version that they follow.
    public var startVersion: Version { start.version }
    private var bytes: [UInt8] = []
    /// The ends of the records in it.
    private var ends: [Int] = []
    /// What stands before each record.
    private let prefix: UInt8?
    /// The log before the first of them, and behind the last one.
    fileprivate let start: LogPosition
    fileprivate private(set) var end: LogPosition

    fileprivate init(after start: LogPosition, prefix: UInt8?) {
        (self.start, end, self.prefix) = (start, start, prefix)
    }

    /// How many there are.
    public var count: Int { ends.count }

    /// A record and the prefix before it; a part of the buffer of all.
    public subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

    /// Copies of the records, without the prefix.
    public var records: [[UInt8]] { (0..<count).map { Array(self[$0].dropFirst(prefix == nil ? 0 : 1)) } }

    fileprivate mutating func append(_ record: UnsafeRawBufferPointer, eventCount: Int) {
        end.append(record, version: end.version.next, eventCount: eventCount)
        if let prefix { bytes.append(prefix) }
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
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
                // A process joins the others while nobody writes, and reads afterwards whether the store is a replica.
                try group.log.environment.whileNobodyWrites {
                    let others = try otherProcesses().filter(\.isEditing)
                    guard others.isEmpty else { throw ListError.busy(path: path, processes: others.map(\.processID)) }
                    try group.log.confirmed.begin()
                }
                head.editor.makeIdentifier = options.makeIdentifier
            }
        }
    }

    /// Up to where the log is in the shared log; nil if the store is no replica.
    public var confirmed: SharedPosition? { group.log.confirmed.current.map(SharedPosition.init) }

    /// As ``confirmed``, of a file that is not open.
    public static func confirmed(at path: String) throws -> SharedPosition? {
        var options = StoreOptions()
        (options.isReadOnly, options.isKnownToOthers) = (true, false)
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        return store.confirmed
    }

    /// Whether the commits of this replica are encrypted in the shared log: then they are sent nowhere as they are.
    public var isEncrypted: Bool {
        get throws { try door { try group.log.isEncrypted } }
    }

    /// Notes that the commits of this replica are encrypted in the shared log.
    public func noteEncrypted() throws {
        try door { if try !group.log.isEncrypted { try group.log.noteEncrypted() } }
    }

    /// How many commits are pending. Those that are not durable yet count.
    public var pendingCount: UInt64 {
        get throws {
            try withHead { head in
                guard let end = group.log.confirmed.current else { return 0 }
                // Another process may have moved the end behind what is shown here.
                return head.editor.state.version.rawValue - min(end.version, head.editor.state.version).rawValue
            }
        }
    }

    /// The records of the first pending commits: at least one if there is one, and not more than fit into the bytes otherwise. Those at the
    /// end may not be durable here yet: if they are sent and then lost here, they come back from the shared log.
    ///
    /// - Parameters:
    ///   - before: those that they follow; nil for the confirmed end. None are returned if the last of them was made again.
    ///   - bytes: that are to be filled.
    ///   - overhead: how many bytes each record needs besides its own.
    ///   - prefix: what is to stand before each record.
    /// - Throws: ``ListError`` if a record is damaged or does not follow the one before, as no replica could adopt it.
    public func pendingRecords(
        after before: PendingRecords? = nil, atMost bytes: Int, overhead: Int = 0, prefix: UInt8? = nil
    ) throws -> PendingRecords {
        try withTurn { head in
            try racer.followReplica(&head)
            return try racer.catchingUp(&head) { head in
                var pending = PendingRecords(after: before?.end ?? group.log.confirmed.required, prefix: prefix)
                do {
                    guard try before == nil || isPending(pending.start, head) else { return pending }
                    try fill(&pending, atMost: bytes, overhead: overhead, through: head.editor.state.version)
                    return pending
                } catch {
                    // Another process may have replaced some while they were read.
                    if try group.isBehind() { throw LostRace() }
                    // Those before it are sound.
                    if pending.count > 0 { return pending }
                    throw error
                }
            }
        }
    }

    /// Whether there are pending commits behind a place, and the log has not changed up to it.
    private func isPending(_ place: LogPosition, _ head: borrowing Head) throws -> Bool {
        try place.version >= group.log.confirmed.required.version && place.version < head.editor.state.version
            && isSame(place)
    }

    private func fill(_ pending: inout PendingRecords, atMost bytes: Int, overhead: Int, through last: Version) throws {
        struct Full: Error {}
        var size = 0
        func add(_ record: UnsafeRawBufferPointer) throws {
            size += record.count + overhead
            if size > bytes && pending.count > 0 { throw Full() }
            let eventCount = try RecordHeader.verifiedEventCount(
                record, version: pending.end.version.next, previousChecksum: pending.end.checksum)
            pending.append(record, eventCount: eventCount)
        }
        do {
            while pending.end.version < last {
                let next = pending.end.version.next
                let durable = group.durableVersion
                if next <= durable {
                    try group.forEachRecord(in: next.rawValue...durable.rawValue) { try add($1) }
                } else {
                    // It becomes durable while it is sent.
                    try group.meet(.now)
                    try group.withRecord(of: next, add)
                }
            }
        } catch is Full {}
    }

    /// Whether the log still has the commit at its place: then it also has all before it, which the checksum covers.
    private func isSame(_ place: LogPosition) throws -> Bool {
        try group.commit(place.version).checksum == place.checksum
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

    /// How many commits were set aside, without reading them: one may be damaged, or of a newer release.
    public var setAsideCount: Int {
        get throws {
            try door {
                try withHead { _ in }
                return try group.log.setAsideCount()
            }
        }
    }

    /// How many bytes all confirmed records have together.
    public var confirmedRecordBytes: UInt64 { group.log.confirmed.end?.recordBytes ?? 0 }

    /// How many bytes the durable pending records have together.
    public var pendingRecordBytes: UInt64 {
        let (end, confirmed) = (group.head.recordBytes, confirmedRecordBytes)
        // Another process may have moved the confirmed end behind what is known here.
        return end - min(end, confirmed)
    }

    /// Signals commits, and that some were forgotten that had been set aside, from now on: one signal for one or several. It ends when the
    /// store closes.
    public func commitSignals() throws -> AsyncStream<Void> { try changes() }

    /// The record of a confirmed commit.
    public func sharedRecord(of version: Version) throws -> [UInt8] {
        try door { try group.withRecord(of: version) { Array($0) } }
    }

    /// Notes that pending commits are in the shared log, if they are the first and were not made again since they were read.
    ///
    /// - Returns: how many of them are.
    /// - Complexity: O(1), unless some were made again.
    public func confirm(_ sent: PendingRecords) throws -> Int {
        if sent.count == 0 { return 0 }
        return try confirming { end in
            guard end == sent.start, sent.end.version <= group.durableVersion, try isSame(sent.end) else {
                return try advance(&end, over: sent.records)
            }
            end = sent.end
            return sent.count
        }
    }

    /// Notes that the first pending commits are in the shared log as they are.
    ///
    /// - Parameter records: what the shared log has behind the confirmed end.
    /// - Returns: how many of them are. The others were made again since, or are commits of other replicas.
    /// - Complexity: O(bytes of those).
    public func confirm(_ records: [[UInt8]]) throws -> Int { try confirming { try advance(&$0, over: records) } }

    private func confirming(_ advance: (inout LogPosition) throws -> Int) throws -> Int {
        try door {
            try group.flush(through: nil)
            let count = try withTurn { head in
                try racer.followReplica(&head)
                return try racer.catchingUp(&head) { _ in
                    var end = group.log.confirmed.required
                    let count = try advance(&end)
                    if count > 0 { group.log.confirmed.advance(to: end) }
                    return count
                }
            }
            if count > 0 {
                group.storeSoon()
                // While more is being sent, packing would slow that down.
                if group.log.confirmed.covers(group.durableVersion) { checkpointer?.meetDemand(self) }
            }
            return count
        }
    }

    /// Moves an end over the records that follow it in the log; returns how many do.
    private func advance(_ end: inout LogPosition, over records: [[UInt8]]) throws -> Int {
        var run = RecordRun(first: end.version.next)
        for (count, record) in records.enumerated() {
            let version = end.version.next
            guard version <= group.durableVersion else { return count }
            if run.index(of: version) == nil {
                run = try group.records(of: version.rawValue...group.durableVersion.rawValue)
            }
            let isSame = try run.withRecord(Int(version.rawValue - run.first.rawValue)) { bytes in
                guard bytes.elementsEqual(record) else { return false }
                end.append(bytes, version: version, eventCount: try RecordHeader.eventCount(bytes, version: version))
                return true
            }
            guard isSame else { return count }
        }
        return records.count
    }

    /// Replaces pending commits by commits without changes, which say why, and sets them aside.
    ///
    /// - Parameter reasons: why, by the checksums of the commits.
    public func setAside(_ reasons: [UInt64: String]) throws {
        try receiving { _ = try racer.receive([], refused: reasons) }
    }

    /// Appends commits of other replicas behind the confirmed end, and makes the pending ones again on top of them. Readers of updates
    /// receive one update: if nothing is pending and the commits fit into the journal, before they are durable.
    ///
    /// - Parameters:
    ///   - records: their records, in order, checked by nobody.
    ///   - position: what they follow; nil for the confirmed end.
    /// - Returns: what the pending commits have become.
    /// - Throws: ``UnacceptableRecord``, ``MustRetreat``, ``EndMoved``, ``ListError``; nothing has changed then. If readers have received the commits,
    ///   and only the sync has failed, they receive an update back.
    /// - Complexity: O(events of the records and of the pending commits).
    @discardableResult
    public func receive(_ records: [[UInt8]], after position: SharedPosition? = nil) throws -> [RebasedCommit] {
        try receiving { try racer.receive(records, after: position) }
    }

    private func receiving<Value>(_ body: () throws -> Value) throws -> Value {
        let received: Result<Value, any Error> = try door {
            if options.isReadOnly { throw ListError.readOnly }
            try checkIsOutside()
            do {
                let value = try body()
                group.storeSoon()
                checkpointer?.meetDemand(self)
                return .success(value)
            } catch  where error is UnacceptableRecord || error is MustRetreat || error is EndMoved {
                return .failure(error)
            }
        }
        return try received.get()
    }
}

// MARK: - Commits that were set aside

extension UntypedStore {
    /// The commits of this replica of which the shared list has nothing, or only a part, in the order in which they were made, until they are
    /// forgotten.
    /// One that is damaged, or of a newer release, is left out: a verification tells of it.
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
            // A replica has fewer of them now.
            try? withHead { $0.observers.signal() }
        }
    }
}
