// Checkpoints of a chunk table: copies of the chunks that changed, with the numbers under which they will be stored.
//
// Always holds: captured chunks count as stored. If they could not be written, `restore` marks them as dirty again.

/// Copies of the chunks that changed since the last checkpoint.
struct ChunkImage: Sendable {
    struct Entry: Sendable {
        /// The position of the chunk in the table, or of the directory among the directories.
        var index: Int
        /// The number under which it will be stored.
        var number: UInt64
        /// The end of its words in `words`. They begin at the end of the entry before.
        var end: Int
        /// Its kind, one of `NodeCoding.Kind`.
        var kind: UInt8
        /// Of a chunk of an index, the bits of a fingerprint.
        var fingerprintBits = 0
    }

    var entries: [Entry] = []
    var words: [UInt64] = []
    /// The stored numbers that are no longer needed after these chunks are stored.
    var retired: [UInt64] = []

    /// Calls `body` with the number and the bytes of each chunk.
    func forEach(_ body: (UInt64, borrowing ByteWriter) throws -> Void) rethrows {
        var writer = ByteWriter()
        var start = 0
        for entry in entries {
            NodeCoding.begin(entry.kind, count: entry.end - start, &writer)
            words.withUnsafeBufferPointer { words in
                ChunkTable.encode(UnsafeBufferPointer(rebasing: words[start..<entry.end]), entry, &writer)
            }
            NodeCoding.seal(entry.number, &writer)
            try body(entry.number, writer)
            start = entry.end
        }
    }
}

extension ChunkTable {
    fileprivate static func encode(
        _ words: UnsafeBufferPointer<UInt64>, _ entry: ChunkImage.Entry, _ writer: inout ByteWriter
    ) {
        switch entry.kind {
        case NodeCoding.Kind.indexChunk: IndexChunkCoding.encode(words, entry.fingerprintBits, &writer)
        case NodeCoding.Kind.directory:
            var previous: UInt64 = 0
            for number in words {
                // The difference wraps, and the decoder adds with wrapping, too.
                writer.write(delta: Int64(bitPattern: number &- previous))
                previous = number
            }
        default: for word in words { writer.write(varint: word) }
        }
    }

    /// The most words that ``capture(_:_:)`` copies.
    ///
    /// - Complexity: O(chunks in memory).
    var capturedCount: Int {
        var count = ChunkTable.directorySize * directories.count
        forEachSlot { _, slot in if slot.pointee.isDirty { count += Int(slot.pointee.count) } }
        return count
    }

    /// Copies the chunks that changed since the last checkpoint, and marks them as stored.
    ///
    /// - Parameter nextNumber: the first unused stored number, before and after the call.
    /// - Complexity: O(chunks in memory + words in those that changed).
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout ChunkImage) {
        var changed: [Int] = []
        forEachSlot { index, slot in
            guard let words = slot.pointee.words, slot.pointee.isDirty else { return }
            slot.pointee.isDirty = false
            if slot.pointee.number != 0 { image.retired.append(slot.pointee.number) }
            slot.pointee.number = nextNumber
            image.words.append(contentsOf: UnsafeBufferPointer(start: words, count: Int(slot.pointee.count)))
            image.entries.append(
                ChunkImage.Entry(
                    index: index, number: nextNumber, end: image.words.count, kind: kind,
                    fingerprintBits: fingerprintBits))
            nextNumber += 1
            if changed.last != index / ChunkTable.directorySize { changed.append(index / ChunkTable.directorySize) }
        }
        dirtyCount = 0
        for directory in changed {
            if directories[directory] != 0 { image.retired.append(directories[directory]) }
            directories[directory] = nextNumber
            let first = directory * ChunkTable.directorySize
            for index in first..<min(count, first + ChunkTable.directorySize) {
                image.words.append(slot(index).pointee.number)
            }
            image.entries.append(
                ChunkImage.Entry(
                    index: directory, number: nextNumber, end: image.words.count, kind: NodeCoding.Kind.directory))
            nextNumber += 1
        }
    }

    /// Marks the chunks of an image as dirty again, because they could not be written.
    mutating func restore(_ image: ChunkImage) {
        for entry in image.entries where entry.kind == kind && entry.index < count {
            _ = mutableWords(entry.index)
        }
    }

    /// Appends all stored numbers of the table to the retired ones.
    mutating func retireAll(_ image: inout ChunkImage) {
        for index in 0..<count {
            let number = slot(index).pointee.number
            if number != 0 { image.retired.append(number) }
        }
        image.retired.append(contentsOf: directories.filter { $0 != 0 })
    }

    /// The size of the chunks in memory, in bytes.
    var size: Int {
        var size = 0
        forEachSlot { _, slot in if slot.pointee.words != nil { size += 16 + Int(slot.pointee.capacity) * 8 } }
        return size
    }

    /// Evicts the chunks that are not dirty.
    mutating func evict() {
        forEachSlot { _, slot in
            guard let words = slot.pointee.words, slot.pointee.number != 0, !slot.pointee.isDirty else { return }
            words.deallocate()
            slot.pointee.words = nil
        }
    }
}
