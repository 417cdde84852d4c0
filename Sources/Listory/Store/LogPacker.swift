// Packs commits while the store is open: old records become blocks, which take a few bytes a commit. The pages that become free
// are given back to the system.
//
// A group of commits is replayed from the rows before it and packed. Then its blocks are unpacked, and each record is compared
// with the original. All that takes no lock. One transaction adds the blocks and deletes the records.
//
// Always holds: what is deleted was rebuilt from its block, byte for byte, and the transaction that deletes it adds the block. No
// checkpoint is inside a block. The newest commits, at least one, stay records; what no block takes stays a record between the
// blocks.

import Dispatch
import LMDB
import ListModel

/// The packer of a store.
final class LogPacker: Sendable {
    private let log: CommitLog
    private let past: Past
    private let database: CheckpointDatabase
    private let unpackedCount: UInt64
    private let options: PackingOptions
    private let queue = DispatchQueue(label: "listory.packing", qos: .utility)
    /// Held while commits are packed; taken before the lock of a running checkpoint.
    private let turn = Locked<Void>(())
    private let state = Locked(State())

    private struct State: Sendable {
        /// The last version that no later group looks at again: behind it, there may be records that no block takes.
        var examined = Version.empty
        /// How many events were committed since a group was looked for.
        var events = 0
        /// Whether a run is scheduled or running.
        var isQueued = false
        /// How much longer than usual to wait, after runs that failed.
        var patience = 1
    }

    init(_ log: CommitLog, _ past: Past, _ database: CheckpointDatabase, _ options: StoreOptions) {
        (self.log, self.past, self.database) = (log, past, database)
        // The log ends where its head says, so the newest commit stays.
        unpackedCount = UInt64(max(1, options.unpackedCount))
        self.options = options.packing
    }

    /// Whether anything is ever packed.
    private var isUsed: Bool { unpackedCount < UInt64(Int.max) }

    /// Counts events, of which a commit has one or more.
    func note(events: Int) {
        if isUsed { state.withLock { $0.events &+= events } }
    }

    /// Begins a run if enough was edited since the last one: soon, or now if checkpoints are taken by the edits.
    func meetDemand(_ store: UntypedStore) {
        guard isUsed else { return }
        let begins = state.withLock { state in
            guard state.events / state.patience >= options.groupCount, !state.isQueued else { return false }
            (state.events, state.isQueued) = (0, true)
            return true
        }
        if begins { begin(store) }
    }

    /// After a checkpoint, which may have deleted nodes: gives free pages back, soon, or now as above.
    func noteCheckpoint(_ store: UntypedStore) { run(store) { [self] in giveBack(store) } }

    /// Runs `body` soon; the store is retained until then.
    private func run(_ store: UntypedStore, _ body: @escaping @Sendable () -> Void) {
        if store.options.checkpoints.isBackground { queue.async(execute: body) } else { body() }
    }

    private func begin(_ store: UntypedStore) {
        run(store) { [self] in
            let isMoreDue = pack(store, atMost: options.runSize, groupsOf: options.groupCount)
            if isMoreDue && store.options.checkpoints.isBackground {
                // Edits in a tight loop are faster than packing, which catches up afterwards; not if nobody uses the store any more.
                queue.async { [weak store] in if let store { self.begin(store) } }
                return
            }
            state.withLock { $0.isQueued = false }
            giveBack(store)
        }
    }

    /// Packs what is due when the store is closed: also a group that is not complete, if it has some hundred commits.
    func packRest(_ store: UntypedStore) {
        _ = pack(store, atMost: options.lastRunSize, groupsOf: min(options.lastGroupCount, options.groupCount))
    }

    /// Packs what is due, if this process may: groups, and what lies before a checkpoint.
    ///
    /// - Parameters:
    ///   - count: after how many commits no more groups are packed.
    ///   - least: how many commits a group has at least. A small block saves less.
    /// - Returns: whether it ended because of the count.
    private func pack(_ store: UntypedStore, atMost count: Int, groupsOf least: Int) -> Bool {
        guard isUsed, let checkpointer = store.checkpointer else { return false }
        let span = store.options.diagnostics.begin(.packing)
        do {
            let packed = try exclusively {
                // A closed store must not use its file.
                try store.withHead { try $0.checkNodes() }
                return try run(store, atMost: count, groupsOf: least, checkpointer)
            }
            if packed.commits > 0 {
                store.options.diagnostics.end(span, .packed(commits: packed.commits, bytes: packed.bytes))
            }
            state.withLock { $0.patience = 1 }
            return packed.examined >= UInt64(count)
        } catch ListError.closed {
        } catch {
            // Nothing is lost: the records are there.
            state.withLock { $0.patience = min(1_024, $0.patience * 2) }
            store.options.diagnostics.report(.packingFailed(reason: Diagnostics.reason(error)))
        }
        return false
    }

    /// Makes holes of free pages if most of the file is free and this process may, a slice at a time. What fails here is no error: the pages
    /// stay free.
    private func giveBack(_ store: UntypedStore) {
        var place: FreePagePlace?
        func giveBackSlice() throws -> Bool {
            // A closed store must not use its file.
            try store.withHead { try $0.checkNodes() }
            guard store.checkpointer?.mayPack == true, !log.isHeldBack else { return false }
            if place == nil && !store.isMostlyFreeOnDisk { return false }
            return try log.environment.giveBackFreePages(&place, within: options.sliceTime)
        }
        while true {
            let start = ContinuousClock.now
            guard (try? exclusively(giveBackSlice)) == true else { return }
            // For as long, others can write. A call may take several times as long as a slice should; if more, the computer has slept.
            let pause = min(ContinuousClock.now - start, options.sliceTime * 10)
            Platform.sleep(microseconds: UInt32(clamping: pause.microseconds))
        }
    }

    /// Runs `body` while nothing is being packed.
    func exclusively<Result>(_ body: () throws -> Result) throws -> Result { try turn.withLock { _ in try body() } }

    /// Commits that are packed, and not written yet.
    struct Group {
        /// The versions after and up to which commits were looked at.
        let start: Version
        let end: Version
        /// The checksum of the last of them.
        let checksum: UInt64
        var blocks: [(first: Version, last: Version, bytes: [UInt8])] = []
        /// The rows at its end.
        var rows: UntypedSnapshot?
    }

    /// What was packed.
    private struct Packed {
        var commits: UInt64 = 0
        /// How many bytes the blocks have.
        var bytes = 0
        /// How many commits were looked at.
        var examined: UInt64 = 0
    }

    /// - Throws: an error of the log. What was packed before stays packed.
    /// - Complexity: for each group, a replay from the checkpoint before it, and two of the group.
    private func run(
        _ store: UntypedStore, atMost count: Int, groupsOf least: Int, _ checkpointer: Checkpointer
    ) throws -> Packed {
        var packed = Packed()
        var last: Group?
        var isIndexing = true
        while packed.examined < UInt64(count), !log.isHeldBack, checkpointer.mayPack,
            let group = try nextGroup(after: last, of: least)
        {
            last = group
            // A transaction of a checkpoint at the same time would take this one for another process's.
            let isDone =
                try group.blocks.isEmpty
                || checkpointer.exclusively {
                    guard checkpointer.mayPack else { return false }
                    // If it cannot be done, or there is too much, the next run or the next checkpoint goes on.
                    if isIndexing { isIndexing = (try? index(group, store, checkpointer)) ?? false }
                    return try write(group)
                }
            guard isDone else { continue }
            packed.examined += group.end.rawValue - group.start.rawValue
            state.withLock { $0.examined = group.end }
            for block in group.blocks {
                packed.commits += block.last.rawValue - block.first.rawValue + 1
                packed.bytes += block.bytes.count
            }
        }
        return packed
    }

    /// Indexes the commits of a group, and those before it. Once they are packed, reading what they did takes a replay.
    ///
    /// - Returns: whether the index has all of them now.
    func index(_ group: Group, _ store: UntypedStore, _ checkpointer: Checkpointer) throws -> Bool {
        try checkpointer.touches.extend(
            through: group.end, nil, checkpointer.policy.touches, store.group.forEachRecord
        ) { try log.holdsForGood(group.end, checksum: group.checksum, $0) }
    }

    /// Packs the next group; nil if nothing is due.
    ///
    /// - Parameters:
    ///   - last: the group before, whose rows need not be replayed again.
    ///   - least: how many commits it has at least, if no checkpoint ends it; nil for all of a group.
    func nextGroup(after last: Group? = nil, of least: Int? = nil) throws -> Group? {
        var start = max(try log.packed.lastPacked(), state.withLock { $0.examined })
        // The transaction that packs looks into the file.
        try log.confirmed.save()
        // What only the journal has would be moved into the database after it was packed.
        let stored = log.confirmed.limit(try log.journal.storedVersion()).rawValue
        guard stored > unpackedCount, stored - unpackedCount > start.rawValue else { return nil }
        let limit = stored - unpackedCount
        start = try passTooLarge(after: start, through: limit)
        guard limit > start.rawValue else { return nil }
        var end = min(limit, start.rawValue + UInt64(options.groupCount))
        if let checkpoint = try database.version(after: start), checkpoint.rawValue <= end {
            end = checkpoint.rawValue
        } else if end - start.rawValue < UInt64(least ?? options.groupCount) {
            return nil
        }
        return try pack(past.foldedPoint(at: start, or: last?.rows), through: Version(end))
    }

    /// Passes over commits that are too large for a block. Otherwise each process that opens the store would replay all of them again,
    /// because no block says that they were looked at.
    ///
    /// - Returns: the last of them, or `start` if there are none.
    /// - Complexity: O(1) for each of them: none is read, because its size is in the leaf that leads to it.
    private func passTooLarge(after start: Version, through limit: UInt64) throws -> Version {
        var (last, isTooLarge) = (start, true)
        // In parts, because a long transaction makes the file grow.
        while isTooLarge && last.rawValue < limit {
            isTooLarge = false
            try log.environment.read { txn in
                let part = last.next.rawValue...min(limit, last.rawValue + 8_192)
                try txn.forEachSize(in: log.commits, range: part) { key, size in
                    isTooLarge =
                        try UInt64.decode(key) == last.next.rawValue && size > BlockPacker.Options().recordBytes
                    if isTooLarge { last = last.next }
                    return isTooLarge
                }
            }
        }
        state.withLock { $0.examined = max($0.examined, last) }
        return last
    }

    /// - Parameter rows: those before the group.
    private func pack(_ rows: UntypedSnapshot, through end: Version) throws -> Group {
        let start = rows.version
        let records = try records(after: start, through: end)
        let checksum = try past.checksum(of: start)
        let last = try Commit(record: records.record(records.count - 1), version: records.version(records.count - 1))
        var group = Group(start: start, end: last.version, checksum: last.checksum)
        var state = ListState(from: rows)
        // When the blocks are checked.
        state.prepareToReplayAgain()
        try state.pool.checked {
            var packer = BlockPacker(
                after: checksum, options: BlockPacker.Options(headerCount: options.headerCount))
            func note(_ piece: BlockPacker.Piece) {
                if case .block(let first, let last, let bytes) = piece { group.blocks.append((first, last, bytes)) }
            }
            for index in 0..<records.count {
                try records.withRecord(index) { try packer.add($0, to: &state, note) }
            }
            try packer.finish(note)
        }
        group.rows = try check(group, records, from: rows, checksum)
        return group
    }

    private func records(after start: Version, through end: Version) throws -> RecordRun {
        var records = RecordRun(first: start.next)
        while records.version(records.count) <= end && records.size < options.groupSize {
            let next = records.version(records.count)
            guard let run = try log.copies(of: next.rawValue...end.rawValue) else {
                throw ListError.missingCommit(next)
            }
            records.append(run, 0..<run.count)
        }
        return records
    }

    /// Unpacks the blocks of a group, and compares each record with what was packed.
    ///
    /// - Returns: the rows at its end.
    private func check(
        _ group: Group, _ records: RecordRun, from rows: UntypedSnapshot, _ checksum: UInt64
    ) throws -> UntypedSnapshot {
        var state = ListState(from: rows)
        var (checksum, index) = (checksum, 0)
        func replayUnpacked(before version: Version) throws {
            while state.version.next < version {
                checksum = try records.withRecord(index) { try state.replay($0, previousChecksum: checksum) }
                index += 1
            }
        }
        try state.pool.checked {
            for block in group.blocks {
                try replayUnpacked(before: block.first)
                checksum = try block.bytes.withUnsafeBytes { bytes in
                    let packed = try PackedBlock(bytes)
                    try packed.forEachRecord(with: &state) { version, record in
                        guard records.withRecord(index, { $0.elementsEqual(record) }) else {
                            throw ListError.headMismatch(
                                what: "commit \(version)", expected: "its record", found: "another one in its block")
                        }
                        index += 1
                    }
                    return packed.checksum
                }
            }
            try replayUnpacked(before: group.end.next)
        }
        return state.snapshot()
    }

    /// Adds the blocks of a group, and deletes the records that are in them.
    ///
    /// - Returns: whether it did. It does not if a checkpoint was completed meanwhile that would be inside a block: one takes some
    ///   time to write, and edits go on. Nor does it if the commits have become pending and were replaced.
    func write(_ group: Group) throws -> Bool {
        try database.write { txn in
            guard try log.holdsForGood(group.end, checksum: group.checksum, txn) else { return false }
            if let checkpoint = try database.version(after: group.start, txn), checkpoint < group.end { return false }
            let blocks = try txn.openDatabase(
                named: LogFormat.blockDatabase, of: UInt64.self, [UInt8].self, create: true)
            for block in group.blocks {
                // Put anywhere, each would move to a page of its own when the next one does not fit beside it.
                try block.bytes.withUnsafeBytes { try txn.append(bytes: $0, forKey: block.first.rawValue, in: blocks) }
                for version in block.first.rawValue...block.last.rawValue {
                    guard try txn.delete(version, in: log.commits) else {
                        // Another process was faster.
                        throw ListError.missingCommit(Version(version))
                    }
                }
            }
            return true
        }
    }
}
