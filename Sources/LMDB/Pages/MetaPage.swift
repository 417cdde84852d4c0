// LMDB's two meta pages: which version of the file is the newest, and where its trees begin.
//
// Always holds: every `MetaPage` that is used has passed all checks that need no other page. The trees of the older one
// are not used, and may be nonsense: if LMDB cannot write a meta page, it puts the old transaction and the old last page
// back, and leaves the new trees.

/// A tree's record: in a meta page, or as the value of a named database.
struct TreeRecord {
    static let size = 48
    /// The root page of a tree without entries.
    static let noPage = UInt64.max
    /// LMDB's cursors have a stack of this many pages.
    static let maximumDepth = 32

    let pad: UInt32
    let flags: UInt16
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    /// How many pages the tree has. Only the record says so.
    var pages: UInt64 { branchPages &+ leafPages &+ overflowPages }

    /// - Parameter bytes: the record, all of it.
    init(_ bytes: UnsafeRawPointer) {
        // SAFETY: the caller has checked that there are `size` bytes; an unaligned load needs no alignment.
        typealias Offset = PageOffset.Record
        pad = bytes.loadUnaligned(fromByteOffset: Offset.pad, as: UInt32.self)
        flags = bytes.loadUnaligned(fromByteOffset: Offset.flags, as: UInt16.self)
        depth = bytes.loadUnaligned(fromByteOffset: Offset.depth, as: UInt16.self)
        branchPages = bytes.loadUnaligned(fromByteOffset: Offset.branchPages, as: UInt64.self)
        leafPages = bytes.loadUnaligned(fromByteOffset: Offset.leafPages, as: UInt64.self)
        overflowPages = bytes.loadUnaligned(fromByteOffset: Offset.overflowPages, as: UInt64.self)
        entries = bytes.loadUnaligned(fromByteOffset: Offset.entries, as: UInt64.self)
        root = bytes.loadUnaligned(fromByteOffset: Offset.root, as: UInt64.self)
    }

    init(_ page: RawPage, at place: Int) {
        self = page.withBytes(place..<place + TreeRecord.size) { TreeRecord($0.baseAddress.unsafelyUnwrapped) }
    }
}

/// One of the two meta pages.
struct MetaPage {
    static let headerSize = 16
    static let size = 136
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    static let metaFlag: UInt16 = 0x08
    /// The flags that LMDB keeps in the free tree's record: integer keys always, and "the path is a file".
    static let freeFlags: (required: UInt16, allowed: UInt16) = (0x08, 0x4008)

    let page: RawPage
    let pageSize: Int
    let free: TreeRecord
    let main: TreeRecord
    let lastPage: UInt64
    let transaction: UInt64

    /// The length of a file in which all pages up to the last are written.
    var requiredLength: Int { (Int(lastPage) + 1) * pageSize }

    /// The newer one of the two meta pages, chosen as LMDB does. As for LMDB, both must be meta pages; only the trees of
    /// the newer one must be sound.
    static func newest(in file: RawFile, length: Int) throws(LMDBError) -> MetaPage {
        let first = try MetaPage(file, number: 0, pageSize: nil)
        let second = try MetaPage(file, number: 1, pageSize: first.pageSize)
        try first.page.require(
            length >= 2 * first.pageSize, "file length", at: 0,
            expected: "at least \(2 * first.pageSize) bytes", found: "\(length)"
        )
        let newest = first.transaction < second.transaction ? second : first
        try newest.checkTrees()
        return newest
    }

    /// The bytes of the meta pages that every commit changes. They are not checked.
    static func fingerprint(of file: RawFile) throws(LMDBError) -> [UInt8] {
        let first = try file.bytes(at: 0, count: headerSize + size)
        guard first.count == headerSize + size else { return first.copy(0..<first.count) }
        let pageSize = first.load(PageOffset.psize, as: UInt32.self)
        let second = try file.bytes(at: Int(pageSize), count: headerSize + size)
        return first.copy(0..<first.count) + second.copy(0..<second.count)
    }

    private init(_ file: RawFile, number: Int, pageSize known: Int?) throws(LMDBError) {
        let page = try file.bytes(at: number * (known ?? 0), count: Self.headerSize + Self.size)
        try self.init(unchecked: page, number: number, pageSize: known)
    }

    /// Checks the bytes of a meta page.
    ///
    /// - Parameter known: the page size, if it is known already.
    init(_ page: RawPage, number: Int, pageSize known: Int?) throws(LMDBError) {
        try self.init(unchecked: page, number: number, pageSize: known)
        try checkTrees()
    }

    /// Checks the bytes of a meta page, except its trees.
    private init(unchecked page: RawPage, number: Int, pageSize known: Int?) throws(LMDBError) {
        let size = Self.headerSize + Self.size
        try page.require(
            page.count == size, "meta page \(number)", at: 0, expected: "\(size) bytes", found: "\(page.count)"
        )
        self.page = page
        try Self.checkIdentity(page, number)
        free = TreeRecord(page, at: PageOffset.freeDB)
        main = TreeRecord(page, at: PageOffset.mainDB)
        lastPage = page.load(PageOffset.lastPg, as: UInt64.self)
        transaction = page.load(PageOffset.txnid, as: UInt64.self)

        let found = Int(free.pad)
        let isPlausible = found >= 256 && found <= 32_768 && found.nonzeroBitCount == 1
        try page.require(
            isPlausible && found == known ?? found, "page size", at: PageOffset.psize,
            expected: known.map { "\($0)" } ?? "a power of two from 256 to 32768", found: "\(found)"
        )
        pageSize = found
        // LMDB reports it as an `Int`. No file has had so many.
        try page.require(
            transaction < 1 << 62, "transaction of meta page \(number)", at: PageOffset.txnid,
            expected: "less than 2^62", found: "\(transaction)"
        )
        // LMDB finds the page of a snapshot by its number. A new file has two first pages.
        try page.require(
            transaction == 0 || transaction % 2 == UInt64(number), "transaction of meta page \(number)",
            at: PageOffset.txnid, expected: number == 0 ? "an even number" : "an odd number", found: "\(transaction)"
        )
    }

    private static func checkIdentity(_ page: RawPage, _ number: Int) throws(LMDBError) {
        let flags = page.load(PageOffset.flags, as: UInt16.self)
        try page.require(
            flags & metaFlag != 0 && flags & ~(metaFlag | 0x10) == 0, "flags of meta page \(number)",
            at: PageOffset.flags, expected: hexadecimal(metaFlag), found: hexadecimal(flags)
        )
        let pageNumber = page.load(PageOffset.pgno, as: UInt64.self)
        try page.require(
            pageNumber == UInt64(number), "page number", at: PageOffset.pgno,
            expected: "\(number)", found: "\(pageNumber)"
        )
        let magic = page.load(PageOffset.magic, as: UInt32.self)
        try page.require(
            magic == Self.magic, "magic number", at: PageOffset.magic,
            expected: hexadecimal(Self.magic), found: hexadecimal(magic)
        )
        let version = page.load(PageOffset.version, as: UInt32.self)
        try page.require(
            version == Self.version, "format version", at: PageOffset.version,
            expected: "\(Self.version)", found: "\(version)"
        )
    }

    private func checkTrees() throws(LMDBError) {
        // Beyond this, sizes in bytes could not be computed.
        let limit = UInt64(Int.max / pageSize - 1)
        try page.require(
            lastPage >= 1 && lastPage <= limit, "last page", at: PageOffset.lastPg,
            expected: "1 to \(limit)", found: "\(lastPage)"
        )
        // LMDB allocates pages in its map only, and a meta page has the size of the map.
        let mapSize = page.load(PageOffset.mapsize, as: UInt64.self)
        try page.require(
            lastPage < mapSize / UInt64(pageSize), "last page", at: PageOffset.lastPg,
            expected: "below \(mapSize / UInt64(pageSize)), the pages of the map", found: "\(lastPage)"
        )
        let (required, allowed) = Self.freeFlags
        try page.require(
            free.flags & required == required && free.flags & ~allowed == 0, "environment flags",
            at: PageOffset.freeDB + PageOffset.Record.flags,
            expected: hexadecimal(allowed), found: hexadecimal(free.flags)
        )
        try page.require(
            main.flags == 0, "flags of the unnamed database", at: PageOffset.mainDB + PageOffset.Record.flags,
            expected: "0x0", found: hexadecimal(main.flags)
        )
        for (tree, place) in [(free, PageOffset.freeDB), (main, PageOffset.mainDB)] {
            let isSound =
                tree.root == TreeRecord.noPage
                ? tree.depth == 0 && tree.entries == 0
                : tree.root >= 2 && tree.root <= lastPage && tree.depth > 0 && tree.depth <= TreeRecord.maximumDepth
            try page.require(
                isSound, "root page", at: place + PageOffset.Record.root,
                expected: "2 to \(lastPage) with a depth of 1 to \(TreeRecord.maximumDepth), or none with depth 0",
                found: "\(tree.root), depth \(tree.depth), \(tree.entries) entries"
            )
        }
    }
}

/// A number as people write it for flags and magic numbers.
func hexadecimal(_ number: some FixedWidthInteger) -> String {
    "0x" + String(number, radix: 16)
}
