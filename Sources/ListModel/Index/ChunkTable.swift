// A table of chunks of 64-bit words, by position. The tables of the locator are chunk tables.
//
// Each chunk is a separate allocation. A stored chunk is read into memory lazily. *Directories* of 512 entries have the
// stored numbers of chunks; they are stored and read in the same way, so that opening a table reads nothing. The slots
// of the 512 chunks of a directory are allocated when one of them is accessed.
//
// A checkpoint copies the chunks that changed (`capture`), which is a fast copy of memory, and writes the copies while
// the list is edited. Only the newest checkpoint needs chunks: those that it replaces are free after it is complete.
//
// Accessing a chunk may load it, even if the table is not `inout`. This is safe, because a table is not `Copyable` and
// has one owner.
//
// Always holds:
// - a chunk that is not dirty and has a number equals the stored chunk of that number;
// - a chunk without a number is in memory or empty;
// - a dirty chunk is in memory, and `dirtyCount` counts it.

struct ChunkTable: ~Copyable {
    /// The slot of a chunk. The fields of the chunk are here and not beside its words, which saves an access to memory
    /// in each lookup.
    struct Slot {
        /// The words of the chunk, if it is in memory.
        var words: UnsafeMutablePointer<UInt64>?
        /// The stored number of the chunk; 0 if it is not stored.
        var number: UInt64 = 0
        /// The number of words, and the room for words.
        var count: UInt32 = 0
        var capacity: UInt32 = 0
        /// Whether the words differ from the stored ones.
        var isDirty = false
    }

    /// The number of chunks in a directory.
    static var directorySize: Int { 1 &<< directoryBits }
    private static var directoryBits: Int { 9 }

    /// The slots of the chunks of each directory; nil for a directory that was not read yet.
    private var slots: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>
    /// The room for directories.
    private var capacity: Int
    /// The number of chunks.
    private(set) var count = 0
    /// The number of those that are dirty.
    var dirtyCount = 0
    /// The stored numbers of the directories of the newest checkpoint; 0 for a directory that is not stored.
    var directories: [UInt64]
    /// The kind of the chunks, one of `NodeCoding.Kind`.
    let kind: UInt8
    /// Of an index, the bits of a fingerprint.
    let fingerprintBits: Int
    /// The pool from which chunks are read: that of the newest checkpoint.
    var pool: NodePool

    /// A table with nothing in memory.
    ///
    /// - Parameters:
    ///   - kind: the kind of the chunks, one of `NodeCoding.Kind`.
    ///   - fingerprintBits: of an index, the bits of a fingerprint.
    ///   - count: the number of chunks.
    ///   - directories: the stored numbers of the directories.
    /// - Complexity: O(directories).
    init(
        kind: UInt8, fingerprintBits: Int = 0, count: Int = 0, directories: [UInt64] = [], _ pool: NodePool
    ) {
        self.kind = kind
        self.fingerprintBits = fingerprintBits
        self.pool = pool
        self.directories = directories
        self.count = count
        capacity = max(1, directories.count)
        slots = UnsafeMutablePointer.allocate(capacity: capacity)
        slots.initialize(repeating: nil, count: capacity)
    }

    deinit {
        // SAFETY: all memory was allocated here or below, and the pointers are private.
        for directory in directories.indices {
            guard let chunks = slots[directory] else { continue }
            for index in 0..<ChunkTable.directorySize { chunks[index].words?.deallocate() }
            chunks.deallocate()
        }
        slots.deallocate()
    }

    /// Appends an empty chunk.
    mutating func append() { append(.allocate(capacity: 0), count: 0, capacity: 0) }

    private mutating func append(_ words: UnsafeMutablePointer<UInt64>, count: Int, capacity: Int) {
        if self.count == directories.count * ChunkTable.directorySize { appendDirectory() }
        self.count += 1
        setChunk(self.count - 1, words, count: count, capacity: capacity)
        markDirty(self.count - 1)
    }

    private mutating func appendDirectory() {
        if directories.count == capacity {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: slots, count: capacity)
            larger.advanced(by: capacity).initialize(repeating: nil, count: capacity)
            slots.deallocate()
            slots = larger
            capacity *= 2
        }
        directories.append(0)
    }

    /// The slot of a chunk. Reads its directory if necessary.
    @inline(__always)
    func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
        assert(index >= 0 && index < count, "no such chunk")
        // SAFETY: there is a directory for every chunk, and a directory has slots for all of its chunks.
        let directory = index &>> ChunkTable.directoryBits
        let chunks = slots[directory] ?? loadDirectory(directory)
        return chunks.advanced(by: index & (ChunkTable.directorySize - 1))
    }

    /// Calls `body` with the slots of the directories that were read. Only their chunks can be in memory.
    func forEachSlot(_ body: (Int, UnsafeMutablePointer<Slot>) -> Void) {
        for directory in directories.indices {
            guard let chunks = slots[directory] else { continue }
            let first = directory * ChunkTable.directorySize
            for index in first..<min(count, first + ChunkTable.directorySize) {
                body(index, chunks.advanced(by: index - first))
            }
        }
    }

    /// Replaces the words of a chunk.
    private func setChunk(_ index: Int, _ words: UnsafeMutablePointer<UInt64>, count: Int, capacity: Int) {
        let slot = slot(index)
        slot.pointee.words?.deallocate()
        slot.pointee.words = words
        slot.pointee.count = UInt32(count)
        slot.pointee.capacity = UInt32(capacity)
    }
}

// MARK: - Words

extension ChunkTable {
    /// The words of a chunk.
    @inline(__always)
    func words(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let slot = slot(index)
        if let words = slot.pointee.words {
            return UnsafeMutableBufferPointer(start: words, count: Int(slot.pointee.count))
        }
        return load(index)
    }

    /// The words of a chunk, to be changed in place. Marks the chunk as dirty.
    @inline(__always)
    mutating func mutableWords(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let words = words(index)
        markDirty(index)
        return words
    }

    /// Inserts a word at `position` of a chunk.
    mutating func insert(_ word: UInt64, at position: Int, ofChunk index: Int) {
        let words = mutableWords(index)
        assert(position >= 0 && position <= words.count, "no such position")
        let slot = slot(index)
        if slot.pointee.count == slot.pointee.capacity {
            let capacity = ChunkTable.room(for: words.count)
            let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
            if let start = words.baseAddress { larger.initialize(from: start, count: words.count) }
            setChunk(index, larger, count: words.count, capacity: capacity)
        }
        let start = slot.pointee.words.unsafelyUnwrapped
        // SAFETY: there is room for one more word.
        start.advanced(by: position + 1).update(from: start.advanced(by: position), count: words.count - position)
        start[position] = word
        slot.pointee.count += 1
    }

    /// Removes the word at `position` of a chunk.
    mutating func remove(at position: Int, ofChunk index: Int) {
        let words = mutableWords(index)
        assert(position >= 0 && position < words.count, "no such word")
        let start = words.baseAddress.unsafelyUnwrapped
        start.advanced(by: position).update(from: start.advanced(by: position + 1), count: words.count - position - 1)
        slot(index).pointee.count -= 1
    }

    /// Replaces the words of a chunk by a copy of these.
    mutating func replace(_ index: Int, with words: UnsafeBufferPointer<UInt64>) {
        let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: words.count)
        if let source = words.baseAddress { copy.initialize(from: source, count: words.count) }
        // `words` may be those of the chunk itself, so the old words are deallocated last.
        setChunk(index, copy, count: words.count, capacity: words.count)
        markDirty(index)
    }

    /// Appends a chunk, and moves those words of another one there for which `moves` returns true. Both keep their order.
    @inline(__always)
    mutating func split(_ index: Int, where moves: (UInt64) -> Bool) {
        let words = words(index)
        var count = 0
        for word in words { count &+= moves(word) ? 1 : 0 }
        let (movedRoom, keptRoom) = (ChunkTable.room(for: count), ChunkTable.room(for: words.count &- count))
        let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: movedRoom)
        let kept = UnsafeMutablePointer<UInt64>.allocate(capacity: keptRoom)
        // Without a branch, because nobody can predict it: every word is written to both, and the next one overwrites it where it does
        // not belong.
        // SAFETY: each has room for one word more than it gets.
        count = 0
        for (number, word) in words.enumerated() {
            moved[count] = word
            kept[number &- count] = word
            count &+= moves(word) ? 1 : 0
        }
        setChunk(index, kept, count: words.count &- count, capacity: keptRoom)
        markDirty(index)
        append(moved, count: count, capacity: movedRoom)
    }

    /// The room of a chunk with so many words that probably gets more.
    private static func room(for count: Int) -> Int { count + max(8, count / 4) }

    @inline(__always)
    private mutating func markDirty(_ index: Int) {
        let slot = slot(index)
        if slot.pointee.isDirty { return }
        slot.pointee.isDirty = true
        dirtyCount += 1
    }
}

// MARK: - Reading stored chunks

extension ChunkTable {
    /// Reads a chunk. If it cannot be read, it is empty and the pool reports damage.
    @inline(never)
    private func load(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let number = slot(index).pointee.number
        var chunk = UnsafeMutableBufferPointer<UInt64>(start: .allocate(capacity: 0), count: 0)
        if number != 0 {
            let read: Void? = pool.withWords(number) { reader in
                let found = reader.readByte()
                let isEarlier = found == NodeCoding.Kind.earlierIndexChunk && kind == NodeCoding.Kind.indexChunk
                let count = Int(reader.readWord())
                let greatest = ChunkTable.greatestCount(found, in: reader.remaining)
                guard found == kind || isEarlier, count <= greatest else { return reader.fail() }
                chunk.deallocate()
                chunk = .allocate(capacity: count)
                chunk.initialize(repeating: 0)
                decode(&reader, chunk, found)
            }
            if read == nil {
                chunk.deallocate()
                chunk = UnsafeMutableBufferPointer(start: .allocate(capacity: 0), count: 0)
            }
        }
        setChunk(index, chunk.baseAddress.unsafelyUnwrapped, count: chunk.count, capacity: chunk.count)
        slot(index).pointee.isDirty = false
        return chunk
    }

    /// Allocates the slots of a directory, and reads the stored numbers of their chunks if the directory is stored.
    @inline(never)
    private func loadDirectory(_ directory: Int) -> UnsafeMutablePointer<Slot> {
        let chunks = UnsafeMutablePointer<Slot>.allocate(capacity: ChunkTable.directorySize)
        chunks.initialize(repeating: Slot(), count: ChunkTable.directorySize)
        // SAFETY: the table has room for all its directories, and this one had no slots.
        slots[directory] = chunks
        guard directories[directory] != 0 else { return chunks }
        let most = min(count - directory * ChunkTable.directorySize, ChunkTable.directorySize)
        _ = pool.withWords(directories[directory]) { reader in
            let isRight = reader.readByte() == NodeCoding.Kind.directory
            let found = Int(reader.readWord())
            guard isRight, found <= most else { return reader.fail() }
            var number: UInt64 = 0
            for index in 0..<found {
                // The sum wraps. Nothing is stored under an invalid number, so its chunk is then empty.
                number = number &+ UInt64(bitPattern: reader.readDelta())
                chunks[index].number = number
            }
        }
        return chunks
    }

    /// The most words of a chunk of so many bytes. Damaged bytes cannot request more memory than that.
    private static func greatestCount(_ kind: UInt8, in bytes: Int) -> Int {
        switch kind {
        // An entry of an index takes at least two bits.
        case NodeCoding.Kind.indexChunk: 4 * bytes
        // At least a bit, unless all entries are equal: ids of one leaf with the same fingerprint.
        case NodeCoding.Kind.earlierIndexChunk: max(Limits.equalEntries, 8 * bytes)
        default: bytes
        }
    }

    /// Decodes bit-packed entries of an index, or other words one by one.
    private func decode(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>, _ kind: UInt8) {
        switch kind {
        case NodeCoding.Kind.indexChunk: IndexChunkCoding.decode(&reader, words, fingerprintBits)
        case NodeCoding.Kind.earlierIndexChunk: IndexChunkCoding.decodeEarlier(&reader, words, fingerprintBits)
        default: for index in words.indices { words[index] = reader.readVarint() }
        }
    }
}
