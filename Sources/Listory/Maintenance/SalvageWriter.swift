// Replays a piece of a damaged log, and writes it as a store of its own.
//
// Always holds: the state hash of every commit is compared, so the rows of every version are those that there were. The
// records are written byte for byte.

import LMDB
import ListModel

/// What a piece became.
struct SalvagedPiece {
    /// The version with which its log begins, and the one with which it ends.
    var base: Version
    var last: Version
    /// The units that did not fit the rows, and everything after them.
    var rest: SalvagePiece?
    /// The rows of its newest version.
    var rows: UntypedSnapshot
    /// The rows whose content is lost, and was not lost before.
    var unreadable: [UntypedID]
    /// How many contents of commits before its log are lost, and were not lost before.
    var lostContentCount = 0
    /// How many events its commits have.
    var eventCount: UInt64
    /// The names of its versions.
    var names: [NamedVersion] = []
}

extension SalvageIndex {
    /// Replays a piece from its beginning, and writes it: as far as its commits fit the rows.
    ///
    /// - Parameters:
    ///   - piece: the piece; nil for a checkpoint alone.
    ///   - path: the new file; nil to write nothing.
    func replay(
        _ piece: SalvagePiece?, from beginning: consuming SalvageBeginning, to path: String?, _ options: StoreOptions,
        _ progress: (UInt64) -> Void
    ) throws -> SalvagedPiece {
        var replay = try PieceReplay(self, piece, from: beginning, to: path, options)
        guard let piece, let rest = try replay.add(piece, progress) else { return try replay.finish() }
        // The rows and the file have parts of a commit that does not fit: once more, without it.
        replay.removeFile()
        let sound = SalvagePiece(units: piece.units[..<rest.units.startIndex])
        guard !sound.units.isEmpty, let again = try self.beginning(of: sound) else {
            let version = replay.base.version
            return SalvagedPiece(base: version, last: version, rest: rest, rows: .empty, unreadable: [], eventCount: 0)
        }
        var result = try self.replay(sound, from: again, to: path, options, progress)
        result.rest = rest
        return result
    }
}

/// A piece that is being replayed, and written if it has a file.
private struct PieceReplay: ~Copyable {
    /// Where its log begins.
    let base: LogBase
    private let index: SalvageIndex
    private let path: String?
    private var file: SalvageFile?
    private var state: ListState
    /// The checksum of the last commit.
    private var checksum: UInt64
    private var eventCount: UInt64 = 0
    private var names: [NamedVersion]
    /// The contents that are needed and that commits before the log have set.
    private var older: Set<ContentReference> = []

    /// Begins with the rows before the first commit.
    init(
        _ index: SalvageIndex, _ piece: SalvagePiece?, from beginning: consuming SalvageBeginning, to path: String?,
        _ options: StoreOptions
    ) throws {
        beginning.base.lastPacked = beginning.base.version
        let first = try index.firstVersions(beginning)
        var file = try path.map { try SalvageFile($0, options, index, piece) }
        let pool = NodePool(limits: NewStoreFile.limits, source: file?.database)
        var state = ListState(pool)
        if file != nil {
            try file?.begin(&state, first)
        } else if let rows = beginning.rows {
            state = try ListState(rebuilding: rows, histories: beginning.histories, pool)
        }
        base = beginning.base
        checksum = beginning.base.checksum
        names = first.flatMap { index.names(of: $0.totals.version, $0.rows.stateHash) }
        self.index = index
        self.path = path
        self.file = file
        self.state = state
        first.forEachContent { if !$0.isErased { older.insert($0) } }
    }

    /// Adds the units of a piece behind the beginning.
    ///
    /// - Returns: the first unit that does not fit the rows, and everything after it; nil if all fit. If one does not, nothing can be added
    ///   any more.
    mutating func add(_ piece: SalvagePiece, _ progress: (UInt64) -> Void) throws -> SalvagePiece? {
        for (place, unit) in zip(piece.units.indices, piece.units) where unit.first > base.version {
            if try !add(unit) { return SalvagePiece(units: piece.units[place...]) }
            progress(unit.last.rawValue)
        }
        return nil
    }

    /// - Returns: whether a unit fits the rows.
    private mutating func add(_ unit: SalvageIndex.Unit) throws -> Bool {
        try file?.takeCheckpointIfDue(&state)
        let bytes = try index.bytes(of: unit)
        do {
            for (version, record) in try records(of: unit, bytes) { try note(record, of: version) }
        } catch {
            guard error.saysDamage && !error.isOfNewerRelease else { throw error }
            return false
        }
        checksum = unit.checksum
        try file?.add(unit, bytes)
        try file?.takeCheckpointOfConfirmed(&state)
        return true
    }

    /// Applies a unit to the rows, and returns its records: those of a block are proven only at its end.
    private mutating func records(of unit: SalvageIndex.Unit, _ bytes: [UInt8]) throws -> [(Version, [UInt8])] {
        guard unit.isBlock else {
            let checksum = checksum
            _ = try bytes.withUnsafeBytes { try state.replay($0, previousChecksum: checksum, check: .everyHash) }
            return [(unit.first, bytes)]
        }
        var records: [(Version, [UInt8])] = []
        try bytes.withUnsafeBytes { bytes in
            try PackedBlock(bytes).forEachRecord(with: &state) { records.append(($0, $1)) }
        }
        return records
    }

    /// Notes what the new store has to have because of a commit.
    private mutating func note(_ record: [UInt8], of version: Version) throws {
        let commit = try Commit(record: record, version: version)
        eventCount += UInt64(commit.eventCount)
        names += index.names(of: version, commit.stateHash)
        if base.version > .empty { older.formUnion(try commit.contents(through: base.version)) }
        try file?.advance(record, version)
    }

    /// Completes the file.
    mutating func finish() throws -> SalvagedPiece {
        // What was lost before is no loss now. A user who undid the last commit of that salvage has chosen to keep the rows.
        let index = index
        let lost = try finishFile().filter { !index.isKnownAsLost($0) }
        let rows = state.snapshot()
        var unreadable: [UntypedID] = []
        if !lost.isEmpty {
            for section in rows.sections {
                for item in section.items where lost.contains(item.content) { unreadable.append(item.id) }
            }
        }
        return SalvagedPiece(
            base: base.version, last: state.version, rest: nil, rows: rows, unreadable: unreadable,
            lostContentCount: lost.count, eventCount: eventCount, names: names)
    }

    /// Completes the file if there is one, and returns the contents that are lost.
    private mutating func finishFile() throws -> Set<ContentReference> {
        guard let lost = try file?.finish(&state, base, older, names) else {
            let index = index
            return try older.filter { try index.content(of: $0) == nil }
        }
        try file?.close()
        return lost
    }

    /// Removes the file.
    mutating func removeFile() {
        file = nil
        path.map(DataFile.remove)
    }
}

/// The file of a piece.
private struct SalvageFile: ~Copyable {
    private var file: NewStoreFile
    private let index: SalvageIndex
    private var lastPacked = Version.empty
    /// The confirmed end of the new file. It begins as the base, and becomes the commit that the damaged file names, if that commit is found.
    /// An earlier end does no harm: the commits behind it come back from the shared log as they are.
    private var confirmed = LogPosition()
    /// The last version that a checkpoint may cover.
    private let lastCovered: Version
    private let spacing: UInt64
    /// The versions of states of projections, and the checksums of their records.
    private let wanted: Set<Version>
    private var checksums: [Version: UInt64] = [:]

    var database: CheckpointDatabase { file.database }

    init(_ path: String, _ options: StoreOptions, _ index: SalvageIndex, _ piece: SalvagePiece?) throws {
        file = try NewStoreFile(at: path, options)
        self.index = index
        wanted = Set(index.projections.map(\.state.version))
        // Of a replica, no checkpoint covers pending commits. If the piece lacks the confirmed commit, all of its commits are pending.
        if let end = index.confirmed {
            let hasEnd = piece?.units.contains { $0.last == end.version && $0.checksum == end.checksum } ?? false
            lastCovered = hasEnd ? end.version : .empty
        } else {
            lastCovered = Version(UInt64.max)
        }
        spacing = UInt64(options.checkpoints.spacingAtOnce)
    }

    mutating func begin(_ state: inout ListState, _ versions: [FirstVersion]) throws {
        let index = index
        try file.begin(&state, with: versions) { try? index.content(of: $0) }
        checksums[file.head.version] = file.head.checksum
        confirmed = file.head
    }

    mutating func advance(_ record: [UInt8], _ version: Version) throws {
        try record.withUnsafeBytes { try file.advance(over: $0, of: version) }
        if wanted.contains(version) { checksums[version] = file.head.checksum }
        if let end = index.confirmed, end.version == version, end.checksum == file.head.checksum {
            confirmed = file.head
        }
    }

    mutating func add(_ unit: SalvageIndex.Unit, _ bytes: [UInt8]) throws {
        if unit.isBlock {
            file.add(block: bytes, from: unit.first)
            lastPacked = unit.last
        } else {
            file.add(record: bytes, of: unit.first)
        }
        try file.flushIfLarge()
    }

    /// Completes the file, and returns the references to contents that are lost.
    mutating func finish(
        _ state: inout ListState, _ base: LogBase, _ older: Set<ContentReference>, _ names: [NamedVersion]
    ) throws -> Set<ContentReference> {
        try file.flush()
        // A replica has one of its confirmed end.
        if state.version > base.version, index.confirmed == nil { try takeCheckpoint(&state) }
        let lost = try file.putContents(older) { try index.content(of: $0) }
        var base = base
        base.lastPacked = max(lastPacked, base.version)
        if base.lastPacked > .empty { try file.put(base) }
        try file.put(names)
        try copyProjections()
        try file.put(
            index.confirmed == nil ? nil : confirmed, index.replicaRows, setAside: Array(index.setAside.values))
        return lost
    }

    /// Copies the states of projections that belong to a commit which the new log has or begins with: they contain information of dropped
    /// commits.
    private func copyProjections() throws {
        guard let copies = file.database.projections else { return }
        for (name, state) in index.projections where checksums[state.version] == state.checksum {
            try file.database.environment.write { txn in
                try txn.put(state.bytes(name: name), forKey: name, in: copies)
            }
        }
    }

    /// Takes a checkpoint of what was added, if the last one is far behind: each version in between would be replayed from there.
    mutating func takeCheckpointIfDue(_ state: inout ListState) throws {
        if state.version > lastCovered { return }
        let distance = file.head.eventCount - (file.newest?.eventCount ?? 0)
        if distance < spacing { return }
        let index = index
        try file.takeCheckpoint(of: &state) { try? index.content(of: $0) }
    }

    /// Takes a checkpoint of a replica at its confirmed end: none covers pending commits.
    mutating func takeCheckpointOfConfirmed(_ state: inout ListState) throws {
        if index.confirmed != nil && confirmed.version == state.version { try takeCheckpoint(&state) }
    }

    private mutating func takeCheckpoint(_ state: inout ListState) throws {
        state.rebuild()
        let index = index
        try file.takeCheckpoint(of: &state) { try? index.content(of: $0) }
    }

    func close() throws { try file.close() }
}
