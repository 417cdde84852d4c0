// Pages of 64-bit words, by position: what the locator's tables are made of.
//
// A page is memory of its own. It may be stored and not in memory; then it is read when somebody looks. Which page is
// stored where is kept in *directories* of 512 page numbers each, which are stored and read in the same way, so that
// opening a table reads nothing. The slots of 512 pages are made when one of them is looked at.
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
    struct Slot {
        /// The words of the page, if it is in memory.
        var words: UnsafeMutablePointer<UInt64>?
        /// Under which number the page is stored; 0 if it is not.
        var number: UInt64 = 0
        /// How many words there are, and how many there is room for.
        var count: UInt32 = 0
        var capacity: UInt32 = 0
        /// Whether the words are other than those that are stored.
        var isDirty = false
    }

    /// How many pages a directory speaks of.
    static var directorySize: Int { 1 &<< directoryBits }
    private static var directoryBits: Int { 9 }

    /// The slots of the pages of each directory; nil for a directory that was not read yet.
    private var slots: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>
    /// For how many directories there is room.
    private var capacity: Int
    /// How many pages there are.
    private(set) var count = 0
    /// Under which numbers the directories of the newest checkpoint are stored; 0 for one that is not.
    var directories: [UInt64]
    let kind: UInt8
    /// Where pages are read; that of the newest checkpoint.
    var store: NodeStore

    /// A table, of which nothing is in memory.
    ///
    /// - Parameters:
    ///   - kind: what the pages are, as `NodeCoding.Kind` says.
    ///   - count: how many pages there are.
    ///   - directories: under which numbers the directories are stored.
    /// - Complexity: O(directories).
    init(kind: UInt8, count: Int = 0, directories: [UInt64] = [], _ store: NodeStore) {
        self.kind = kind
        self.store = store
        self.directories = directories
        self.count = count
        capacity = max(1, directories.count)
        slots = UnsafeMutablePointer.allocate(capacity: capacity)
        slots.initialize(repeating: nil, count: capacity)
    }

    deinit {
        // SAFETY: all of it was allocated here or below, and nobody else has the pointers.
        for directory in directories.indices {
            guard let pages = slots[directory] else { continue }
            for index in 0..<PageTable.directorySize { pages[index].words?.deallocate() }
            pages.deallocate()
        }
        slots.deallocate()
    }

    /// Adds an empty page at the end.
    mutating func append() {
        if count == directories.count * PageTable.directorySize { appendDirectory() }
        count += 1
        setPage(count - 1, UnsafeMutablePointer<UInt64>.allocate(capacity: 0), count: 0, capacity: 0)
        slot(count - 1).pointee.isDirty = true
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

    /// The slot of a page. Its directory is read if it was not.
    @inline(__always)
    func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
        assert(index >= 0 && index < count, "no such page")
        // SAFETY: there is a directory for every page, and each has slots for all of its pages.
        let directory = index &>> PageTable.directoryBits
        let pages = slots[directory] ?? loadDirectory(directory)
        return pages.advanced(by: index & (PageTable.directorySize - 1))
    }

    /// Calls `body` with the slots of the directories that were read: of all pages that can be in memory.
    func forEachSlot(_ body: (Int, UnsafeMutablePointer<Slot>) -> Void) {
        for directory in directories.indices {
            guard let pages = slots[directory] else { continue }
            let first = directory * PageTable.directorySize
            for index in first..<min(count, first + PageTable.directorySize) {
                body(index, pages.advanced(by: index - first))
            }
        }
    }

    /// Puts other words in the place of those of a page.
    private func setPage(_ index: Int, _ words: UnsafeMutablePointer<UInt64>, count: Int, capacity: Int) {
        let slot = slot(index)
        slot.pointee.words?.deallocate()
        slot.pointee.words = words
        slot.pointee.count = UInt32(count)
        slot.pointee.capacity = UInt32(capacity)
    }
}

// MARK: - Words

extension PageTable {
    /// The words of a page.
    @inline(__always)
    func words(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let slot = slot(index)
        if let words = slot.pointee.words {
            return UnsafeMutableBufferPointer(start: words, count: Int(slot.pointee.count))
        }
        return load(index)
    }

    /// The words of a page, to change them in their places.
    @inline(__always)
    mutating func mutableWords(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let words = words(index)
        slot(index).pointee.isDirty = true
        return words
    }

    /// Makes room for one more word at `position` of a page, and puts it there.
    mutating func insert(_ word: UInt64, at position: Int, ofPage index: Int) {
        let words = mutableWords(index)
        assert(position >= 0 && position <= words.count, "no such position")
        let slot = slot(index)
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
        slot.pointee.count += 1
    }

    /// Removes the word at `position` of a page.
    mutating func remove(at position: Int, ofPage index: Int) {
        let words = mutableWords(index)
        assert(position >= 0 && position < words.count, "no such word")
        let start = words.baseAddress.unsafelyUnwrapped
        start.advanced(by: position).update(from: start.advanced(by: position + 1), count: words.count - position - 1)
        slot(index).pointee.count -= 1
    }

    /// Puts other words in the place of those of a page.
    mutating func replace(_ index: Int, with words: UnsafeBufferPointer<UInt64>) {
        let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: words.count)
        if let source = words.baseAddress { copy.initialize(from: source, count: words.count) }
        // The words may be those of the page itself, so it goes last.
        setPage(index, copy, count: words.count, capacity: words.count)
        slot(index).pointee.isDirty = true
    }
}

// MARK: - Reading stored pages

extension PageTable {
    /// Reads a page. One that cannot be read is empty, and the store says so.
    @inline(never)
    private func load(_ index: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let number = slot(index).pointee.number
        var page = UnsafeMutableBufferPointer<UInt64>(start: .allocate(capacity: 0), count: 0)
        if number != 0 {
            let read: Void? = store.withWords(number) { reader in
                let isRight = reader.readByte() == kind
                let count = Int(reader.readWord())
                guard isRight, count <= PageTable.greatestCount(in: reader.remaining) else { return reader.fail() }
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
        slot(index).pointee.isDirty = false
        return page
    }

    /// Makes the slots of a directory, and reads where their pages are stored if it is.
    @inline(never)
    private func loadDirectory(_ directory: Int) -> UnsafeMutablePointer<Slot> {
        let pages = UnsafeMutablePointer<Slot>.allocate(capacity: PageTable.directorySize)
        pages.initialize(repeating: Slot(), count: PageTable.directorySize)
        // SAFETY: the table has room for all its directories, and this one had no slots.
        slots[directory] = pages
        guard directories[directory] != 0 else { return pages }
        let most = min(count - directory * PageTable.directorySize, PageTable.directorySize)
        _ = store.withWords(directories[directory]) { reader in
            let isRight = reader.readByte() == NodeCoding.Kind.directory
            let found = Int(reader.readWord())
            guard isRight, found <= most else { return reader.fail() }
            var number: UInt64 = 0
            for index in 0..<found {
                // Wrapping: a number that makes no sense is of no page.
                number = number &+ UInt64(bitPattern: reader.readDelta())
                pages[index].number = number
            }
        }
        return pages
    }

    /// How many words a page of so many bytes can have: nothing is made room for that the bytes cannot hold.
    private static func greatestCount(in bytes: Int) -> Int {
        // An entry takes at least a bit, unless all are the same: as many ids of one fingerprint as a leaf has.
        max(Limits.equalEntries, 8 * bytes)
    }

    /// Entries of an index in as few bits as they need; other words one by one.
    private static func decode(_ reader: inout NodeReader, _ words: UnsafeMutableBufferPointer<UInt64>, _ kind: UInt8) {
        guard kind == NodeCoding.Kind.indexPage else {
            for index in words.indices { words[index] = reader.readVarint() }
            return
        }
        IndexPageCoding.decode(&reader, words)
    }
}
