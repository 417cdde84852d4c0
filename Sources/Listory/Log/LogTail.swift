// The tail of a log: the newest batches once more, in two slots, so that one sync makes a commit durable.
//
// A transaction of LMDB costs two syncs: one after its pages, and one after the meta page that makes them the newest. The
// tail spares the second. The batch is written into a slot before its transaction is committed, and the sync of the
// pages covers the slot, because that lies in the same file. If a power cut then takes back the meta page, LMDB shows the
// state before, and opening the store appends the batch once more, from the slot. The next transaction's sync makes the
// meta page durable.
//
// The slots are two large values that are put once and written over in the file. They take turns: while a batch is
// written into one, the other has the batch before, of which the meta page may not be durable yet.
//
// Always holds:
// - a commit that was acknowledged is in LMDB's durable state, or in a whole slot that follows that state or follows
//   another such slot;
// - a slot is written by whoever has the lock of LMDB's write transaction, and only after that found the head that the
//   batch follows;
// - nobody writes to a slot who does not know that the batch in it is in LMDB's durable state (`Knowledge`).

import LMDB
import ListModel

/// The slots of a file, and what this process knows of them.
final class LogTail: Sendable {
    /// How many bytes LMDB has before a value on pages of its own.
    static let pageHeaderSize = 16
    /// The keys of the slots.
    private static let keys: [UInt64] = [0, 1]

    /// What this process knows about the newest batch.
    private enum Knowledge: Equatable {
        /// Nothing: another process may have written it, or an attempt failed. The next batch is synced twice.
        case nothing
        /// Up to this head, everything is in LMDB's durable state.
        case synced(LogHead)
        /// The batch that ends with this head is in a slot; the one before it is in LMDB's durable state.
        case inSlot(UInt64, LogHead)
    }

    /// What opening found in the slots that the log had not.
    struct Findings: Equatable, Sendable {
        /// How many commits were appended to the log; to one that is only read, how many would be.
        var commitCount: UInt64 = 0
        /// The newest version that a slot has, if it follows neither the log nor another slot.
        var unusable: Version?
    }

    private let slots: Database<UInt64, [UInt8]>
    private let capacity: Int
    private let options: TailOptions
    private let knowledge: Locked<Knowledge>

    private init(_ slots: Database<UInt64, [UInt8]>, _ capacity: Int, _ options: TailOptions, _ knowledge: Knowledge) {
        self.slots = slots
        self.capacity = capacity
        self.options = options
        self.knowledge = Locked(knowledge)
    }
}

// MARK: - Opening

extension LogTail {
    /// Makes the slots of a file that has none, and appends to the log what only they have.
    ///
    /// - Returns: the tail, nil if the file is to have none; and what was found.
    static func open(_ log: LogRows, _ environment: Environment, _ options: TailOptions) throws -> (LogTail?, Findings) {
        guard options.isUsed else { return (nil, Findings()) }
        return try environment.write { txn in
            let slots = try txn.openDatabase(
                named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self, create: true)
            let batches = try keys.compactMap { key in
                try txn.withValue(forKey: key, in: slots) { $0.flatMap { TailBatch($0) } }
            }
            var head = try log.readHead(txn)
            let (found, findings) = follow(batches, head)
            var isChanged = false
            if !options.isIgnored {
                for batch in found {
                    head = try log.append(batch.records, 0..<batch.records.count, after: head, &txn)
                    isChanged = true
                }
            }
            var capacity = Int.max
            for key in keys {
                // One that is too small for pages of its own could not be written over.
                var size = try txn.withValue(forKey: key, in: slots) { $0?.count ?? 0 }
                if size < 8_192 - pageHeaderSize {
                    size = options.slotSize
                    try txn.put(reserving: size, forKey: key, in: slots) { room in
                        _ = room.initializeMemory(as: UInt8.self, repeating: 0)
                    }
                    isChanged = true
                }
                capacity = min(capacity, size)
            }
            if try txn.get(LogFormat.formatKey, in: log.meta) != LogFormat.formatRow {
                try txn.put(LogFormat.formatRow, forKey: LogFormat.formatKey, in: log.meta)
                isChanged = true
            }
            // A transaction that changed nothing syncs nothing.
            return (LogTail(slots, capacity, options, isChanged ? .synced(head) : .nothing), findings)
        }
    }

    /// What only the slots of a file have, which is not changed. A commit that another process is just writing is among it.
    static func inspect(_ log: LogRows, _ environment: Environment) throws -> Findings {
        let slots: Database<UInt64, [UInt8]>
        do {
            slots = try environment.openDatabase(named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self)
        } catch let error as LMDBError {
            guard error.kind == .engine(.notFound) else { throw error }
            return Findings()
        }
        // First the slots: of what is in one before the head is read, the head has all but the last batch.
        let batches = try environment.read { txn in
            try keys.compactMap { key in
                try txn.get(key, in: slots).flatMap { bytes in bytes.withUnsafeBytes { TailBatch($0) } }
            }
        }
        let head = try environment.read { try log.readHead($0) }
        return follow(batches, head).findings
    }

    /// The batches that follow a head, in order.
    private static func follow(_ batches: [TailBatch], _ head: LogHead) -> (found: [TailBatch], findings: Findings) {
        var (head, found, findings) = (head, [TailBatch](), Findings())
        while let next = batches.first(where: { $0.before == head }) {
            found.append(next)
            findings.commitCount += UInt64(next.records.count)
            head = next.after
        }
        // Each slot is written when the batch before it is in the other, or in the log: what follows neither was torn away
        // by something that no power cut does.
        findings.unusable = batches.map(\.after.version).filter { $0 > head.version }.max()
        return (found, findings)
    }
}

// MARK: - Writing

extension LogTail {
    /// A batch on its way into a slot.
    struct Entry {
        fileprivate let slot: UInt64
        fileprivate let bytes: [UInt8]
    }

    /// Where a batch can be written; nil if it has to be synced twice.
    func entry(_ batch: RecordBatch, _ range: Range<Int>, after head: LogHead) -> Entry? {
        let slot: UInt64
        switch knowledge.withLock({ $0 }) {
        case .synced(head): slot = 0
        case .inSlot(let last, head): slot = 1 - last
        default: return nil
        }
        return TailBatch.bytes(batch, range, after: head, atMost: capacity).map { Entry(slot: slot, bytes: $0) }
    }

    /// Writes a batch into its slot. The transaction found the head that the batch follows, and appends it to the log.
    func write(_ entry: Entry, _ txn: inout WriteTransaction) throws {
        try entry.bytes.withUnsafeBytes { try txn.overwriteInPlace($0, at: 0, ofValueForKey: entry.slot, in: slots) }
        // Without room ahead, the commit takes longer, and that is all.
        try? makeRoom(for: entry, &txn)
    }

    /// Grows the file if the transaction might need more of it.
    private func makeRoom(for entry: Entry, _ txn: inout WriteTransaction) throws {
        let used = try txn.usedFileSize
        // Records, the pages of the trees that lead to them, and free pages that are not used at once.
        let needed = used + 2 * entry.bytes.count + options.growth.lowerBound / 2
        guard try txn.fileSize < needed else { return }
        try txn.growFile(to: needed + min(max(used / 8, options.growth.lowerBound), options.growth.upperBound))
    }

    /// Notes that a batch is in the log.
    ///
    /// - Parameters:
    ///   - entry: in which slot it is; nil if it was synced twice.
    ///   - head: what the log ends with.
    func note(_ entry: Entry?, _ head: LogHead) {
        knowledge.withLock { $0 = entry.map { .inSlot($0.slot, head) } ?? .synced(head) }
    }

    /// Notes that appending failed.
    func noteFailure() {
        knowledge.withLock { $0 = .nothing }
    }
}

// MARK: - Closing

extension LogTail {
    /// Makes everything durable that is in the log, so that opening the file needs no tail.
    ///
    /// What fails is left to the next opening, which finds in the slots what the log has not.
    ///
    /// - Parameter isDiscarding: whether a batch that could not be appended is given up: it must not come back from a slot.
    func settle(_ log: LogRows, _ environment: Environment, isDiscarding: Bool) {
        if isDiscarding { try? discard(log, environment) }
        let needsSync = knowledge.withLock { knowledge in
            if case .synced = knowledge { return false }
            return knowledge != .nothing || isDiscarding
        }
        if needsSync { try? environment.sync() }
        noteFailure()
    }

    /// Empties the slots whose batches follow the head.
    private func discard(_ log: LogRows, _ environment: Environment) throws {
        try environment.write { txn in
            let head = try log.readHead(txn)
            for key in LogTail.keys {
                let batch = try txn.withValue(forKey: key, in: slots) { $0.flatMap { TailBatch($0) } }
                guard let batch, batch.before == head else { continue }
                let zeros = [UInt8](repeating: 0, count: 16)
                try zeros.withUnsafeBytes { try txn.overwriteInPlace($0, at: 0, ofValueForKey: key, in: slots) }
            }
        }
    }
}
