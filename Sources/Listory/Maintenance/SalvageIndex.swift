// What can be read in a damaged file, by what it is: commits, nodes, checkpoints, contents.
//
// Always holds: every record, block, node and checkpoint in the index has the right checksum. What a sound path of the
// trees leads to is preferred to what lies about on other pages, which may be of an older version.

import LMDB
import ListModel

/// The readable parts of a file.
///
/// `@unchecked Sendable`: one thread at a time uses it.
final class SalvageIndex: NodeSource, @unchecked Sendable {
    /// Consecutive commits: a record, or a packed block.
    struct Unit: Hashable {
        let first: Version
        let last: Version
        /// The lower half of the checksum of the record before.
        let link: UInt32
        /// The checksum of the last record.
        let checksum: UInt64
        let isBlock: Bool
        /// Whether a sound path leads to it.
        let isReached: Bool
        let place: PageScan.Place

        /// The link of the commit that follows.
        var nextLink: UInt32 { UInt32(truncatingIfNeeded: checksum) }
    }

    let scan: PageScan
    /// The commits, by their first version.
    private(set) var units: [UInt64: [Unit]] = [:]
    /// The checkpoints, in the order of their versions.
    private(set) var checkpoints: [Checkpoint] = []
    /// The row that says where a compacted log begins.
    private(set) var base: LogBase?
    /// Whether the file says that it is a store.
    private(set) var isStore = false
    /// The newest version that the file is known to have had.
    private(set) var newestKnown = Version.empty
    /// The end of the log in the databases, by the row that says so. Later commits are in the journal.
    private(set) var head: LogPosition?
    /// The states of projections.
    private(set) var projections: [(name: String, state: ProjectionRow)] = []
    /// How much of the log is in a shared one, if the new file is to be a replica as this one was: nothing, if the row that says so is
    /// damaged. A file that lacks something must not be a replica: its last commit would take what it lacks from all others.
    var confirmed: LogPosition?
    /// Further rows of a replica, by their keys: a repaired one keeps them.
    private(set) var replicaRows: [String: [UInt8]] = [:]
    /// The commits of a replica that were set aside, by their keys, and how many of them cannot be read.
    private(set) var setAside: [String: SetAsideCommit] = [:]
    private(set) var damagedSetAsideCount = 0
    /// The kinds of ids, if an app has opened the store.
    private(set) var identifierKinds: IdentifierKinds?
    /// The names of versions, by their bytes.
    private(set) var names: [[UInt8]: NamedVersion] = [:]
    /// The same by version.
    private(set) lazy var namesByVersion = Dictionary(grouping: names.values, by: \.version)
    /// How many names there are whose versions cannot be read.
    private(set) var damagedNameCount = 0
    /// Whether rows of names may be missing, so that names are also taken from old pages.
    var hasDamagedNames: Bool { !isStore || scan.damagedTrees.contains(Array(LogFormat.metaDatabase.utf8)) }
    /// How many entries on a sound path have a wrong checksum, or are in a database whose name is damaged.
    private(set) var damagedEntryCount = 0

    private var nodes: [UInt64: PageScan.Place] = [:]
    private var leaves: Set<UInt64> = []
    private var contents: [[UInt8]: PageScan.Place] = [:]
    private var blocks: [Unit] = []
    /// The record that was read last, which is often needed again.
    private var last: (place: PageScan.Place, bytes: [UInt8])?

    /// Reads everything.
    ///
    /// - Throws: ``ListError/unknownFormat(path:found:supported:)``; errors of reading that may be temporary.
    init(_ scan: PageScan, path: String) throws {
        self.scan = scan
        try scan.forEachEntry { try note($0, path) }
        try scan.forEachLooseEntry { try note($0, path) }
        try scan.forEachLooseRun { place in
            try forEachSector(of: place) { bytes, offset in
                noteJournalEntry(bytes, at: offset, isReached: false)
                if offset % scan.pageSize == 0 { noteLooseRun(bytes, at: offset) }
            }
        }
        checkpoints.sort { $0.version < $1.version }
        blocks.sort { $0.first < $1.first }
        // A version behind all commits would keep the rules of the app from judging any of them. It may also be there without damage, if
        // the commits up to it have gone; then it says nothing.
        let once = replicaRows[LogFormat.confirmedOnceKey]?.withUnsafeBytes(ConfirmedEnd.once)
        if let once, once > newestKnown { replicaRows[LogFormat.confirmedOnceKey] = nil }
    }

    private func note(_ entry: PageScan.Entry, _ path: String) throws {
        guard let database = entry.database else { return try noteLoose(entry) }
        switch String(decoding: database, as: UTF8.self) {
        case LogFormat.metaDatabase: try noteMeta(entry, path)
        case LogFormat.commitDatabase, LogFormat.blockDatabase, LogFormat.nodeDatabase, LogFormat.checkpointDatabase:
            guard let number = SalvageIndex.number(entry.key) else { return damagedEntryCount += 1 }
            if try !noteNumbered(number, entry.value, isReached: true) { damagedEntryCount += 1 }
        case LogFormat.contentDatabase: contents[entry.key] = entry.value
        case LogFormat.projectionDatabase:
            let name = String(decoding: entry.key, as: UTF8.self)
            let state = try scan.bytes(at: entry.value).withUnsafeBytes { ProjectionRow($0, name: name) }
            if let state { projections.append((name, state)) }
        case LogFormat.journalDatabase: try noteJournal(entry.value)
        case LogFormat.goneDatabase, LogFormat.touchDatabase: break
        default: try noteStray(entry, path)
        }
    }

    /// An entry of a database whose name is damaged. What it is can be seen from its key and its value.
    private func noteStray(_ entry: PageScan.Entry, _ path: String) throws {
        damagedEntryCount += 1
        try noteMeta(entry, path)
        try noteLoose(entry)
        if SalvageIndex.number(entry.key) == Journal.key { try noteJournal(entry.value) }
    }

    /// A row of the database `meta`. Only what has a checksum of its own is believed, and two rows of a replica if they can be right.
    private func noteMeta(_ entry: PageScan.Entry, _ path: String) throws {
        switch String(decoding: entry.key, as: UTF8.self) {
        case LogFormat.formatKey:
            let row = try scan.bytes(at: entry.value)
            guard let format = LogFormat.format(row) else { return }
            isStore = true
            if format == LogFormat.version { return }
            throw ListError.unknownFormat(path: path, found: format, supported: LogFormat.version)
        case LogFormat.headKey:
            // Compared with the commits later.
            let row = try scan.bytes(at: entry.value)
            if let head = row.withUnsafeBytes({ LogPosition($0) }) {
                self.head = head
                newestKnown = max(newestKnown, head.version)
            }
        case LogFormat.baseKey: noteBase(try scan.bytes(at: entry.value))
        case LogFormat.identifierKey: identifierKinds = IdentifierKinds(bytes: try scan.bytes(at: entry.value))
        case LogFormat.confirmedKey:
            let end = try scan.bytes(at: entry.value).withUnsafeBytes { LogPosition($0) }
            if end == nil { damagedEntryCount += 1 }
            confirmed = end ?? LogPosition()
        case LogFormat.confirmedOnceKey:
            let row = try scan.bytes(at: entry.value)
            if row.withUnsafeBytes(ConfirmedEnd.once) == nil {
                damagedEntryCount += 1
            } else {
                replicaRows[LogFormat.confirmedOnceKey] = row
            }
        case LogFormat.encryptedKey:
            // A damaged one counts as well: without it, commits would be sent as they are.
            if try scan.bytes(at: entry.value) != [1] { damagedEntryCount += 1 }
            replicaRows[LogFormat.encryptedKey] = [1]
        case let key where key.hasPrefix(LogFormat.setAsidePrefix):
            let row = try scan.bytes(at: entry.value)
            if let commit = try? row.withUnsafeBytes({ try SetAsideCommit($0) }) {
                setAside[commit.key] = commit
            } else {
                (damagedEntryCount, damagedSetAsideCount) = (damagedEntryCount + 1, damagedSetAsideCount + 1)
            }
        default:
            guard try !noteName(entry), NamedVersion.name(ofKey: entry.key) != nil else { return }
            (damagedEntryCount, damagedNameCount) = (damagedEntryCount + 1, damagedNameCount + 1)
        }
    }

    /// - Returns: whether an entry is the name of a version, and can be read.
    private func noteName(_ entry: PageScan.Entry) throws -> Bool {
        guard let name = NamedVersion.name(ofKey: entry.key),
            let named = try scan.bytes(at: entry.value).withUnsafeBytes({ NamedVersion($0, name: name) })
        else { return false }
        // Of what lies about, the newest is most likely the name that there was.
        let key = Array(name.utf8)
        if let other = names[key], other.time >= named.time { return true }
        names[key] = named
        return true
    }

    private func noteBase(_ row: [UInt8]) {
        if let found = LogBase(bytes: row), found.version.rawValue < Limits.versions { base = base ?? found }
    }

    /// An entry of which only its key and its value are known.
    private func noteLoose(_ entry: PageScan.Entry) throws {
        if NamedVersion.name(ofKey: entry.key) != nil {
            // If sound paths lead to all names, others were taken away.
            if hasDamagedNames { _ = try noteName(entry) }
        } else if let number = SalvageIndex.number(entry.key) {
            _ = try noteNumbered(number, entry.value, isReached: false)
        } else if entry.key.count == 12, contents[entry.key] == nil {
            contents[entry.key] = entry.value
        } else if entry.key == Array(LogFormat.baseKey.utf8), entry.value.count == LogBase.byteCount {
            noteBase(try scan.bytes(at: entry.value))
        }
    }

    private static func number(_ key: [UInt8]) -> UInt64? {
        key.count == 8 ? key.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    /// An entry under a version or a number; false if its value is nothing that could be there.
    private func noteNumbered(_ number: UInt64, _ place: PageScan.Place, isReached: Bool) throws -> Bool {
        guard number > 0, number < Limits.storedNumbers else { return false }
        let bytes = try scan.bytes(at: place)
        return bytes.withUnsafeBytes { bytes in
            if let kind = StoredValue(bytes, number: number) {
                switch kind {
                case .run: return noteRun(number, bytes, place)
                case .checkpoint:
                    guard let found = Checkpoint(bytes, version: Version(number)) else { return false }
                    newestKnown = max(newestKnown, found.version)
                    if !checkpoints.contains(where: { $0.version == found.version }) { checkpoints.append(found) }
                case .leaf, .node: noteNode(number, kind, place)
                case .other: break
                }
                return true
            }
            // A write that was not completed may have left later ones.
            let isTooNew = !isReached && head.map { Version(number) > $0.version } ?? false
            // Both have their checksum in the same place, but only a block has its version behind it.
            if !isTooNew,
                noteBlock(Version(number), bytes, place, isReached: isReached)
                    || noteCommit(Version(number), bytes, place, isReached: isReached)
            {
                return true
            }
            // If the beginning of a run is damaged, each node still has a checksum of its own.
            _ = noteRun(number, bytes, place)
            return false
        }
    }

    private func noteNode(_ number: UInt64, _ kind: StoredValue, _ place: PageScan.Place) {
        if nodes[number] == nil { nodes[number] = place }
        if kind == .leaf { leaves.insert(number) }
    }

    /// - Returns: whether all nodes and chunks of a run are intact.
    private func noteRun(_ first: UInt64, _ bytes: UnsafeRawBufferPointer, _ place: PageScan.Place) -> Bool {
        guard let run = NodeRun(bytes) else { return false }
        var isIntact = true
        for slot in 0..<run.count {
            guard let range = run.range(slot) else {
                if !run.isDeleted(slot) { isIntact = false }
                continue
            }
            let number = first &+ UInt64(slot)
            let kind = StoredValue(UnsafeRawBufferPointer(rebasing: bytes[range]), number: number)
            if kind == .leaf || kind == .node, let kind {
                noteNode(number, kind, PageScan.Place(offset: place.offset + range.lowerBound, count: range.count))
            } else if kind == nil {
                isIntact = false
            }
        }
        return isIntact
    }

    /// Notes a run of nodes that has a page of its own, to which no entry leads.
    private func noteLooseRun(_ page: UnsafeRawBufferPointer, at offset: Int) {
        let bytes = UnsafeRawBufferPointer(rebasing: page.dropFirst(JournalOptions.pageHeaderSize))
        guard let run = NodeRun(bytes), run.first > 0, run.first < Limits.storedNumbers,
            NodeRun.isIntact(bytes, number: run.first)
        else { return }
        let place = PageScan.Place(offset: offset + JournalOptions.pageHeaderSize, count: NodeRun.maximumSize)
        _ = noteRun(run.first, bytes, place)
    }

    private func noteCommit(
        _ version: Version, _ bytes: UnsafeRawBufferPointer, _ place: PageScan.Place, isReached: Bool
    ) -> Bool {
        guard let identity = RecordHeader.identity(bytes, version: version) else { return false }
        add(
            Unit(
                first: version, last: version, link: identity.link, checksum: identity.checksum, isBlock: false,
                isReached: isReached, place: place))
        return true
    }

    private func noteBlock(
        _ version: Version, _ bytes: UnsafeRawBufferPointer, _ place: PageScan.Place, isReached: Bool
    ) -> Bool {
        guard let block = try? PackedBlock(bytes), block.first == version else { return false }
        let unit = Unit(
            first: block.first, last: block.last, link: UInt32(truncatingIfNeeded: block.checksumBefore),
            checksum: block.checksum, isBlock: true, isReached: isReached, place: place)
        add(unit)
        blocks.append(unit)
        return true
    }

    private func add(_ unit: Unit) {
        newestKnown = max(newestKnown, unit.last)
        let known = units[unit.first.rawValue, default: []]
        if known.contains(where: { $0.last == unit.last && $0.checksum == unit.checksum }) { return }
        units[unit.first.rawValue, default: []].append(unit)
    }

    /// Finds entries of the journal: each begins at a sector.
    private func noteJournal(_ place: PageScan.Place) throws {
        try forEachSector(of: place) { noteJournalEntry($0, at: $1, isReached: true) }
    }

    private func noteJournalEntry(_ bytes: UnsafeRawBufferPointer, at offset: Int, isReached: Bool) {
        guard let entry = JournalEntry(bytes) else { return }
        var next = offset + entry.size - entry.records.size
        for index in 0..<entry.records.count {
            let size = entry.records.size(of: index..<index + 1)
            entry.records.withRecord(index) {
                _ = noteCommit(
                    entry.records.version(index), $0, PageScan.Place(offset: next, count: size), isReached: isReached)
            }
            next += size
        }
    }

    /// Calls `body` with what begins at each sector, and where that is.
    private func forEachSector(of place: PageScan.Place, _ body: (UnsafeRawBufferPointer, Int) -> Void) throws {
        let sector = Journal.sectorSize
        // More than a journal at a time, so that most entries lie in one part.
        let part = 1 << 20
        var offset = (place.offset + sector - 1) / sector * sector
        let end = place.offset + place.count
        while offset < end {
            // An entry is lost only if a page of its own cannot be read.
            let bytes = try scan.readableBytes(at: PageScan.Place(offset: offset, count: min(end - offset, part)))
            guard !bytes.isEmpty else { break }
            // The last half is read again with what follows it. Fewer bytes than a part are the last ones, also if the
            // value claims to go on beyond the end of the file.
            let limit = bytes.count < part ? bytes.count : bytes.count / 2
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: limit, by: sector) {
                    body(UnsafeRawBufferPointer(rebasing: bytes[start...]), offset + start)
                }
            }
            offset += (limit + sector - 1) / sector * sector
        }
    }
}

// MARK: - Reading

extension SalvageIndex {
    /// The bytes of a commit or a block.
    func bytes(of unit: Unit) throws -> [UInt8] {
        if let last, last.place == unit.place { return last.bytes }
        let bytes = try scan.bytes(at: unit.place)
        last = (unit.place, bytes)
        return bytes
    }

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        guard let place = nodes[number] else { return body(nil) }
        try scan.bytes(at: place).withUnsafeBytes { body($0) }
    }

    func saysDamage(_ error: any Error) -> Bool { error.saysDamage }

    /// Calls `body` with the rows of all leaves, the newest leaf first.
    func forEachLeaf(_ body: ([UntypedRow]) throws -> Void) throws {
        for number in leaves.sorted(by: >) {
            do { try body(try StoredValue.rows(ofLeaf: number, in: self)) } catch is NodeError {}
        }
    }

    /// A content, wherever it can be read; nil if it is lost.
    func content(of reference: ContentReference) throws -> [UInt8]? {
        for unit in units[reference.version.rawValue] ?? [] where !unit.isBlock {
            let found = try bytes(of: unit).withUnsafeBytes { record in
                try? reference.checkedCopy(of: reference.content(in: record))
            }
            if let found { return found }
        }
        for unit in blocks where unit.first <= reference.version && reference.version <= unit.last {
            let found = try bytes(of: unit).withUnsafeBytes { bytes -> [UInt8]? in
                try? PackedBlock(bytes, isVerified: true).withContent(of: reference) {
                    try reference.checkedCopy(of: $0)
                }
            }
            if let found { return found }
        }
        guard let place = contents[PackedLog.contentKey(reference)], place.count == Int(reference.length) else {
            return nil
        }
        return try scan.bytes(at: place).withUnsafeBytes { try? reference.checkedCopy(of: $0) }
    }

    /// Whether the content of a dropped commit was lost already when the store was salvaged before: its value is empty.
    func isKnownAsLost(_ reference: ContentReference) -> Bool {
        reference.length > 0 && contents[PackedLog.contentKey(reference)]?.count == 0
    }
}
