// Visits and checks all pages that the newest version of a data file reaches.
//
// Always holds: no page is visited twice, so the walk ends; a tree is no deeper than LMDB's cursors allow; a page's
// content is used only after the checks of `TreePage`. Some checks are of rules whose violation would not crash LMDB:
// the order of keys, the counts, and that no page is both free and in use.

/// The state of one walk.
struct PageWalk {
    let file: any PageSource
    let length: Int
    let meta: MetaPage
    private var visited: [UInt64]
    /// Free pages that were never written, beyond the end of the file.
    private var unwritten: Set<UInt64> = []
    /// How many pages the list of free pages has.
    private(set) var freePages: UInt64 = 0
    /// Trees of named databases, found in the unnamed one.
    private var named: [TreeRecord] = []

    init(file: any PageSource, length: Int, meta: MetaPage) {
        self.file = file
        self.length = length
        self.meta = meta
        // Pages beyond the end of the file cannot be visited, so a huge last page number takes no memory.
        visited = Array(repeating: 0, count: length / meta.pageSize / 64 + 1)
    }

    /// The walk.
    ///
    /// - Throws: `damaged` for the first thing that is wrong.
    mutating func run() throws(LMDBError) {
        for number: UInt64 in 0...1 { _ = try visit(number, from: meta.page, at: 0) }
        try walk(meta.main, .unnamed)
        while let tree = named.popLast() { try walk(tree, .named) }
        // Last, so that a free page that is in use is found.
        try walk(meta.free, .free)
    }

    /// Walks the list of free pages only.
    mutating func runFree() throws(LMDBError) {
        for number: UInt64 in 0...1 { _ = try visit(number, from: meta.page, at: 0) }
        try walk(meta.free, .free)
    }

    /// Which tree a page belongs to.
    enum Kind {
        case free, unnamed, named
    }

    /// The number of pages and entries found in a tree.
    struct Count: Equatable {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    mutating func walk(_ tree: TreeRecord, _ kind: Kind) throws(LMDBError) {
        guard tree.root != TreeRecord.noPage else {
            let found = Count(
                branchPages: tree.branchPages, leafPages: tree.leafPages, overflowPages: tree.overflowPages,
                entries: tree.entries)
            return try meta.page.require(
                found == Count(), "counts of a tree without pages", at: 0, expected: "\(Count())", found: "\(found)")
        }
        try meta.page.require(
            tree.depth >= 1 && Int(tree.depth) <= TreeRecord.maximumDepth, "depth of a tree", at: 0,
            expected: "1 to \(TreeRecord.maximumDepth)", found: "\(tree.depth)"
        )
        var count = Count()
        let position = Position(kind: kind, levelsBelow: Int(tree.depth) - 1, lower: nil, upper: nil)
        try walk(page: tree.root, from: meta.page, at: 0, position, &count)
        let expected = Count(
            branchPages: tree.branchPages, leafPages: tree.leafPages,
            overflowPages: tree.overflowPages, entries: tree.entries
        )
        try meta.page.require(
            count == expected, "counts of the tree at page \(tree.root)", at: 0,
            expected: "\(expected)", found: "\(count)"
        )
    }

    /// Where in a tree a page is, and between which keys.
    private struct Position {
        let kind: Kind
        /// How many levels are below the page: 0 for a leaf.
        let levelsBelow: Int
        let lower: [UInt8]?
        let upper: [UInt8]?
    }

    private mutating func walk(
        page number: UInt64, from parent: RawPage, at place: Int, _ position: Position, _ count: inout Count
    ) throws(LMDBError) {
        let raw = try read(number, from: parent, at: place)
        let page = try TreePage(
            raw, number: number, isLeaf: position.levelsBelow == 0, isFreeTree: position.kind == .free
        )
        try page.checkOrder(lower: position.lower, upper: position.upper, isFreeTree: position.kind == .free)
        guard position.levelsBelow == 0 else {
            count.branchPages += 1
            for (index, node) in page.nodes.enumerated() {
                let child = Position(
                    kind: position.kind, levelsBelow: position.levelsBelow - 1,
                    lower: index == 0 ? position.lower : raw.copy(node.key),
                    upper: index + 1 == page.nodes.count
                        ? position.upper : raw.copy(page.nodes[index + 1].key)
                )
                try walk(page: node.childPage, from: raw, at: node.place, child, &count)
            }
            return
        }
        count.leafPages += 1
        count.entries += UInt64(page.nodes.count)
        for node in page.nodes { try check(node, in: raw, position.kind, &count) }
    }

    /// Checks an entry of a leaf.
    private mutating func check(
        _ node: TreePage.Node, in raw: RawPage, _ kind: Kind, _ count: inout Count
    ) throws(LMDBError) {
        switch node.content {
        case .inside(let range):
            if kind == .free {
                try checkAge(node, in: raw)
                try checkFreePages(RawPage(slice: range, of: raw))
            }
        case .overflow(let first, let size):
            let data = try overflow(first, size, raw, node.place, &count, needsData: kind == .free)
            if let data {
                try checkAge(node, in: raw)
                try checkFreePages(data)
            }
        case .tree(let range):
            try raw.require(
                kind == .unnamed, "a database within a database", at: node.place, expected: "none", found: "one"
            )
            let record = TreeRecord(raw, at: range.lowerBound)
            try raw.require(
                record.flags == 0, "flags of a named database", at: range.lowerBound + 4,
                expected: "0x0", found: hexadecimal(record.flags)
            )
            named.append(record)
        }
    }

    /// Visits the pages of a large value; its bytes, if they are needed.
    private mutating func overflow(
        _ first: UInt64, _ size: Int, _ parent: RawPage, _ place: Int, _ count: inout Count, needsData: Bool
    ) throws(LMDBError) -> RawPage? {
        let (raw, pages, _) = try overflow(first, size, from: parent, at: place)
        count.overflowPages += pages
        guard needsData else { return nil }
        return try file.bytes(at: raw.offset + MetaPage.headerSize, count: size)
    }

    /// Visits the pages of a large value. Returns the first page, the number of pages, and whether the value needs that
    /// many.
    mutating func overflow(
        _ first: UInt64, _ size: Int, from parent: RawPage, at place: Int
    ) throws(LMDBError) -> (first: RawPage, pages: UInt64, isExact: Bool) {
        let raw = try read(first, from: parent, at: place)
        let needed = (MetaPage.headerSize - 1 + size) / meta.pageSize + 1
        let flags = raw.load(PageOffset.flags, as: UInt16.self)
        let pages = raw.load(PageOffset.pages, as: UInt32.self)
        try raw.require(
            flags == 0x04, "flags of an overflow page", at: PageOffset.flags,
            expected: "0x4", found: hexadecimal(flags)
        )
        // More pages than it needs are allowed, because LMDB overwrites a larger value with a smaller one in place.
        try raw.require(
            Int(pages) >= needed, "pages of a large value", at: PageOffset.pages,
            expected: "at least \(needed)", found: "\(pages)"
        )
        for next in 1..<UInt64(pages) {
            _ = try visit(first + next, from: parent, at: place)
        }
        return (raw, UInt64(pages), Int(pages) == needed)
    }

    /// Checks the number of the transaction that freed the pages.
    private func checkAge(_ node: TreePage.Node, in raw: RawPage) throws(LMDBError) {
        let number = raw.load(node.key.lowerBound, as: UInt64.self)
        try raw.require(
            number >= 1 && number <= meta.transaction, "transaction of free pages", at: node.place,
            expected: "1 to \(meta.transaction)", found: "\(number)"
        )
    }

    /// Checks a record of free pages: a count, and that many page numbers, descending.
    private mutating func checkFreePages(_ record: RawPage) throws(LMDBError) {
        let room = record.count / 8 - 1
        let count = record.count >= 8 ? record.load(0, as: UInt64.self) : 0
        try record.require(
            room >= 0 && count <= UInt64(max(room, 0)), "count of free pages", at: 0,
            expected: "at most \(room)", found: "\(count)"
        )
        freePages &+= count
        var last = UInt64.max
        for index in 0..<Int(count) {
            let place = 8 * (index + 1)
            let number = record.load(place, as: UInt64.self)
            try record.require(
                number >= 2 && number <= meta.lastPage && number < last, "free page", at: place,
                expected: "2 to \(meta.lastPage), descending", found: "\(number)"
            )
            last = number
            if Int(number) < length / meta.pageSize {
                _ = try visit(number, from: record, at: place)
            } else {
                try record.require(
                    unwritten.insert(number).inserted, "free page", at: place,
                    expected: "a page that nothing else refers to", found: "\(number)"
                )
            }
        }
    }

    /// Reads a page that has not been visited, and checks its number.
    mutating func read(
        _ number: UInt64, from parent: RawPage, at place: Int
    ) throws(LMDBError) -> RawPage {
        let offset = try visit(number, from: parent, at: place)
        let page = try file.bytes(at: offset, count: meta.pageSize)
        try page.require(
            page.count == meta.pageSize, "page \(number)", at: 0,
            expected: "\(meta.pageSize) bytes", found: "\(page.count)"
        )
        let found = page.load(PageOffset.pgno, as: UInt64.self)
        try page.require(
            found == number, "page number", at: PageOffset.pgno, expected: "\(number)", found: "\(found)")
        return page
    }

    /// Marks a page as visited and returns its offset. It must be in the file and not be visited yet.
    mutating func visit(
        _ number: UInt64, from parent: RawPage, at place: Int
    ) throws(LMDBError) -> Int {
        let pagesInFile = UInt64(length / meta.pageSize)
        try parent.require(
            number <= meta.lastPage && number < pagesInFile, "reference to a page", at: place,
            expected: "a page below \(min(meta.lastPage + 1, pagesInFile))", found: "\(number)"
        )
        let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
        try parent.require(
            visited[word] & bit == 0, "reference to a page", at: place,
            expected: "a page that nothing else refers to", found: "\(number)"
        )
        visited[word] |= bit
        return Int(number) * meta.pageSize
    }
}
