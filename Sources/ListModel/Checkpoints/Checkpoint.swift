// A checkpoint: a version whose nodes are stored. Its database row has some hundred bytes.
//
// Always holds: all nodes below `top` are stored, none of them under a number above `lastNumber`. The hash of `top` is
// that of the version.

/// The description of a version whose nodes are stored.
package struct Checkpoint: Equatable, Sendable {
    /// The version.
    package let version: Version
    /// The number of events from the beginning to this version.
    package let eventCount: UInt64
    /// The work of a replay from the beginning to this version, in the units of the store's policy. Later versions have
    /// more.
    package let work: UInt64
    /// The checksum of the record of its commit, to which the next record links; 0 for the empty list.
    package let checksum: UInt64
    /// The histories of all scopes.
    package let histories: HistoryTable
    /// The hash of all rows and sections.
    package let stateHash: StateHash
    /// The number of rows.
    package let itemCount: Int
    /// The first and the last stored number that this checkpoint used.
    package let firstNumber: UInt64
    package let lastNumber: UInt64
    /// The count of section numbers that were used.
    let sectionNumberCount: UInt32
    /// The stored number of the root of the tree of sections, and its summary.
    let top: Top

    struct Top: Equatable, Sendable {
        var stored: UInt64
        var count: UInt32
        var number: UInt32
        var hash: UInt64
    }
}

extension Checkpoint.Top {
    init(_ child: TreeChild<SectionEntry>, stored: UInt64) {
        self.init(stored: stored, count: child.count, number: child.number, hash: child.hash)
    }

    var child: TreeChild<SectionEntry> {
        TreeChild(
            node: nil, stored: stored, count: count, number: number, hash: hash,
            lowestDepth: count == 0 ? TreeDepth.none : 0, height: TreeChild<SectionEntry>.anyHeight)
    }
}

extension Checkpoint {
    /// The database row as bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        NodeCoding.begin(NodeCoding.Kind.checkpoint, count: itemCount, &writer)
        for word in [eventCount, work, checksum, stateHash.rawValue, firstNumber, lastNumber, top.stored, top.hash] {
            writer.write(fixed: word)
        }
        writer.write(histories)
        for word in [sectionNumberCount, top.count, top.number] { writer.write(varint: UInt64(word)) }
        NodeCoding.seal(version.rawValue, &writer)
        return writer.withBytes { Array($0) }
    }

    /// A checkpoint from its database row; nil if the row is damaged.
    package init?(_ bytes: UnsafeRawBufferPointer, version: Version) {
        guard version.rawValue < Limits.versions,
            var reader = NodeReader(bytes, number: version.rawValue, kind: NodeCoding.Kind.checkpoint)
        else { return nil }
        self.version = version
        itemCount = Int(reader.readVarint() & UInt64(Int.max))
        eventCount = reader.read(fixed: UInt64.self)
        work = reader.read(fixed: UInt64.self)
        checksum = reader.read(fixed: UInt64.self)
        stateHash = StateHash(rawValue: reader.read(fixed: UInt64.self))
        firstNumber = reader.read(fixed: UInt64.self)
        lastNumber = reader.read(fixed: UInt64.self)
        var top = Top(stored: reader.read(fixed: UInt64.self), count: 0, number: 0, hash: 0)
        top.hash = reader.read(fixed: UInt64.self)
        histories = reader.readHistories(at: version)
        sectionNumberCount = reader.readWord()
        top.count = reader.readWord()
        top.number = reader.readWord()
        self.top = top
        guard eventCount < Limits.totals, work < Limits.totals, lastNumber < Limits.storedNumbers,
            firstNumber <= lastNumber + 1, top.stored <= lastNumber,
            itemCount <= Limits.rows, top.count <= Limits.sections, top.number < Limits.placeNumbers
        else { return nil }
        guard !reader.isDamaged, reader.remaining == 0, (top.count == 0) == (top.stored == 0),
            top.hash < SequenceHash.modulus, StateHash(count: Int(top.count), hash: top.hash) == stateHash
        else { return nil }
    }

    /// Whether its histories agree with the history entry of the commit of its version.
    package func fits(_ mark: HistoryMark) -> Bool {
        guard let scope = mark.scope else { return true }
        return mark.entry.history(after: version) == histories[scope]
    }

    /// The rows of the checkpoint. Nodes are read lazily.
    package func snapshot(_ pool: NodePool) -> UntypedSnapshot {
        UntypedSnapshot(version: version, itemCount: itemCount, tree: PersistentTree(top.child, pool))
    }
}

// MARK: - Histories

extension ByteWriter {
    /// Writes the shared history, then the histories of origins, sorted by the UTF-8 bytes of the origins.
    fileprivate mutating func write(_ histories: HistoryTable) {
        write(histories.shared)
        write(count: histories.own.count)
        let own = Array(histories.own).ordered { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (origin, history) in own {
            write(origin)
            write(history)
        }
    }

    private mutating func write(_ history: ListHistory) {
        for version in [history.position, history.tip, history.newest, history.switched] {
            write(varint: version.rawValue)
        }
        for count in [history.undoCount, history.redoCount, history.depth] { write(count: count) }
    }
}

extension NodeReader {
    /// Reads the histories of a checkpoint of a version.
    fileprivate mutating func readHistories(at version: Version) -> HistoryTable {
        var histories = HistoryTable()
        histories[.shared] = readHistory(at: version)
        let count = Int(readWord())
        guard count <= remaining else {
            fail()
            return histories
        }
        for _ in 0..<count {
            let origin = readString()
            histories[.origin(origin)] = readHistory(at: version)
        }
        return histories
    }

    private mutating func readHistory(at version: Version) -> ListHistory {
        let words = (0..<7).map { _ in readVarint() }
        if words.contains(where: { $0 > version.rawValue }) { fail() }
        let counts = words[4...].map { Int(min($0, version.rawValue)) }
        return ListHistory(
            position: Version(words[0]), tip: Version(words[1]), newest: Version(words[2]),
            switched: Version(words[3]), undoCount: counts[0], redoCount: counts[1], depth: counts[2])
    }
}

/// The stored locators of the newest checkpoint.
package struct StoredLocators: Equatable, Sendable {
    var items = LocatorRoot()
    var sections = LocatorRoot()

    /// Whether they have as many rows and sections as a checkpoint.
    package func fit(_ checkpoint: Checkpoint) -> Bool {
        items.entryCount == checkpoint.itemCount && sections.entryCount == 2 * Int(checkpoint.top.count)
    }

    /// The database row as bytes.
    ///
    /// - Parameter version: the version of the checkpoint that it belongs to.
    package func bytes(_ version: Version) -> [UInt8] {
        var writer = ByteWriter()
        // Earlier releases wrote 2 without salts, 3 with salts, and 4 with the bits of fingerprints. A release that does not
        // know a count replays the log.
        NodeCoding.begin(NodeCoding.Kind.locators, count: 5, &writer)
        for root in [items, sections] {
            for count in [root.entryCount, root.indexChunkCount, root.parentChunkCount] { writer.write(count: count) }
            for word in [root.numberCount, root.nodeCount, root.nextFree] { writer.write(varint: UInt64(word)) }
            for numbers in [root.indexDirectories, root.parentDirectories] {
                writer.write(count: numbers.count)
                for number in numbers { writer.write(varint: number) }
            }
        }
        for root in [items, sections] { writer.write(fixed: root.hashing.salt) }
        for root in [items, sections] { writer.write(byte: UInt8(root.fingerprintBits)) }
        for root in [items, sections] { writer.write(byte: root.hashing.hasFamilies ? 1 : 0) }
        NodeCoding.seal(version.rawValue, &writer)
        return writer.withBytes { Array($0) }
    }

    /// The locators from their database row; nil if it is damaged or belongs to another checkpoint.
    package init?(_ bytes: UnsafeRawBufferPointer, version: Version) {
        guard var reader = NodeReader(bytes, number: version.rawValue, kind: NodeCoding.Kind.locators)
        else { return nil }
        let count = reader.readWord()
        guard (2...5).contains(count) else { return nil }
        items = StoredLocators.readRoot(&reader)
        sections = StoredLocators.readRoot(&reader)
        if count >= 3 {
            items.hashing.salt = reader.read(fixed: UInt64.self)
            sections.hashing.salt = reader.read(fixed: UInt64.self)
        }
        if count >= 4 {
            items.fingerprintBits = Int(reader.readByte())
            sections.fingerprintBits = Int(reader.readByte())
        }
        let flags = count == 5 ? [reader.readByte(), reader.readByte()] : [0, 0]
        (items.hashing.hasFamilies, sections.hashing.hasFamilies) = (flags[0] == 1, flags[1] == 1)
        let areRight =
            flags.allSatisfy { $0 <= 1 }
            && [items, sections].allSatisfy { IdentifierIndex.allFingerprintBits.contains($0.fingerprintBits) }
        if reader.isDamaged || reader.remaining != 0 || !areRight { return nil }
    }

    init(items: LocatorRoot, sections: LocatorRoot) {
        self.items = items
        self.sections = sections
    }

    private static func readRoot(_ reader: inout NodeReader) -> LocatorRoot {
        var root = LocatorRoot()
        root.entryCount = Int(reader.readWord())
        root.indexChunkCount = Int(reader.readWord())
        root.parentChunkCount = Int(reader.readWord())
        root.numberCount = reader.readWord()
        root.nodeCount = reader.readWord()
        root.nextFree = reader.readWord()
        root.indexDirectories = readNumbers(&reader, chunks: root.indexChunkCount)
        root.parentDirectories = readNumbers(&reader, chunks: root.parentChunkCount)
        let isRight =
            root.indexChunkCount > 0 && root.numberCount <= Limits.placeNumbers
            && Int(root.numberCount) <= root.parentChunkCount * 256
            && root.nodeCount <= root.numberCount && root.nextFree <= root.numberCount
        if !isRight { reader.fail() }
        return root
    }

    private static func readNumbers(_ reader: inout NodeReader, chunks: Int) -> [UInt64] {
        let count = Int(reader.readWord())
        guard count <= reader.remaining, count == (chunks + ChunkTable.directorySize - 1) / ChunkTable.directorySize
        else {
            reader.fail()
            return []
        }
        return (0..<count).map { _ in reader.readVarint() }
    }
}

/// The encoding of a list of stored numbers, for values that are no longer needed.
package enum StoredNumbers {
    /// Encodes ascending numbers.
    package static func bytes(_ numbers: [UInt64], seed: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        NodeCoding.begin(NodeCoding.Kind.numbers, count: numbers.count, &writer)
        var previous: UInt64 = 0
        for number in numbers.sorted() {
            writer.write(varint: number - previous)
            previous = number
        }
        NodeCoding.seal(seed, &writer)
        return writer.withBytes { Array($0) }
    }

    /// Decodes numbers; nil if the bytes are damaged.
    package static func numbers(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> [UInt64]? {
        guard var reader = NodeReader(bytes, number: seed, kind: NodeCoding.Kind.numbers) else { return nil }
        let count = Int(reader.readWord())
        guard count <= reader.remaining else { return nil }
        var number: UInt64 = 0
        let numbers = (0..<count).map { _ in
            // The sum wraps, because damaged bytes may contain any number.
            number = number &+ reader.readVarint()
            return number
        }
        return reader.isDamaged || reader.remaining != 0 ? nil : numbers
    }
}
