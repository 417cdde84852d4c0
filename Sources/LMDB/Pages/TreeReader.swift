// Reads the trees of one version without LMDB, and checks every number.
//
// LMDB follows page numbers without checking them, so it must not read a file whose pages were not all checked. This
// code looks up and scans entries instead, and checks every number before it uses it. Entries that an open transaction
// has written are not in the file; they are read through LMDB (see WriteGuard).
//
// Always holds: only pages of the version that are in the file are read; a path has as many pages as the tree is deep,
// so every search ends.

/// Where a tree begins.
struct TreeRoot {
    let page: UInt64
    /// How many pages a path has; 0 for a tree without entries.
    let depth: Int

    init(_ record: TreeRecord) {
        page = record.root
        depth = record.root == TreeRecord.noPage ? 0 : Int(record.depth)
    }

    init(page: UInt64, depth: Int) {
        self.page = page
        self.depth = depth
    }
}

/// The trees of one version of the file.
struct TreeReader {
    let start: UnsafeRawPointer
    let pageSize: Int
    /// Only pages below are read.
    let limit: UInt64
    /// The number of the version.
    let transaction: UInt64
    let main: TreeRoot
    // The environment keeps it. Not `unowned(unsafe)`: where a type is not known when it is compiled, Swift 6.3 takes an optional reader
    // for nil if such a reference in it is nil.
    private let source: Unmanaged<PageMap>?

    /// Where pages are copied from; nil if they are read in the map.
    var copying: PageMap? {
        @inline(__always) get { source?.takeUnretainedValue() }
    }
}

extension TreeReader {
    /// The trees of a version; nil if a newer version has overwritten its meta page.
    @inline(__always)
    init?(_ pages: PageMap, version: UInt64) throws(LMDBError) {
        let place = Int(version % 2) * pages.pageSize
        // SAFETY: every file has both meta pages, which the gate has seen.
        let meta = try pages.start() + place
        let lastPage = meta.loadUnaligned(fromByteOffset: PageOffset.lastPg, as: UInt64.self)
        main = TreeRoot(TreeRecord(meta + PageOffset.mainDB))
        // Read last: another process may overwrite the page with a newer version at any moment from here on.
        let found = meta.loadUnaligned(fromByteOffset: PageOffset.txnid, as: UInt64.self)
        guard found == version else { return nil }
        (start, limit) = try pages.pages(upTo: lastPage, of: version)
        pageSize = pages.pageSize
        source = pages.unloads ? Unmanaged.passUnretained(pages) : nil
        transaction = version
        guard main.depth <= TreeRecord.maximumDepth else {
            throw damage(
                "depth of a tree", at: start + (place + PageOffset.mainDB + PageOffset.Record.depth),
                "at most \(TreeRecord.maximumDepth)", "\(main.depth)")
        }
    }
}

extension TreeReader {
    /// The newest version that the file has a meta page of.
    @inline(__always)
    static func newestVersion(_ pages: PageMap) throws(LMDBError) -> UInt64 {
        // SAFETY: every file has both meta pages, which the gate has seen.
        let first = try pages.start() + PageOffset.txnid
        return max(
            first.loadUnaligned(as: UInt64.self),
            first.loadUnaligned(fromByteOffset: pages.pageSize, as: UInt64.self))
    }
}

/// Memory into which pages are copied, one at a time.
struct PageBuffer {
    unowned(unsafe) let pages: PageMap
    let bytes: UnsafeMutableRawBufferPointer

    init(_ pages: PageMap, _ bytes: UnsafeMutableRawBufferPointer) {
        self.pages = pages
        self.bytes = bytes
    }

    /// A page of a version; nil if it cannot be read, or is no page of a tree.
    func page(_ number: UInt64, isLeaf: Bool, of version: UInt64) -> SoundPage? {
        guard let start = bytes.baseAddress,
            isLeaf ? pages.copy(number, into: bytes) : pages.copyBranch(number, of: version, into: bytes)
        else { return nil }
        return SoundPage(UnsafeRawPointer(start), number, isLeaf: isLeaf, size: pages.pageSize)
    }
}

/// A page of a tree with a valid header.
struct SoundPage {
    static let headerSize = 16
    static let nodeHeaderSize = 8

    let bytes: UnsafeRawPointer
    /// How many nodes there are, at least one.
    let count: Int

    /// The page in some bytes, as many as a page has; nil if they are not that page.
    @inline(__always)
    init?(_ bytes: UnsafeRawPointer, _ number: UInt64, isLeaf: Bool, size: Int) {
        let found = bytes.loadUnaligned(fromByteOffset: PageOffset.pgno, as: UInt64.self)
        let flags = bytes.loadUnaligned(fromByteOffset: PageOffset.flags, as: UInt16.self)
        let lower = Int(bytes.loadUnaligned(fromByteOffset: PageOffset.lower, as: UInt16.self))
        guard found == number, flags == (isLeaf ? 2 : 1), lower > SoundPage.headerSize + 1, lower <= size else {
            return nil
        }
        self.bytes = bytes
        count = (lower - SoundPage.headerSize) >> 1
    }
}

/// An entry of a leaf, or a child of a branch, that lies in its page.
struct SoundNode {
    let bytes: UnsafeRawPointer
    let keySize: Int
    /// How many bytes the page has after the key.
    let room: Int

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes + SoundPage.nodeHeaderSize, count: keySize) }

    /// How many bytes a leaf's value has, in the node or on pages of its own.
    var valueSize: Int { Int(bytes.loadUnaligned(as: UInt32.self)) }

    /// The page of a branch's child.
    var child: UInt64 {
        let flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        return UInt64(bytes.loadUnaligned(as: UInt32.self)) | UInt64(flags) << 32
    }
}

extension TreeReader {
    /// The root of a database's tree.
    ///
    /// - Parameters:
    ///   - name: its name; nil for the unnamed database.
    ///   - buffer: memory for a page, if pages are copied.
    /// - Throws: `engine(.invalidArgument)` if this version does not have the database, as LMDB does.
    @inline(__always)
    func root(named name: UnsafeRawBufferPointer?, _ buffer: PageBuffer? = nil) throws(LMDBError) -> TreeRoot {
        guard name != nil else { return main }
        guard let record = try record(named: name, buffer) else {
            throw LMDBError(.engine(.invalidArgument), in: "mdb_get", detail: "this version does not have the database")
        }
        return TreeRoot(record)
    }

    /// The record of a named database; nil if this version does not have it.
    ///
    /// - Parameter buffer: memory for a page, if pages are copied.
    func record(
        named name: UnsafeRawBufferPointer?, _ buffer: PageBuffer? = nil
    ) throws(LMDBError) -> TreeRecord? {
        guard let name, let node = try find(name, in: main, buffer, leaf: buffer) else { return nil }
        let flags = node.bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        let size = node.valueSize
        guard flags == 2, size == TreeRecord.size, size <= node.room else {
            throw damage(
                "record of a database", at: node.bytes, "\(TreeRecord.size) bytes, flags 0x2", "\(size), \(flags)")
        }
        let bytes = node.bytes + (SoundPage.nodeHeaderSize + node.keySize)
        let record = TreeRecord(bytes)
        try check(record, at: bytes)
        return record
    }

    /// Throws an error if the record of a database has impossible values.
    func check(_ record: TreeRecord, at place: UnsafeRawPointer) throws(LMDBError) {
        let isEmpty = record.root == TreeRecord.noPage
        let isSound =
            isEmpty
            ? record.depth == 0 && record.entries == 0
            : record.root >= 2 && record.root < limit && record.depth > 0 && record.depth <= TreeRecord.maximumDepth
                && record.branchPages < limit && record.leafPages < limit && record.overflowPages < limit
                && record.leafPages > 0
                && record.entries <= record.leafPages * UInt64(pageSize)
        guard isSound, record.flags == 0 else {
            throw damage(
                "record of a database", at: place, "a root of 2 to \(limit) and a depth, or none",
                "root \(record.root), depth \(record.depth), flags \(hexadecimal(record.flags)), \(record.entries) entries"
            )
        }
    }

    /// The node of a key.
    ///
    /// - Parameters:
    ///   - branch: memory for a branch, if branches are copied.
    ///   - leaf: memory for the leaf, if it is copied.
    ///   - orBefore: whether it may be the node before, if the leaf has one and not the key.
    @inline(__always)
    func find(
        _ key: UnsafeRawBufferPointer, in tree: TreeRoot, _ branch: PageBuffer? = nil, leaf: PageBuffer? = nil,
        orBefore: Bool = false
    ) throws(LMDBError) -> SoundNode? {
        guard tree.depth > 0 else { return nil }
        var number = tree.page
        var place = start
        var range = KeyRange()
        for _ in 1..<tree.depth {
            let page = try page(number, isLeaf: false, from: place, branch)
            place = page.bytes
            let index = try childIndex(key, page, expected: range.place(of: key, among: page.count))
            number = try node(index, of: page).child
            if index > 0 { range.first = TreeReader.number(try node(index, of: page).key) }
            if index + 1 < page.count { range.end = TreeReader.number(try node(index + 1, of: page).key) }
        }
        let page = try page(number, isLeaf: true, from: place, leaf)
        let (index, isExact) = try entryIndex(key, page, expected: range.place(of: key, among: page.count))
        if isExact { return try node(index, of: page) }
        return orBefore && index > 0 ? try node(index - 1, of: page) : nil
    }

    /// A page of a tree, once its header is checked.
    ///
    /// - Parameters:
    ///   - place: the page that refers to it, for errors.
    ///   - buffer: where the page is copied; nil if it is read in the map.
    @inline(__always)
    func page(
        _ number: UInt64, isLeaf: Bool, from place: UnsafeRawPointer, _ buffer: PageBuffer? = nil
    ) throws(LMDBError) -> SoundPage {
        if let buffer, number >= 2, number < limit,
            let page = buffer.page(number, isLeaf: isLeaf, of: transaction)
        {
            return page
        }
        guard number >= 2, number < limit else {
            throw damage("reference to a page", at: place, "2 to \(limit)", "\(number)")
        }
        // SAFETY: the page is in the file and the map, and a header fits into every page.
        let bytes = start + Int(number) * pageSize
        if let page = SoundPage(bytes, number, isLeaf: isLeaf, size: pageSize) { return page }
        let found = bytes.loadUnaligned(fromByteOffset: PageOffset.pgno, as: UInt64.self)
        let flags = bytes.loadUnaligned(fromByteOffset: PageOffset.flags, as: UInt16.self)
        let lower = bytes.loadUnaligned(fromByteOffset: PageOffset.lower, as: UInt16.self)
        throw damage(
            "header of a page", at: bytes, "page \(number), flags \(isLeaf ? 2 : 1), an entry",
            "page \(found), flags \(hexadecimal(flags)), lower \(lower)"
        )
    }

    /// A node of a page, once it is known to lie in it.
    @inline(__always)
    func node(_ index: Int, of page: SoundPage) throws(LMDBError) -> SoundNode {
        // SAFETY: the index is below the count, whose offsets lie in the page; the node is looked at only if it does.
        let place = Int(page.bytes.loadUnaligned(fromByteOffset: SoundPage.headerSize + 2 * index, as: UInt16.self))
        guard place + SoundPage.nodeHeaderSize <= pageSize else {
            throw damage("offset of a node", at: page.bytes, "below \(pageSize)", "\(place)")
        }
        let keySize = Int(page.bytes.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self))
        let room = pageSize - place - SoundPage.nodeHeaderSize - keySize
        guard room >= 0 else {
            throw damage("size of a key", at: page.bytes + place, "one within the page", "\(keySize)")
        }
        return SoundNode(bytes: page.bytes + place, keySize: keySize, room: room)
    }

    @inline(never)
    func damage(
        _ what: String, at place: UnsafeRawPointer, _ expected: @autoclosure () -> String,
        _ found: @autoclosure () -> String
    ) -> LMDBError {
        LMDBError(
            .damaged(.init(what: what, offset: offset(of: place), expected: expected(), found: found())),
            in: "TreeReader"
        )
    }

    /// Where a place in the map, or in the copy of a page whose header is right, is in the file.
    private func offset(of place: UnsafeRawPointer) -> Int {
        if (start..<start + max(2, Int(limit)) * pageSize).contains(place) { return place - start }
        let inPage = Int(UInt(bitPattern: place) % UInt(pageSize))
        // SAFETY: copies are aligned as pages are, and a page begins with its number.
        return Int(truncatingIfNeeded: (place - inPage).load(as: UInt64.self)) &* pageSize &+ inPage
    }
}

extension TreeReader {
    /// How many pages the named databases have, by their records.
    ///
    /// - Complexity: O(databases).
    func databasePages() throws(LMDBError) -> UInt64 {
        var pages: UInt64 = 0
        var cursor = EntryCursor(self, main)
        var entry = try cursor.move(.first)
        while let found = entry {
            if try cursor.isOnDatabase(), let record = try record(named: found.key) { pages &+= record.pages }
            entry = try cursor.move(.next)
        }
        return pages
    }
}
