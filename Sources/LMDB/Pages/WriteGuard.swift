// Checks pages before LMDB reads them in a write transaction.
//
// In a write transaction, LMDB itself searches the pages that it changes, and moves nodes between neighbouring pages
// after deletions. So before each change, all pages are checked that LMDB may read for it, in the version that the
// transaction began with: the path to the key, the pages beside each page of the path, and the outermost paths below
// those. Pages that the transaction has written are sound, because LMDB made them from sound pages. Before the first
// change, the whole list of free pages is checked.
//
// Always holds: each checked page is used in one place only, and is not free.

/// The pages that one write transaction has checked.
///
/// `@unchecked Sendable`: a write transaction and all that belongs to it is used by one thread.
final class WriteGuard: @unchecked Sendable {
    /// How many pages to the left and to the right are checked. LMDB reads the next one, and if that is merged, the one
    /// after it.
    private static let reach = 2

    /// A page that was checked.
    fileprivate final class Checked {
        let page: TreePage
        /// The bounds of its keys.
        let lower: [UInt8]?
        let upper: [UInt8]?
        /// The children of a branch that were checked; nil for the others.
        var children: [Checked?]
        /// Which entries of a leaf have large values that were not checked.
        var largeValues: [Int]

        init(_ page: TreePage, lower: [UInt8]?, upper: [UInt8]?, isLeaf: Bool) {
            self.page = page
            self.lower = lower
            self.upper = upper
            children = isLeaf ? [] : Array(repeating: nil, count: page.nodes.count)
            largeValues = []
            guard isLeaf else { return }
            for (index, node) in page.nodes.enumerated() {
                if case .overflow = node.content { largeValues.append(index) }
            }
        }
    }

    /// A database, and the leaf that was checked last.
    private final class Tree {
        let depth: Int
        let root: Checked?
        var leaf: Checked?

        init(_ depth: Int, _ root: Checked?) {
            self.depth = depth
            self.root = root
        }
    }

    private let reader: TreeReader
    private let map: PageMap
    private let meta: MetaPage
    /// The pages that were visited: the free ones, and all that were checked.
    private var walk: PageWalk
    /// The checked trees, by the index of their database.
    private var trees: [Tree?] = []
    private var isFreeListChecked = false

    init(_ reader: TreeReader, _ map: PageMap) throws(LMDBError) {
        self.reader = reader
        self.map = map
        meta = try reader.metaPage()
        walk = PageWalk(file: reader, length: Int(reader.limit) * map.pageSize, meta: meta)
    }

    /// Checks the list of free pages, which LMDB reads for every write.
    func checkFreeList() throws(LMDBError) {
        guard !isFreeListChecked else { return }
        isFreeListChecked = true
        try walk.runFree()
        guard !map.isAccounted.load(ordering: .relaxed) else { return }
        // A file whose pages do not add up may still be sound. Only a check of all pages can tell.
        if try !addsUp() { try checkAll() }
        map.isAccounted.store(true, ordering: .relaxed)
    }

    /// Whether the trees and the list of free pages, by the numbers in their records, have all pages of the file.
    private func addsUp() throws(LMDBError) -> Bool {
        // An app's own database with many entries, not a small one with the names of databases.
        guard meta.main.leafPages < 16 else { return true }
        let used = try meta.free.pages &+ meta.main.pages &+ reader.databasePages()
        return 2 &+ walk.freePages &+ used == meta.lastPage + 1
    }

    private func checkAll() throws(LMDBError) {
        var walk = PageWalk(file: reader, length: Int(reader.limit) * map.pageSize, meta: meta)
        try walk.run()
    }

    /// Checks the pages that LMDB reads to change or to find an entry.
    ///
    /// - Parameters:
    ///   - key: the key; nil for the last one.
    ///   - isWrite: whether something will be changed.
    func check(
        _ key: UnsafeRawBufferPointer?, in index: UInt32, named name: UnsafeRawBufferPointer?, isWrite: Bool = true
    )
        throws(LMDBError)
    {
        if isWrite { try checkFreeList() }
        let tree = try tree(index, name, isWrite)
        guard let root = tree.root else { return }
        if let leaf = tree.leaf, leaf.contains(key) { return try checkLargeValue(key, leaf) }
        var page = root
        for level in stride(from: tree.depth - 1, to: 0, by: -1) {
            let count = page.children.count
            let place = key.map { page.page.childIndex($0) } ?? count - 1
            for beside in max(0, place - Self.reach)...min(count - 1, place + Self.reach) {
                let child = try child(beside, of: page, level)
                try checkEdges(child, level - 1)
            }
            page = try child(place, of: page, level)
        }
        tree.leaf = page
        try checkLargeValue(key, page)
    }

    /// Checks the pages that LMDB reads to open a database, whether it exists or not.
    static func checkName(_ name: UnsafeRawBufferPointer, _ reader: TreeReader, _ map: PageMap) throws(LMDBError) {
        // A tree of one page is checked as a whole.
        if map.checkedNames.load(ordering: .relaxed) != reader.transaction {
            try WriteGuard(reader, map).check(name, in: 1, named: nil, isWrite: false)
            if reader.main.depth <= 1 { map.checkedNames.store(reader.transaction, ordering: .relaxed) }
        }
        _ = try reader.record(named: name)
    }

    /// Checks a whole database, and the list of free pages.
    func checkAll(of index: UInt32, named name: UnsafeRawBufferPointer?) throws(LMDBError) {
        try check(nil, in: index, named: name)
        var walk = PageWalk(file: reader, length: Int(reader.limit) * map.pageSize, meta: meta)
        try walk.runFree()
        let record = name == nil ? meta.main : try reader.record(named: name)
        if let record { try walk.walk(record, name == nil ? .unnamed : .named) }
    }

    private func tree(
        _ index: UInt32, _ name: UnsafeRawBufferPointer?, _ isWrite: Bool
    ) throws(LMDBError) -> Tree {
        if Int(index) < trees.count, let known = trees[Int(index)] { return known }
        // A change of a database also changes its record.
        if let name { try check(name, in: 1, named: nil, isWrite: isWrite) }
        // A database that is made in this transaction has no pages yet.
        let root = name == nil ? reader.main : try reader.record(named: name).map { TreeRoot($0) }
        var page: Checked?
        if let root, root.depth > 0 {
            page = try load(root.page, from: meta.page, at: 0, isLeaf: root.depth == 1, (nil, nil))
        }
        let tree = Tree(root?.depth ?? 0, page)
        while trees.count <= Int(index) { trees.append(nil) }
        trees[Int(index)] = tree
        return tree
    }

    /// Checks the outermost paths below a page.
    private func checkEdges(_ page: Checked, _ levels: Int) throws(LMDBError) {
        guard levels > 0 else { return }
        for isLast in [false, true] {
            var page = page
            for level in stride(from: levels, to: 0, by: -1) {
                page = try child(isLast ? page.children.count - 1 : 0, of: page, level)
            }
        }
    }

    /// A child of a branch.
    private func child(_ place: Int, of parent: Checked, _ level: Int) throws(LMDBError) -> Checked {
        if let known = parent.children[place] { return known }
        let nodes = parent.page.nodes
        let bounds = (
            lower: place == 0 ? parent.lower : parent.page.raw.copy(nodes[place].key),
            upper: place + 1 == nodes.count ? parent.upper : parent.page.raw.copy(nodes[place + 1].key)
        )
        let child = try load(
            nodes[place].childPage, from: parent.page.raw, at: nodes[place].place, isLeaf: level == 1, bounds)
        parent.children[place] = child
        return child
    }

    private func load(
        _ number: UInt64, from raw: RawPage, at place: Int, isLeaf: Bool, _ bounds: (lower: [UInt8]?, upper: [UInt8]?)
    ) throws(LMDBError) -> Checked {
        reader.copying?.noteWriting()
        let page = try TreePage(
            try walk.read(number, from: raw, at: place), number: number, isLeaf: isLeaf, isFreeTree: false)
        try page.checkOrder(lower: bounds.lower, upper: bounds.upper, isFreeTree: false)
        return Checked(page, lower: bounds.lower, upper: bounds.upper, isLeaf: isLeaf)
    }

    /// Checks the pages of a large value, which are freed when it is put again or deleted.
    private func checkLargeValue(_ key: UnsafeRawBufferPointer?, _ leaf: Checked) throws(LMDBError) {
        guard !leaf.largeValues.isEmpty, let key, let index = leaf.page.entryIndex(key),
            let place = leaf.largeValues.firstIndex(of: index),
            case .overflow(let first, let size) = leaf.page.nodes[index].content
        else { return }
        leaf.largeValues.remove(at: place)
        let value = try walk.overflow(first, size, from: leaf.page.raw, at: leaf.page.nodes[index].place)
        // If it has more pages than it needs, they may be its own, or pages of another value.
        if !value.isExact { try checkAll() }
    }
}

extension WriteGuard {
    /// The figures about a tree in its record.
    static func statistics(_ record: TreeRecord, _ pageSize: Int) -> Statistics {
        Statistics(
            pageSize: pageSize, depth: Int(record.depth), branchPages: Int(clamping: record.branchPages),
            leafPages: Int(clamping: record.leafPages), overflowPages: Int(clamping: record.overflowPages),
            entries: Int(clamping: record.entries))
    }
}

extension WriteGuard.Checked {
    /// Whether a key belongs into this leaf, even if the leaf does not have it.
    fileprivate func contains(_ key: UnsafeRawBufferPointer?) -> Bool {
        guard let key else { return upper == nil }
        if let lower, lower.withUnsafeBytes({ TreeReader.compare(key, $0) }) < 0 { return false }
        if let upper, upper.withUnsafeBytes({ TreeReader.compare(key, $0) }) >= 0 { return false }
        return true
    }
}

extension TreePage {
    /// Which child of a branch has a key. The first one has no key.
    fileprivate func childIndex(_ key: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (1, nodes.count)
        while low < high {
            let middle = (low + high) >> 1
            if raw.withBytes(nodes[middle].key, { TreeReader.compare($0, key) }) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }

    /// The index of the entry of a leaf that has a key.
    fileprivate func entryIndex(_ key: UnsafeRawBufferPointer) -> Int? {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) >> 1
            let order = raw.withBytes(nodes[middle].key) { TreeReader.compare($0, key) }
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

extension TreeReader: PageSource {
    func length() -> Int { Int(limit) * pageSize }

    func bytes(at offset: Int, count: Int) throws(LMDBError) -> RawPage {
        raw(offset, max(0, min(count, Int(limit) * pageSize - offset)))
    }

    /// The meta page of the version; only in a write transaction, before which no newer version is written.
    func metaPage() throws(LMDBError) -> MetaPage {
        let number = Int(transaction % 2)
        let bytes = raw(number * pageSize, MetaPage.headerSize + MetaPage.size)
        return try MetaPage(bytes, number: number, pageSize: pageSize)
    }

    /// Bytes that are known to be in the file.
    func raw(_ offset: Int, _ count: Int) -> RawPage {
        RawPage(mapped: UnsafeRawBufferPointer(start: start + offset, count: count), offset: offset)
    }
}
