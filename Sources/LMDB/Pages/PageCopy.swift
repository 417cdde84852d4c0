// Copies the pages of one version of a data file into a new file, without gaps.
//
// LMDB can do this too, but reads from the map: during the copy the map could not grow, and writes that need more space
// would have to wait or fail. And LMDB does not check what it reads.
//
// Always holds: `TreePage` checks a page before anything in it is used. A page is written after the pages that it
// refers to, and the meta pages last, so an unfinished copy is not a data file. Deleted bytes are not copied.

/// The state of one copy.
struct PageCopy {
    /// The file to read from. A reader in LMDB's table prevents that pages of the version are overwritten.
    private let file: RawFile
    /// The version that is copied.
    private let meta: MetaPage
    /// The new file, open for writing.
    private let target: Int32
    /// The name of a database that is copied without its entries.
    private let emptied: [UInt8]?
    /// Called with the share that is done, after each write.
    private let progress: (Double) -> Void
    /// The number of the next page of the copy.
    private var next: UInt64 = 2
    /// Bytes that are not written yet, and where they will be.
    private var buffer: [UInt8] = []
    private var offset: Int
    /// About how many bytes are written at once.
    private static let bufferSize = 1 << 20

    init(
        file: RawFile, meta: MetaPage, to target: Int32, emptying name: String?, progress: @escaping (Double) -> Void
    ) {
        self.file = file
        self.meta = meta
        self.target = target
        emptied = name.map { Array($0.utf8) }
        self.progress = progress
        offset = 2 * meta.pageSize
        buffer.reserveCapacity(Self.bufferSize + meta.pageSize)
    }

    /// Writes everything. The caller makes it durable.
    ///
    /// - Throws: `damaged` for the first thing that is wrong; `engine` for errors of the device.
    mutating func run() throws(LMDBError) {
        let root = try copy(meta.main, mayHoldTrees: true)
        try flush()
        for number: UInt64 in 0...1 {
            try write(metaPage(number, root: root), at: Int(number) * meta.pageSize)
        }
    }

    /// A meta page of the copy, whose list of free pages is empty.
    private func metaPage(_ number: UInt64, root: UInt64) -> [UInt8] {
        var page = meta.page.copy(0..<meta.page.count)
        page.append(contentsOf: repeatElement(0, count: meta.pageSize - page.count))
        page.store(number, at: PageOffset.pgno)
        page.store(UInt64(0), at: PageOffset.address)
        // No free pages. The page size and flags are in the record of their tree, too, and stay.
        page.emptyTree(at: PageOffset.freeDB)
        page.store(root, at: PageOffset.mainDB + PageOffset.Record.root)
        page.store(next - 1, at: PageOffset.lastPg)
        // The second one is the newer.
        page.store(number, at: PageOffset.txnid)
        return page
    }

    /// Copies a tree; the number of its root in the copy.
    private mutating func copy(_ tree: TreeRecord, mayHoldTrees: Bool) throws(LMDBError) -> UInt64 {
        guard tree.root != TreeRecord.noPage else { return TreeRecord.noPage }
        try meta.page.require(
            tree.depth >= 1 && Int(tree.depth) <= TreeRecord.maximumDepth, "depth of a tree", at: 0,
            expected: "1 to \(TreeRecord.maximumDepth)", found: "\(tree.depth)"
        )
        return try copy(tree.root, from: meta.page, at: 0, levelsBelow: Int(tree.depth) - 1, mayHoldTrees)
    }

    /// Copies a page and all below it; its number in the copy.
    private mutating func copy(
        _ number: UInt64, from parent: RawPage, at place: Int, levelsBelow: Int, _ mayHoldTrees: Bool
    ) throws(LMDBError) -> UInt64 {
        let raw = try read(number, from: parent, at: place)
        let page = try TreePage(raw, number: number, isLeaf: levelsBelow == 0, isFreeTree: false)
        var bytes = raw.copy(0..<raw.count)
        // The space between the offsets and the nodes has deleted bytes.
        bytes.clear(Int(raw.load(PageOffset.lower, as: UInt16.self))..<Int(raw.load(PageOffset.upper, as: UInt16.self)))
        for node in page.nodes {
            guard levelsBelow == 0 else {
                let child = try copy(
                    node.childPage, from: raw, at: node.place, levelsBelow: levelsBelow - 1, mayHoldTrees)
                bytes.store(UInt32(truncatingIfNeeded: child), at: node.place)
                bytes.store(UInt16(truncatingIfNeeded: child >> 32), at: node.place + 4)
                continue
            }
            switch node.content {
            case .inside: break
            case .overflow(let first, let size):
                bytes.store(try copyValue(first, size, from: raw, at: node.place), at: node.key.upperBound)
            case .tree(let range):
                let record = TreeRecord(raw, at: range.lowerBound)
                try raw.require(
                    mayHoldTrees && record.flags == 0, "a named database", at: range.lowerBound,
                    expected: "flags 0x0, not within another", found: "flags \(hexadecimal(record.flags))"
                )
                if emptied == raw.copy(node.key) {
                    bytes.emptyTree(at: range.lowerBound)
                } else {
                    let root = try copy(record, mayHoldTrees: false)
                    bytes.store(root, at: range.lowerBound + PageOffset.Record.root)
                }
            }
        }
        let copied = try take(1, from: parent, at: place)
        bytes.store(copied, at: PageOffset.pgno)
        try append(bytes)
        return copied
    }

    /// Copies the pages of a large value; the number of the first in the copy.
    private mutating func copyValue(
        _ first: UInt64, _ size: Int, from parent: RawPage, at place: Int
    ) throws(LMDBError) -> UInt64 {
        let raw = try read(first, from: parent, at: place)
        let flags = raw.load(PageOffset.flags, as: UInt16.self)
        let pages = Int(raw.load(PageOffset.pages, as: UInt32.self))
        try raw.require(
            flags == 0x04 && pages * meta.pageSize >= MetaPage.headerSize + size, "a large value of \(size) bytes",
            at: PageOffset.flags,
            expected: "flags 0x4, enough pages", found: "flags \(hexadecimal(flags)), \(pages) pages"
        )
        let copied = try take(UInt64(pages), from: parent, at: place)
        let (start, end) = (raw.offset, raw.offset + pages * meta.pageSize)
        for offset in stride(from: start, to: end, by: Self.bufferSize) {
            let count = min(Self.bufferSize, end - offset)
            let page = try file.bytes(at: offset, count: count)
            var bytes = page.copy(0..<page.count)
            try raw.require(
                bytes.count == count, "a large value", at: 0,
                expected: "\(count) bytes from byte \(offset) of the file on", found: "\(bytes.count)"
            )
            if offset == start { bytes.store(copied, at: PageOffset.pgno) }
            bytes.clear(min(count, max(0, start + MetaPage.headerSize + size - offset))..<count)
            try append(bytes)
        }
        return copied
    }

    /// Reads a page and checks its number.
    private func read(_ number: UInt64, from parent: RawPage, at place: Int) throws(LMDBError) -> RawPage {
        try parent.require(
            number >= 2 && number <= meta.lastPage, "reference to a page", at: place,
            expected: "2 to \(meta.lastPage)", found: "\(number)"
        )
        let page = try file.bytes(at: Int(number) * meta.pageSize, count: meta.pageSize)
        try page.require(
            page.count == meta.pageSize && page.load(PageOffset.pgno, as: UInt64.self) == number, "page \(number)",
            at: PageOffset.pgno, expected: "\(meta.pageSize) bytes with its number", found: "others"
        )
        return page
    }

    /// Reserves pages of the copy and returns the number of the first. If the copy needs more than the original has,
    /// pages are used twice: damage.
    private mutating func take(_ count: UInt64, from parent: RawPage, at place: Int) throws(LMDBError) -> UInt64 {
        try parent.require(
            count <= meta.lastPage + 1 - next, "reference to a page", at: place,
            expected: "a page that nothing else refers to", found: "more pages than the file has"
        )
        defer { next += count }
        return next
    }

    private mutating func append(_ bytes: [UInt8]) throws(LMDBError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private mutating func flush() throws(LMDBError) {
        try write(buffer, at: offset)
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
        progress(Double(next) / Double(meta.lastPage + 1))
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
        let code = bytes.withUnsafeBytes { Platform.write(target, $0, at: offset) }
        try Engine.check(code, "pwrite")
    }
}

extension [UInt8] {
    /// Overwrites bytes with a number. The array checks the bounds.
    fileprivate mutating func store(_ number: some FixedWidthInteger, at place: Int) {
        Swift.withUnsafeBytes(of: number) { bytes in
            for index in bytes.indices { self[place + index] = bytes[index] }
        }
    }

    /// Makes the tree of a record one without pages: no depth, no counts, no root. Its flags stay.
    fileprivate mutating func emptyTree(at place: Int) {
        clear(place + PageOffset.Record.depth..<place + PageOffset.Record.root)
        store(TreeRecord.noPage, at: place + PageOffset.Record.root)
    }

    /// Makes some bytes zeros.
    fileprivate mutating func clear(_ range: Range<Int>) {
        for index in range { self[index] = 0 }
    }
}
