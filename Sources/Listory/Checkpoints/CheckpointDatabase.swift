// Checkpoints in the file: nodes by number, a row for each checkpoint, and what became superfluous.
//
// Always holds:
// - a row of `checkpoints`, the row about the locators and everything they refer to are in the file before, or in the
//   transaction in which, the row is written; so what is opened is whole, whenever the process ended;
// - nodes with numbers above the newest checkpoint's last one belong to one that was not finished;
// - the row about superfluous numbers lists what no checkpoint and no locator needs.

import LMDB
import ListModel
import Synchronization

/// The stored nodes and checkpoints of a file.
final class CheckpointDatabase: NodeSource {
    let environment: Environment
    private let nodes: Database<UInt64, [UInt8]>
    private let checkpoints: Database<UInt64, [UInt8]>
    /// For each checkpoint, the nodes that the one before had and it has not.
    private let gone: Database<UInt64, [UInt8]>
    private let meta: Database<String, [UInt8]>
    /// A view of the file that does not change, for a process that only reads: the one that writes does not know of its
    /// snapshots, and frees what it does not need itself.
    private nonisolated(unsafe) var view: ReadTransaction?
    private let viewLock = Mutex<Void>(())
    /// Who looks at which checkpoint: one whose store is alive is not dropped.
    private let stores = Mutex<[Version: WeakStore]>([:])

    private struct WeakStore {
        weak var store: NodeStore?
    }

    /// The databases of checkpoints, which are made if they are not there and may be; nil otherwise.
    init?(_ environment: Environment, meta: Database<String, [UInt8]>) throws {
        func open(_ name: String) throws -> Database<UInt64, [UInt8]> {
            try environment.openDatabase(
                named: name, of: UInt64.self, [UInt8].self, create: !environment.options.isReadOnly)
        }
        do {
            nodes = try open(LogFormat.nodeDatabase)
            checkpoints = try open(LogFormat.checkpointDatabase)
            gone = try open(LogFormat.goneDatabase)
        } catch let error as LMDBError {
            // A store that never had a checkpoint, opened for reading.
            guard error.kind == .engine(.notFound) else { throw error }
            return nil
        }
        self.environment = environment
        self.meta = meta
        view = environment.options.isReadOnly ? try environment.beginRead() : nil
    }

    func withNode<Result>(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Result) throws -> Result {
        if environment.options.isReadOnly {
            var result: Result?
            try viewLock.withLock { _ in
                // SAFETY: `view` is used with its lock held only.
                guard view != nil else { throw StoreError.closed }
                result = try view!.withValue(forKey: number, in: nodes) { body($0) }
            }
            return result!
        }
        return try environment.read { txn in try txn.withValue(forKey: number, in: nodes) { body($0) } }
    }
}

// MARK: - Stores

extension CheckpointDatabase {
    /// The store through which the nodes of a checkpoint are read. As long as it lives, the checkpoint stays.
    ///
    /// - Parameter make: makes one, if nobody looks at the checkpoint.
    func store(for version: Version, _ make: () -> NodeStore) -> NodeStore {
        stores.withLock { stores in
            if let store = stores[version]?.store { return store }
            let store = make()
            stores[version] = WeakStore(store: store)
            return store
        }
    }

    /// The checkpoints that somebody looks at.
    var versionsInUse: Set<Version> {
        stores.withLock { stores in
            stores = stores.filter { $0.value.store != nil }
            return Set(stores.keys)
        }
    }
}

// MARK: - Closing

extension CheckpointDatabase {
    /// Files that a closed store could not close, because snapshots still read from them; by path.
    private static let lingering = Mutex<[String: WeakDatabase]>([:])

    private struct WeakDatabase {
        weak var database: CheckpointDatabase?
    }

    /// Closes the file, unless somebody looks at a checkpoint; then it is closed when nobody does any more.
    func close() throws {
        if versionsInUse.isEmpty {
            viewLock.withLock { _ in view = nil }
            try environment.close()
        } else {
            CheckpointDatabase.lingering.withLock { lingering in
                lingering = lingering.filter { $0.value.database != nil }
                lingering[environment.path] = WeakDatabase(database: self)
            }
        }
    }

    /// The databases of a file that only snapshots of a closed store keep open, for a store that is opened again.
    ///
    /// - Returns: nil if there are none, or they were opened in another way.
    static func lingering(path: String, _ options: Environment.Options) -> CheckpointDatabase? {
        lingering.withLock { lingering in
            let resolved = lingering.first { FileStatus.isSame($0.key, path) }
            guard let resolved, let database = resolved.value.database else { return nil }
            let found = database.environment.options
            // A view of a reader would not show what was written since.
            guard !found.isReadOnly, !options.isReadOnly, found.maximumMapSize == options.maximumMapSize else {
                return nil
            }
            lingering[resolved.key] = nil
            return database
        }
    }
}

// MARK: - Reading

extension CheckpointDatabase {
    /// The newest checkpoint, with its locators.
    ///
    /// - Returns: nil if there is none; `isDamaged` if there is one and it cannot be used.
    func newest() throws -> (checkpoint: Checkpoint, locators: StoredLocators)? {
        try environment.read { txn in
            guard let version = try txn.last(in: checkpoints)?.key else { return nil }
            guard let checkpoint = try checkpoint(Version(version), txn) else {
                throw StoreError.damagedCheckpoint(Version(version))
            }
            let locators = try txn.withValue(forKey: LogFormat.locatorKey, in: meta) { row in
                row.flatMap { StoredLocators($0, version: checkpoint.version) }
            }
            guard let locators else { throw StoreError.damagedCheckpoint(checkpoint.version) }
            return (checkpoint, locators)
        }
    }

    /// The checkpoint of a version, if there is one that can be read.
    func checkpoint(_ version: Version) throws -> Checkpoint? {
        try environment.read { try checkpoint(version, $0) }
    }

    private func checkpoint(_ version: Version, _ txn: borrowing some Transaction & ~Copyable) throws -> Checkpoint? {
        try txn.withValue(forKey: version.rawValue, in: checkpoints) { row in
            row.flatMap { Checkpoint($0, version: version) }
        }
    }

    /// The newest checkpoint that is not after a version, and the oldest that is not before it, as far as there are any
    /// that can be read.
    func nearest(to version: Version) throws -> [Checkpoint] {
        try environment.read { txn in
            var found: [Checkpoint] = []
            let note = { (key: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer) -> Bool in
                if let checkpoint = Checkpoint(row, version: Version(try UInt64.decode(key))) {
                    found.append(checkpoint)
                    return false
                }
                return true
            }
            try txn.forEach(in: checkpoints, range: 0...version.rawValue, reverse: true, note)
            try txn.forEach(in: checkpoints, range: version.rawValue..., note)
            return found
        }
    }

    /// All checkpoints that can be read, from the oldest to the newest.
    func all() throws -> [Checkpoint] {
        try environment.read { txn in
            var found: [Checkpoint] = []
            try txn.forEach(in: checkpoints) { key, row in
                if let checkpoint = Checkpoint(row, version: Version(try UInt64.decode(key))) {
                    found.append(checkpoint)
                }
                return true
            }
            return found
        }
    }

    /// The numbers of which nothing needs to be stored any longer.
    func superfluous() throws -> [UInt64] {
        try environment.read { txn in
            try txn.withValue(forKey: LogFormat.superfluousKey, in: meta) { row in
                // If the row is damaged, what it lists stays where it is: too much stored, but nothing wrong.
                row.flatMap { StoredNumbers.numbers($0, seed: 0) } ?? []
            }
        }
    }

    /// How many nodes and pages are stored.
    func nodeCount() throws -> Int {
        try environment.read { try $0.count(in: nodes) }
    }
}

// MARK: - Writing

extension CheckpointDatabase {
    /// What finishes a checkpoint.
    struct Completion {
        var checkpoint: Checkpoint
        var locators: StoredLocators
        /// Nodes that the checkpoint before had and this one has not.
        var gone: [UInt64]
        /// Numbers that nothing needs once the checkpoint is complete.
        var superfluous: [UInt64]
        /// Checkpoints that are no longer kept, from the oldest to the newest.
        var dropped: [Version]
        /// The last numbers of the checkpoints that are there, by version.
        var lastNumbers: [(version: Version, lastNumber: UInt64)]
    }

    /// Stores some nodes, and frees some others.
    ///
    /// - Parameter freed: numbers of which nothing needs to be stored.
    func put(_ slice: NodeSlice, freeing freed: ArraySlice<UInt64>) throws {
        try environment.write { txn in
            for number in freed { try txn.delete(number, in: nodes) }
            try slice.forEach { number, bytes in try txn.append(bytes: bytes, forKey: number, in: nodes) }
        }
    }

    /// Finishes a checkpoint: from now on it is the newest.
    ///
    /// - Returns: the numbers that nothing needs any more.
    func complete(_ completion: Completion, freeing freed: ArraySlice<UInt64>) throws -> [UInt64] {
        try environment.write { txn in
            for number in freed { try txn.delete(number, in: nodes) }
            let checkpoint = completion.checkpoint
            try txn.put(checkpoint.bytes, forKey: checkpoint.version.rawValue, in: checkpoints)
            try txn.put(completion.locators.bytes(checkpoint.version), forKey: LogFormat.locatorKey, in: meta)
            try putGone(completion.gone, checkpoint.version, &txn)
            var superfluous = completion.superfluous
            var kept = completion.lastNumbers
            for version in completion.dropped {
                superfluous += try drop(version, &kept, &txn)
            }
            if superfluous.isEmpty {
                try txn.delete(LogFormat.superfluousKey, in: meta)
            } else {
                let row = StoredNumbers.bytes(superfluous, seed: 0)
                try txn.put(row, forKey: LogFormat.superfluousKey, in: meta)
            }
            return superfluous
        }
    }

    /// Drops a checkpoint that is not the newest, and returns the nodes that only it had.
    ///
    /// A node dies between two checkpoints, and is listed with the later one. If the earlier of those is dropped, the
    /// node is needed only if one before had it already, which its number tells.
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

    /// Deletes what a checkpoint left behind that was not finished.
    ///
    /// - Parameter last: the last number of the newest checkpoint.
    func deleteUnfinished(after last: UInt64) throws {
        guard let newest = try environment.read({ try $0.last(in: nodes)?.key }), newest > last else { return }
        try environment.write { txn in
            while let number = try txn.last(in: nodes)?.key, number > last { try txn.delete(number, in: nodes) }
        }
    }

    /// Notes that nothing is left that could be freed.
    func clearSuperfluous() throws {
        try environment.write { txn in _ = try txn.delete(LogFormat.superfluousKey, in: meta) }
    }

    /// Makes the newest checkpoint one that cannot be used, so that opening the store replays the log.
    func distrust() throws {
        try environment.write { txn in _ = try txn.delete(LogFormat.locatorKey, in: meta) }
    }

    /// Deletes all checkpoints and nodes, because they cannot be used.
    func clear() throws {
        try environment.write { txn in
            try txn.clear(nodes)
            try txn.clear(checkpoints)
            try txn.clear(gone)
            try txn.delete(LogFormat.locatorKey, in: meta)
            try txn.delete(LogFormat.superfluousKey, in: meta)
        }
    }
}

/// Nodes on their way into the file.
struct NodeSlice {
    private var bytes: [UInt8] = []
    private var entries: [(number: UInt64, end: Int)] = []

    /// How many bytes the nodes have together.
    var size: Int { bytes.count }

    mutating func append(_ number: UInt64, _ node: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: node)
        entries.append((number, bytes.count))
    }

    mutating func removeAll() {
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
