// Writes the file of a new store: the base, the commits, the checkpoints.
//
// Always holds: the file is written at a path where nobody looks for a store; commits are added in the order of their
// versions; a checkpoint is written after the commits up to it.

import LMDB
import ListModel

/// A version that a file has from the beginning: the one that its log begins with, or an older one that has a name.
struct FirstVersion {
    /// What the commits up to it add up to.
    var totals: LogBase
    var rows: UntypedSnapshot
    var histories: HistoryTable
}

extension [FirstVersion] {
    /// The contents of their rows.
    func forEachContent(_ body: (ContentReference) -> Void) {
        for version in self {
            for section in version.rows.sections { for row in section.items { body(row.content) } }
        }
    }
}

/// A file that becomes a store when it is complete.
struct NewStoreFile: ~Copyable {
    let database: CheckpointDatabase
    /// The end of what was added.
    private(set) var head = LogPosition()
    /// The newest checkpoint.
    private(set) var newest: Checkpoint?
    private let log: CommitLog
    private let blocks: Database<UInt64, [UInt8]>
    private var nextNumber: UInt64 = 1
    /// The records and blocks of the next transaction.
    private var records: [(version: Version, bytes: [UInt8])] = []
    private var packed: [(first: Version, bytes: [UInt8])] = []
    private var pendingBytes = 0

    /// Wide nodes take less space. The first edit splits them again.
    static let limits = TreeLimits(leafCapacity: 128, innerCapacity: 64)

    /// After so many bytes they are written. While they are, their pages are in memory as well.
    private static let partSize = 1 << 20

    /// Creates the file.
    init(at path: String, _ options: StoreOptions) throws {
        // The journal is made when the file is first opened for editing.
        var options = options
        (options.journal.isUsed, options.isReadOnly, options.isKnownToOthers) = (false, false, false)
        let log = try CommitLog(path: path, mode: .create, options: options)
        guard let database = try CheckpointDatabase(log.environment, nil, meta: log.meta) else {
            preconditionFailure("a file that may be written gets its databases")
        }
        let blocks = try log.environment.openDatabase(
            named: LogFormat.blockDatabase, of: UInt64.self, [UInt8].self, create: true)
        self.log = log
        self.database = database
        self.blocks = blocks
    }

    /// Begins the log after a version, whose commits were dropped. Before that, the log begins with version 1.
    mutating func begin(after base: LogBase) {
        head = LogPosition(base)
    }

    /// Begins with rows, and the log after the last of them.
    ///
    /// - Parameters:
    ///   - state: becomes the last of them.
    ///   - versions: the version that the log begins with, and before it older ones that have names. The log begins with
    ///     version 1 if there are none.
    ///   - eraser: knows which contents of the rows are erased.
    ///   - contentOf: returns a short content.
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if the rows cannot be read as they were.
    /// - Complexity: O(rows) for each version. What is the same in two neighbours is stored once.
    mutating func begin(
        _ state: inout ListState, with versions: [FirstVersion], without eraser: ContentEraser? = nil,
        contentOf: @escaping (ContentReference) -> [UInt8]?
    ) throws {
        var previous: UntypedSnapshot?
        for version in versions {
            if let previous {
                try state.change(from: previous, to: version.rows, histories: version.histories, without: eraser)
            } else {
                state = try ListState(
                    rebuilding: version.rows, histories: version.histories, state.pool, without: eraser)
            }
            let found = state.stateHash()
            guard found == version.rows.stateHash else {
                throw ListError.headMismatch(
                    what: "rows of version \(version.rows.version)", expected: "\(version.rows.stateHash)",
                    found: "\(found)")
            }
            previous = version.rows
            begin(after: version.totals)
            try takeCheckpoint(of: &state, contentOf: contentOf)
        }
    }

    /// Counts the next commit, whose record or block is added later or was added.
    mutating func advance(over record: UnsafeRawBufferPointer, of version: Version) throws {
        head.append(record, version: version, eventCount: try RecordHeader.eventCount(record, version: version))
        pendingBytes += record.count
    }

    /// Adds the record of a commit.
    mutating func add(record: [UInt8], of version: Version) { records.append((version, record)) }

    /// Adds a packed block.
    mutating func add(block: [UInt8], from first: Version) { packed.append((first, block)) }

    /// Writes what was added, if it is much.
    mutating func flushIfLarge() throws { if pendingBytes > NewStoreFile.partSize { try flush() } }

    /// Writes what was added.
    mutating func flush() throws {
        let (packed, records, head) = (packed, records, head)
        let (commits, meta, blocks) = (log.commits, log.meta, blocks)
        try log.environment.write { txn in
            for (first, bytes) in packed {
                try bytes.withUnsafeBytes { try txn.append(bytes: $0, forKey: first.rawValue, in: blocks) }
            }
            for (version, bytes) in records {
                try bytes.withUnsafeBytes { try txn.append(bytes: $0, forKey: version.rawValue, in: commits) }
            }
            try txn.put(head.bytes, forKey: LogFormat.headKey, in: meta)
        }
        self.packed = []
        self.records = []
        pendingBytes = 0
    }

    /// Adds contents that were written in dropped commits. See ``CommitLog/putContents(_:_:)``.
    func putContents(
        _ references: Set<ContentReference>, _ content: (ContentReference) throws -> [UInt8]?
    ) throws -> Set<ContentReference> { try log.putContents(references, content) }

    /// Takes a checkpoint. Short contents are stored with their rows, which takes less space than their hashes.
    mutating func takeCheckpoint(
        of state: inout ListState, contentOf: @escaping (ContentReference) -> [UInt8]?
    ) throws {
        try flush()
        let image = state.captureCheckpoint(nextNumber: nextNumber)
        let database = database
        var slice = NodeSlice()
        var writer = CheckpointWriter(
            image, contentOf: { $0.length <= ShortContents.greatestLength ? contentOf($0) : nil }
        ) { number, bytes in
            slice.append(number, bytes)
            if slice.size > NewStoreFile.partSize {
                try database.put(slice, freeing: [])
                slice.removeAll()
            }
        }
        let checkpoint = try writer.write(
            eventCount: head.eventCount, work: head.eventCount, checksum: head.checksum, after: newest, state.pool)
        let completion = CheckpointDatabase.Completion(
            checkpoint: checkpoint, locators: image.locators, gone: writer.gone, superfluous: image.retiredChunks,
            lastNumbers: [])
        var (superfluous, _, _) = try database.complete(completion, slice, freeing: [])
        while !superfluous.isEmpty {
            let freed = superfluous.suffix(4_096)
            superfluous.removeLast(freed.count)
            try database.free(freed, leaving: superfluous)
        }
        nextNumber = writer.nextNumber
        newest = checkpoint
        state.adopt(writer.written, NodePool(after: state.pool))
    }

    /// Says that the log begins after a version, or has packed blocks.
    func put(_ base: LogBase) throws {
        let meta = log.meta
        try log.environment.write { txn in try txn.put(base.bytes, forKey: LogFormat.baseKey, in: meta) }
    }

    /// Gives versions their names.
    func put(_ names: [NamedVersion]) throws { try log.replaceNames(with: names) }

    /// Makes the store a replica with further rows, if it has a confirmed end, and keeps what was set aside. Also one that is no replica
    /// keeps the note that its commits are encrypted: it may become one again, and would send all of them as they are.
    func put(_ confirmed: LogPosition?, _ rows: [String: [UInt8]], setAside: [SetAsideCommit]) throws {
        let meta = log.meta
        try log.environment.write { txn in
            if let confirmed { try txn.put(confirmed.bytes, forKey: LogFormat.confirmedKey, in: meta) }
            for (key, row) in rows where confirmed != nil || key == LogFormat.encryptedKey {
                try txn.put(row, forKey: key, in: meta)
            }
            for commit in setAside { try txn.put(commit.bytes, forKey: commit.key, in: meta) }
        }
    }

    /// Copies the file, without free pages, to its final path.
    func copy(to path: String) throws { try log.environment.copy(to: path) }

    /// Closes the file.
    func close() throws { try database.close() }

    deinit { try? database.close() }
}
