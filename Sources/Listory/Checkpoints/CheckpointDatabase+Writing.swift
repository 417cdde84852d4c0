// Writes checkpoints: nodes in slices; with the last of them, the row that makes a checkpoint the newest, and the superfluous numbers.
//
// Always holds: one transaction completes a checkpoint. Everything that it refers to was stored before, or is in it. The same
// transaction lists what becomes superfluous, which is deleted later.

import LMDB
import ListModel

extension CheckpointDatabase {
    /// The rows that complete a checkpoint.
    struct Completion {
        var checkpoint: Checkpoint
        var locators: StoredLocators
        /// Nodes that the checkpoint before has and this one does not have.
        var gone: [UInt64]
        /// Numbers that are superfluous once the checkpoint is complete.
        var superfluous: [UInt64]
        /// Chunks of locators that a checkpoint of each version replaced. They are superfluous when no head of another process reads the
        /// locators of an older checkpoint.
        var replaced: [(version: Version, chunks: [UInt64])] = []
        /// The last numbers of the existing checkpoints, by version.
        var lastNumbers: [(version: Version, lastNumber: UInt64)]
    }

    /// Runs a transaction on the checkpoints.
    ///
    /// - Throws: ``ListError/writtenElsewhere(expected:found:)`` if another process has written to them since this one last
    ///   did, or opened the store.
    func write<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
        let (result, now) = try environment.write { txn in
            let before = known.withLock { $0 }
            guard try revision(txn) == before.revision else {
                throw ListError.writtenElsewhere(
                    expected: before.newest, found: Version(try txn.lastKey(in: checkpoints) ?? 0))
            }
            let result = try body(&txn)
            let row = withUnsafeBytes(of: (before.revision &+ 1).littleEndian) { Array($0) }
            try txn.put(row, forKey: LogFormat.revisionKey, in: meta)
            return (
                result, Known(revision: before.revision &+ 1, newest: Version(try txn.lastKey(in: checkpoints) ?? 0))
            )
        }
        known.withLock { $0 = now }
        return result
    }

    /// Stores some nodes, and frees some others.
    ///
    /// - Parameter freed: superfluous numbers.
    func put(_ slice: NodeSlice, freeing freed: ArraySlice<UInt64>) throws {
        try write { try put(slice, freeing: freed, &$0) }
    }

    private func put(_ slice: NodeSlice, freeing freed: ArraySlice<UInt64>, _ txn: inout WriteTransaction) throws {
        try txn.deleteNodes(freed, in: nodes)
        try txn.appendNodes(slice, to: nodes)
    }

    /// Completes a checkpoint, which becomes the newest.
    ///
    /// - Parameters:
    ///   - slice: its last nodes.
    ///   - freed: superfluous numbers, which are not in the list any more.
    ///   - check: throws if the log does not have the version any more. Nobody writes between this call and the end.
    ///   - surplus: returns the checkpoints to drop, given a function that says which have leases, in this
    ///     process or another. No lease begins between this call and the end.
    /// - Returns: the superfluous numbers, the chunks that are still needed, and the dropped checkpoints.
    func complete(
        _ completion: Completion, _ slice: NodeSlice, freeing freed: ArraySlice<UInt64>,
        check: (borrowing WriteTransaction) throws -> Void = { _ in },
        dropping surplus: ((Version) -> Bool) -> [Version] = { _ in [] }
    ) throws -> (superfluous: [UInt64], replaced: [(version: Version, chunks: [UInt64])], dropped: Set<Version>) {
        let result = try write { txn in
            try check(txn)
            try put(slice, freeing: freed, &txn)
            let others = try table?.neighbours().map(\.leases) ?? []
            let oldest = others.compactMap(\.located).min()
            var completion = completion
            let isNeeded = { (replaced: Version) in oldest.map { $0 < replaced } ?? false }
            completion.superfluous += completion.replaced.filter { !isNeeded($0.version) }.flatMap(\.chunks)
            completion.replaced.removeAll { !isNeeded($0.version) }
            return try leases.withLock { [completion] leases in
                let own = leases.versions
                let dropped = surplus { version in own.contains(version) || others.contains { $0.contains(version) } }
                return (try complete(completion, dropping: dropped, &txn), completion.replaced, Set(dropped))
            }
        }
        // Not before: without the newest checkpoint and its locators, rows are read again from what the log begins with.
        isUnusable.withLock { $0 = false }
        return result
    }

    private func complete(
        _ completion: Completion, dropping dropped: [Version], _ txn: inout WriteTransaction
    ) throws -> [UInt64] {
        let checkpoint = completion.checkpoint
        try txn.put(checkpoint.bytes, forKey: checkpoint.version.rawValue, in: checkpoints)
        try txn.put(completion.locators.bytes(checkpoint.version), forKey: LogFormat.locatorKey, in: meta)
        try putGone(completion.gone, checkpoint.version, &txn)
        var superfluous = completion.superfluous
        var kept = completion.lastNumbers
        for version in dropped {
            superfluous += try drop(version, &kept, &txn)
        }
        try list(superfluous + completion.replaced.flatMap(\.chunks), &txn)
        return superfluous
    }

    /// Frees superfluous numbers without a checkpoint.
    ///
    /// - Parameter listed: the superfluous numbers that are left, and the chunks that other processes may still read.
    func free(_ numbers: ArraySlice<UInt64>, leaving listed: [UInt64]) throws {
        try write { txn in
            try txn.deleteNodes(numbers, in: nodes)
            try list(listed, &txn)
        }
    }

    /// Replaces the list of superfluous numbers.
    private func list(_ numbers: [UInt64], _ txn: inout WriteTransaction) throws {
        if numbers.isEmpty {
            try txn.delete(LogFormat.superfluousKey, in: meta)
        } else {
            try txn.put(StoredNumbers.bytes(numbers, seed: 0), forKey: LogFormat.superfluousKey, in: meta)
        }
    }

    /// Drops a checkpoint that is not the newest, and returns the nodes that only it had.
    ///
    /// A node that dies between two checkpoints is listed with the later one. If the earlier one is dropped, the node
    /// is needed only if a checkpoint before had it, which follows from its number.
    private func drop(
        _ version: Version, _ kept: inout [(version: Version, lastNumber: UInt64)], _ txn: inout WriteTransaction
    ) throws -> [UInt64] {
        guard let index = kept.firstIndex(where: { $0.version == version }), index + 1 < kept.count else { return [] }
        let before = index == 0 ? 0 : kept[index - 1].lastNumber
        let after = kept[index + 1].version
        let died = try readGone(after, txn)
        let inherited = try readGone(version, txn)
        try putGone(died.filter { $0 <= before } + inherited, after, &txn)
        try txn.delete(version.rawValue, in: gone)
        try txn.delete(version.rawValue, in: checkpoints)
        kept.remove(at: index)
        return died.filter { $0 > before }
    }

    private func putGone(_ numbers: [UInt64], _ version: Version, _ txn: inout WriteTransaction) throws {
        try txn.put(StoredNumbers.bytes(numbers, seed: version.rawValue), forKey: version.rawValue, in: gone)
    }

    private func readGone(_ version: Version, _ txn: borrowing WriteTransaction) throws -> [UInt64] {
        try txn.withValue(forKey: version.rawValue, in: gone) { row in
            row.flatMap { StoredNumbers.numbers($0, seed: version.rawValue) } ?? []
        }
    }

    /// A number that no stored node exceeds, also if the last run is damaged. If it cannot be read, it is too great for another node:
    /// then there are no checkpoints until the next opening.
    func boundOfNumbers() throws -> UInt64 {
        do {
            return try reading { txn in
                try txn.withEntry(atOrBefore: Limits.storedNumbers - 1, in: nodes) { entry in
                    entry.map { $0.key + UInt64(NodeRun.maximumCount - 1) } ?? 0
                }
            }
        } catch {
            if !error.saysDamage { throw error }
            return Limits.storedNumbers
        }
    }

    /// Deletes the nodes of an unfinished checkpoint. No run has nodes of two checkpoints.
    ///
    /// - Parameter last: the last number of the newest checkpoint.
    func deleteUnfinished(after last: UInt64) throws {
        guard let newest = try environment.read({ try $0.lastKey(in: nodes) }), newest > last else { return }
        try write { txn in
            try txn.deleteAll(after: last, in: nodes)
        }
    }

    /// Invalidates the newest checkpoint, so that opening the store replays the log.
    func distrust() throws {
        try write { txn in _ = try txn.delete(LogFormat.locatorKey, in: meta) }
    }

    /// Deletes all checkpoints and nodes, because they are unusable, except the checkpoint of the base.
    func clear(keeping base: LogBase) throws {
        let oldest = try first(of: base)
        try write { txn in
            if let oldest {
                for database in [checkpoints, gone] { try txn.deleteAll(after: oldest.version.rawValue, in: database) }
                try txn.deleteAll(after: oldest.lastNumber, in: nodes)
            } else {
                try txn.clear(nodes)
                try txn.clear(checkpoints)
                try txn.clear(gone)
            }
            try txn.delete(LogFormat.locatorKey, in: meta)
            try txn.delete(LogFormat.superfluousKey, in: meta)
        }
    }
}

/// Nodes to write in one transaction.
struct NodeSlice: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [(number: UInt64, end: Int)] = []

    /// How many nodes there are.
    var count: Int { entries.count }
    /// How many bytes they have together.
    var size: Int { bytes.count }

    mutating func append(_ number: UInt64, _ node: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: node)
        entries.append((number, bytes.count))
    }

    /// How many nodes there are, and were removed, and their bytes.
    var totalCount: Int { removed.count + count }
    var totalSize: Int { removed.size + size }
    private var removed = (count: 0, size: 0)

    mutating func removeAll() {
        removed = (totalCount, totalSize)
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            for entry in entries {
                try body(entry.number, UnsafeRawBufferPointer(rebasing: bytes[start..<entry.end]))
                start = entry.end
            }
        }
    }
}

extension WriteTransaction {
    /// Appends rows whose keys are greater than all others.
    mutating func append(_ slice: NodeSlice, to rows: Database<UInt64, [UInt8]>) throws {
        try slice.forEach { key, bytes in try append(bytes: bytes, forKey: key, in: rows) }
    }

    /// Appends nodes whose numbers are greater than all others, in runs.
    mutating func appendNodes(_ slice: NodeSlice, to nodes: Database<UInt64, [UInt8]>) throws {
        var writer = NodeRunWriter()
        func put(_ first: UInt64, _ value: [UInt8]) throws {
            try value.withUnsafeBytes { try append(bytes: $0, forKey: first, in: nodes) }
        }
        try slice.forEach { try writer.add($0, $1, put) }
        try writer.finish(put)
    }

    /// Deletes nodes. A run is written again without them.
    ///
    /// - Parameter numbers: their numbers; those that are not stored do no harm. Those in a damaged run stay.
    mutating func deleteNodes(_ numbers: ArraySlice<UInt64>, in nodes: Database<UInt64, [UInt8]>) throws {
        var left = numbers.sorted()[...]
        while let number = left.first {
            let found = try withEntry(atOrBefore: number, in: nodes) { entry -> (UInt64, UInt64, rest: [UInt8])? in
                guard let entry, NodeRun.lastNumber(entry) >= number else { return nil }
                guard let run = NodeRun(entry.value) else { return (number, number, []) }
                return run.removing(left).map { (entry.key, NodeRun.lastNumber(entry), $0) }
            }
            guard let (key, last, rest) = found else {
                left.removeFirst()
                continue
            }
            if rest.isEmpty { try delete(key, in: nodes) } else { try put(rest, forKey: key, in: nodes) }
            left = left.drop { $0 <= last }
        }
    }

    /// Deletes the entries whose keys are greater than a number.
    mutating func deleteAll(after number: UInt64, in database: Database<UInt64, [UInt8]>) throws {
        while let key = try lastKey(in: database), key > number { try delete(key, in: database) }
    }
}
