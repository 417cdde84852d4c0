// Pages of 64-bit words, by position: what the locator's tables are made of.
//
// A page is memory of its own. It may be stored and not in memory; then it is read when somebody looks. Which page is
// stored where is kept in *directories* of 512 page numbers each, which are stored and read in the same way, so that
// opening a table reads nothing.
//
// A checkpoint takes copies of the pages that changed (`capture`), which is a fast copy of memory, and writes them while
// the list is edited on. Only the newest checkpoint needs pages: those that it replaces are free once it is complete.
//
// Looking at a page may read it, also where the table is not `inout`; whoever has the table has it alone.
//
// Always holds:
// - a page that is not dirty and has a number is equal to the stored page of that number;
// - a page without a number is in memory or empty.

struct PageTable: ~Copyable {
    /// A position of the table. What is known of a page is kept here and not with its words: looking for a word then waits
    /// for memory once less.
    private struct Slot {
        /// The words of the page, if it is in memory.
        var words: UnsafeMutablePointer<UInt64>?
        /// Under which number the page is stored; 0 if it is not, or if its directory was not read yet.
        var number: UInt64 = 0
        /// How many words there are, and how many there is room for.
        var count: UInt32 = 0
        var capacity: UInt32 = 0
        /// Whether the words are other than those that are stored.
        var isDirty = false
    }

    /// How many pages a directory speaks of.
    static var directorySize: Int { 512 }
    /// More entries a page has only if somebody chose ids for their hashes.
    private static var greatestCount: Int { 1 << 20 }

    private var slots: UnsafeMutablePointer<Slot>
    private var capacity: Int
    /// How many pages there are.
    private(set) var count = 0
    /// Under which numbers the directories are stored that were not read yet; 0 for those that were.
    private let unread: UnsafeMutablePointer<UInt64>
    private let unreadCount: Int
    /// Under which numbers the directories of the newest checkpoint are stored.
    private(set) var directories: [UInt64]
    private let kind: UInt8
    /// Where pages are read; that of the newest checkpoint.
    var store: NodeStore

    /// A table, of which nothing is in memory.
    ///
    /// - Parameters:
    ///   - kind: what the pages are, as `NodeCoding.Kind` says.
    ///   - count: how many pages there are.
    ///   - directories: under which numbers the directories are stored.
    init(kind: UInt8, count: Int = 0, directories: [UInt64] = [], _ store: NodeStore) {
        self.kind = kind
        self.store = store
        self.directories = directories
        self.count = count
        capacity = max(16, count)
        slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: Slot(), count: capacity)
        unreadCount = directories.count
        unread = UnsafeMutablePointer<UInt64>.allocate(capacity: max(1, unreadCount))
        for index in 0..<unreadCount { unread.advanced(by: index).initialize(to: directories[index]) }
    }

    deinit {
        // SAFETY: all of it was allocated here or below, and nobody else has the pointers.
        for index in 0..<capacity { slots[index].words?.deallocate() }
        slots.deallocate()
        unread.deallocate()
    }

    /// Adds an empty page at the end.
    mutating func append() {
        if count == capacity { grow() }
        count += 1
        if (count - 1) / PageTable.directorySize >= directories.count { directories.append(0) }
        setPage(count - 1, UnsafeMutablePointer<UInt64>.allocate(capacity: 0), count: 0, capacity: 0)
        slots[count - 1].isDirty = true
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: slots, count: capacity)
        larger.advanced(by: capacity).initialize(repeating: Slot(), count: capacity)
        slots.deallocate()
        slots = larger
        capacity *= 2
    }

    /// Puts other words in the place of those of a page.
    private func setPage(_ index: Int, _ words: UnsafeMutablePointer<UInt64>, count: Int, capacity: Int) {
        slots[index].words?.deallocate()
        slots[index].words = words
        slots[index].count = UInt32(count)
        slots[index].capacity = UInt32(capacity)
    }
}

// MARK: - Words

extension PageTable {
    /// The words of a page.
    @inline(__always)
    func words(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let slot = slots.advanced(by: index)
        if let words = slot.pointee.words {
            return UnsafeMutableBufferPointer(start: words, count: Int(slot.pointee.count))
        }
        return load(index)
    }

    /// The words of a page, to change them in their places.
    @inline(__always)
    mutating func mutableWords(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let words = words(index)
        slots[index].isDirty = true
        return words
    }

    /// Makes room for one more word at `position` of a page, and puts it there.
    mutating func insert(_ word: UInt64, at position: Int, ofPage index: Int) {
        let words = mutableWords(index)
        let slot = slots.advanced(by: index)
        if slot.pointee.count == slot.pointee.capacity {
            let capacity = words.count + max(8, words.count / 4)
            let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
            if let start = words.baseAddress { larger.initialize(from: start, count: words.count) }
            setPage(index, larger, count: words.count, capacity: capacity)
        }
        let start = slot.pointee.words.unsafelyUnwrapped
        // SAFETY: there is room for one word more than there were.
        start.advanced(by: position + 1).update(from: start.advanced(by: position), count: words.count - position)
        start[position] = word
        slot.pointee.count &+= 1
    }

    /// Removes the word at `position` of a page.
    mutating func remove(at position: Int, ofPage index: Int) {
        let words = mutableWords(index)
        let start = words.baseAddress.unsafelyUnwrapped
        start.advanced(by: position).update(from: start.advanced(by: position + 1), count: words.count - position - 1)
        slots[index].count &-= 1
    }

    /// Puts other words in the place of those of a page.
    mutating func replace(_ index: Int, with words: UnsafeBufferPointer<UInt64>) {
        let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: words.count)
        if let source = words.baseAddress { copy.initialize(from: source, count: words.count) }
        // The words may be those of the page itself, so it goes last.
        setPage(index, copy, count: words.count, capacity: words.count)
        slots[index].isDirty = true
    }
}

// MARK: - Reading stored pages

extension PageTable {
    /// Reads a page. One that cannot be read is empty, and the store says so.
    @inline(never)
    private func load(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        loadDirectory(index / PageTable.directorySize)
        let number = slots[index].number
        var page = UnsafeMutableBufferPointer<UInt64>(start: .allocate(capacity: 0), count: 0)
        if number != 0 {
            let read: Void? = store.withWords(number) { reader in
                let isRight = reader.readByte() == kind
                let count = Int(reader.readWord())
                // Two entries may share a byte, and no page is longer than this.
                guard isRight, count <= PageTable.greatestCount else { return reader.fail() }
                page.deallocate()
                page = .allocate(capacity: count)
                page.initialize(repeating: 0)
                PageTable.decode(&reader, page, kind)
            }
            if read == nil {
                page.deallocate()
                page = UnsafeMutableBufferPointer(start: .allocate(capacity: 0), count: 0)
            }
        }
        setPage(index, page.baseAddress.unsafelyUnwrapped, count: page.count, capacity: page.count)
        slots[index].isDirty = false
        return page
    }

    private func loadDirectory(_ directory: Int) {
        guard directory < unreadCount, unread[directory] != 0 else { return }
        let first = directory * PageTable.directorySize
        let last = min(count, first + PageTable.directorySize)
        _ = store.withWords(unread[directory]) { reader in
            let isRight = reader.readByte() == NodeCoding.Kind.directory
            let found = Int(reader.readWord())
            guard isRight, found <= last - first else { return reader.fail() }
            var number: UInt64 = 0
            for index in first..<first + found {
                number = number &+ UInt64(bitPattern: reader.readDelta())
                // A page that was captured since has a newer number already.
                if slots[index].number == 0 { slots[index].number = number }
            }
        }
        unread[directory] = 0
    }

    /// Entries of an index in as few bits as they need; other words one by one.
    private static func decode(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>, _ kind: UInt8) {
        guard kind == NodeCoding.Kind.indexPage else {
            for index in words.indices { words[index] = reader.readVarint() }
            return
        }
        IndexPageCoding.decode(&reader, words)
    }

    private static func encode(_ words: UnsafeBufferPointer<UInt64>, _ kind: UInt8, _ writer: inout NodeWriter) {
        guard kind == NodeCoding.Kind.indexPage else {
            for word in words { writer.write(varint: word) }
            return
        }
        IndexPageCoding.encode(words, &writer)
    }
}

// MARK: - Checkpoints

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
    func forEach(_ body: (UInt64, borrowing NodeWriter) throws -> Void) rethrows {
        var writer = NodeWriter()
        var start = 0
        for entry in entries {
            NodeCoding.begin(entry.kind, count: entry.end - start, &writer)
            words.withUnsafeBufferPointer { words in
                PageTable.encodeEntry(UnsafeBufferPointer(rebasing: words[start..<entry.end]), entry.kind, &writer)
            }
            NodeCoding.seal(entry.number, &writer)
            try body(entry.number, writer)
            start = entry.end
        }
    }
}

extension PageTable {
    fileprivate static func encodeEntry(
        _ words: UnsafeBufferPointer<UInt64>, _ kind: UInt8, _ writer: inout NodeWriter
    ) {
        guard kind == NodeCoding.Kind.directory else { return encode(words, kind, &writer) }
        var previous: UInt64 = 0
        for number in words {
            writer.write(delta: Int64(bitPattern: number &- previous))
            previous = number
        }
    }

    /// Copies the pages that changed since the last checkpoint, and takes them for stored from now on.
    ///
    /// - Parameter nextNumber: the first number that is free; afterwards the first one that still is.
    /// - Complexity: O(pages in memory + words in those that changed).
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout PageImage) {
        var changed: [Int] = []
        for index in 0..<count {
            guard slots[index].words != nil, slots[index].isDirty else { continue }
            slots[index].isDirty = false
            loadDirectory(index / PageTable.directorySize)
            if slots[index].number != 0 { image.retired.append(slots[index].number) }
            slots[index].number = nextNumber
            image.words.append(contentsOf: words(index))
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
                image.words.append(slots[index].number)
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
        for directory in 0..<unreadCount { loadDirectory(directory) }
        for index in 0..<count where slots[index].number != 0 { image.retired.append(slots[index].number) }
        image.retired.append(contentsOf: directories.filter { $0 != 0 })
    }

    /// How many bytes of pages are in memory.
    var size: Int {
        (0..<count).reduce(0) { $0 + (slots[$1].words == nil ? 0 : 16 + Int(slots[$1].capacity) * 8) }
    }

    /// Drops the pages that are stored as they are.
    mutating func evict() {
        for index in 0..<count {
            guard let words = slots[index].words, slots[index].number != 0, !slots[index].isDirty else { continue }
            words.deallocate()
            slots[index].words = nil
        }
    }
}
