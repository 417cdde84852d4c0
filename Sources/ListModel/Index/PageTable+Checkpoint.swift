// Taking checkpoints of a table: copies of the pages that changed, with the numbers under which they will be stored.
//
// Always holds: what was captured counts as stored; if it turns out that it could not be, `restore` takes that back.

/// The pages of a table that changed since the last checkpoint, copied.
struct PageImage: Sendable {
    struct Entry: Sendable {
        /// Where in the table the page is; for a directory, which one it is.
        var index: Int
        /// Under which number it is to be stored.
        var number: UInt64
        /// Where its words end in `words`; they begin where those of the entry before end.
        var end: Int
        /// What it is.
        var kind: UInt8
    }

    var entries: [Entry] = []
    var words: [UInt64] = []
    /// What need not be stored any longer once these pages are.
    var retired: [UInt64] = []

    /// Calls `body` with the number and the bytes of each page.
    func forEach(_ body: (UInt64, borrowing ByteWriter) throws -> Void) rethrows {
        var writer = ByteWriter()
        var start = 0
        for entry in entries {
            NodeCoding.begin(entry.kind, count: entry.end - start, &writer)
            words.withUnsafeBufferPointer { words in
                PageTable.encode(UnsafeBufferPointer(rebasing: words[start..<entry.end]), entry.kind, &writer)
            }
            NodeCoding.seal(entry.number, &writer)
            try body(entry.number, writer)
            start = entry.end
        }
    }
}

extension PageTable {
    fileprivate static func encode(
        _ words: UnsafeBufferPointer<UInt64>, _ kind: UInt8, _ writer: inout ByteWriter
    ) {
        switch kind {
        case NodeCoding.Kind.indexPage: IndexPageCoding.encode(words, &writer)
        case NodeCoding.Kind.directory:
            var previous: UInt64 = 0
            for number in words {
                // Wrapping: differences of any two numbers, which reading adds up in the same way.
                writer.write(delta: Int64(bitPattern: number &- previous))
                previous = number
            }
        default: for word in words { writer.write(varint: word) }
        }
    }

    /// Copies the pages that changed since the last checkpoint, and takes them for stored from now on.
    ///
    /// - Parameter nextNumber: the first number that is free; afterwards the first one that still is.
    /// - Complexity: O(pages in memory + words in those that changed).
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout PageImage) {
        var changed: [Int] = []
        forEachSlot { index, slot in
            guard let words = slot.pointee.words, slot.pointee.isDirty else { return }
            slot.pointee.isDirty = false
            if slot.pointee.number != 0 { image.retired.append(slot.pointee.number) }
            slot.pointee.number = nextNumber
            image.words.append(contentsOf: UnsafeBufferPointer(start: words, count: Int(slot.pointee.count)))
            image.entries.append(
                PageImage.Entry(index: index, number: nextNumber, end: image.words.count, kind: kind))
            nextNumber += 1
            if changed.last != index / PageTable.directorySize { changed.append(index / PageTable.directorySize) }
        }
        for directory in changed {
            if directories[directory] != 0 { image.retired.append(directories[directory]) }
            directories[directory] = nextNumber
            let first = directory * PageTable.directorySize
            for index in first..<min(count, first + PageTable.directorySize) {
                image.words.append(slot(index).pointee.number)
            }
            image.entries.append(
                PageImage.Entry(
                    index: directory, number: nextNumber, end: image.words.count, kind: NodeCoding.Kind.directory))
            nextNumber += 1
        }
    }

    /// Takes back that the pages of an image are stored, because they could not be written.
    mutating func restore(_ image: PageImage) {
        for entry in image.entries where entry.kind == kind && entry.index < count {
            _ = mutableWords(entry.index)
        }
    }

    /// All numbers under which something of the table is stored.
    mutating func retireAll(_ image: inout PageImage) {
        for index in 0..<count {
            let number = slot(index).pointee.number
            if number != 0 { image.retired.append(number) }
        }
        image.retired.append(contentsOf: directories.filter { $0 != 0 })
    }

    /// How many bytes of pages are in memory.
    var size: Int {
        var size = 0
        forEachSlot { _, slot in if slot.pointee.words != nil { size += 16 + Int(slot.pointee.capacity) * 8 } }
        return size
    }

    /// Drops the pages that are stored as they are.
    mutating func evict() {
        forEachSlot { _, slot in
            guard let words = slot.pointee.words, slot.pointee.number != 0, !slot.pointee.isDirty else { return }
            words.deallocate()
            slot.pointee.words = nil
        }
    }
}
