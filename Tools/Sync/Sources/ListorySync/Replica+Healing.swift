// A log that does not continue what is here: what it has lost is given back, or the commits that others have overtaken wait again.
//
// Always holds: no confirmed commit is dropped that this replica has.

import ListModel
@_spi(Sync) import Listory
import SharedLog

extension Replica {
    /// Finds what the log has of the confirmed commits, and gives back what it has lost.
    func heal(_ confirmed: SharedPosition) async throws {
        let own = confirmed.version.rawValue
        let oldest = store.oldestVersion.rawValue
        var common = min(try await log.end().number, own)
        let end = common
        if try await !isSame(common) {
            var low: UInt64 = 0
            while common - low > 1 {
                let middle = low + (common - low) / 2
                if try await isSame(middle) { low = middle } else { common = middle }
            }
            common = low
        }
        // Another process was faster, or the log changes just now.
        if common == own { throw SharedLogError.unavailable(cause: "the log changed while it was compared") }
        guard common >= oldest else { throw SyncProblem.lost(after: common, oldest: oldest) }
        if common == end {
            try await appendAgain(after: common, through: own)
            return
        }
        guard common > 0 else { throw SyncProblem.otherLog }
        do { try store.retreat(to: Version(common), from: confirmed) } catch is MustRetreat {
            throw SyncProblem.forked(after: common)
        } catch is EndMoved {
            return
        }
        // The newest snapshot that is known may be of the branch that is no more.
        snapshotNumber = 0
        published.change { $0.repairs.append(.forked(after: common, waiting: own - common)) }
    }

    /// Whether the log has the same commit at a number as this replica. Before the oldest one that is here, nobody can tell.
    private func isSame(_ number: UInt64) async throws -> Bool {
        guard number > 0, number >= store.oldestVersion.rawValue else { return true }
        guard let entry = try await log.entry(number) else { return false }
        return try checksum(of: entry) == store.sharedChecksum(of: Version(number))
    }

    /// Appends confirmed commits again, as they are. Others may do the same just now.
    private func appendAgain(after number: UInt64, through last: UInt64) async throws {
        var position = LogPosition.beginning
        if number > 0 {
            // Read once more, so it may be another one than was compared.
            guard let entry = try await log.entry(number),
                try checksum(of: entry) == store.sharedChecksum(of: Version(number))
            else { throw SharedLogError.unavailable(cause: "the log changed while it was compared") }
            position = entry.position
        }
        defer {
            let end = position.number
            if end > number { published.change { $0.repairs.append(.appendedAgain(number + 1...end)) } }
        }
        try noteEncrypted()
        while position.number < last {
            let start = position
            try Task.checkCancellation()
            var records: [ArraySlice<UInt8>] = []
            var size = 0
            while start.number + UInt64(records.count) < last, size < sendBytes {
                let record = try store.sharedRecord(of: Version(start.number + UInt64(records.count) + 1))
                records.append(codec.prefixed(record))
                size += records.last!.count
            }
            let entries = try entries(records, after: start)
            do {
                guard case .appended = try await log.append(entries, after: start) else { return }
                adaptBatches(didArrive: true)
            } catch let error as SharedLogError where error.isPassing {
                // If they have arrived, the next exchange sees that.
                adaptBatches(didArrive: false)
                throw error
            }
            position = entries.last!.position
        }
    }

    /// Reads the whole log through the end that `end()` reports, and compares it with what is confirmed here. Exchanges read only its end.
    ///
    /// - Returns: how many entries the log has.
    /// - Throws: ``SharedLogError`` for the first entry that is damaged, ``SyncProblem`` for the first that is another one than here.
    public func verifyLog() async throws -> UInt64 {
        let oldest = store.oldestVersion
        // What is confirmed later may be behind what is read.
        let own = store.confirmed!.version.rawValue
        var position = LogPosition.beginning
        while true {
            try Task.checkCancellation()
            let entries = try await log.entries(after: position.number, maximumBytes: options.batchBytes)
            guard let last = entries.last else { break }
            try LogChain.verify(entries, after: position)
            for entry in entries {
                let (version, found) = (Version(entry.number), try checksum(of: entry))
                if version <= store.confirmed!.version, version >= oldest,
                    try store.sharedChecksum(of: version) != found
                {
                    throw SyncProblem.differs(number: entry.number)
                }
            }
            position = last.position
        }
        let end = try await log.end()
        if end != position {
            // It may have grown just now.
            guard end.number > position.number, try await log.entry(position.number + 1) != nil else {
                throw SharedLogError.damaged(.end, expected: "\(position)", found: "\(end)")
            }
        }
        if position.number < own { throw SyncProblem.lost(after: position.number, oldest: oldest.rawValue) }
        return position.number
    }

    /// Makes confirmed commits pending again that the log has lost, for a store that is closed: the answer to
    /// ``SyncProblem/forked(after:)``. A number behind the confirmed end changes nothing that is confirmed.
    ///
    /// - Throws: ``ListError``: the store is open, or its log does not have all commits any more.
    public static func retreat(
        storeAt path: String, after number: UInt64, options: StoreOptions = StoreOptions()
    ) throws {
        try UntypedStore.retreat(at: path, to: Version(number), options: options)
    }
}
