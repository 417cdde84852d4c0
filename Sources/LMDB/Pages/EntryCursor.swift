// A place in a tree that `TreeReader` reads.
//
// Always holds: when the cursor is in a leaf, `branches` is the path from the root to it, and each index is valid in its
// page. A move that finds nothing leaves the cursor where it is; after an error it is on no entry, or where it was.

/// What moves to an entry, and returns it.
protocol Moving {
    /// Moves and returns the entry, or nil if there is none in that place.
    mutating func move(
        _ movement: Engine.Movement, key wanted: UnsafeRawBufferPointer?
    ) throws(LMDBError) -> RawEntry?
}

/// A place in a tree of one version.
struct EntryCursor: Moving {
    private struct Branch {
        let page: SoundPage
        var index: Int
    }

    /// Memory for the pages of a path, each aligned as in the map.
    private final class Copies {
        let bytes: UnsafeMutableRawBufferPointer
        init(count: Int, size: Int) { bytes = .allocate(byteCount: count * size, alignment: size) }
        deinit { bytes.deallocate() }
    }

    private let reader: TreeReader
    private let tree: TreeRoot
    /// Where the pages of the path are copied; nil if they are read in the map.
    private let copies: Copies?
    private var branches: [Branch] = []
    private var leaf: SoundPage?
    /// The index of the entry in the leaf; the count of its entries if the cursor is behind the last one.
    private var index = 0

    /// - Parameter copies: whether pages are copied, if their memory is given back. Then an entry is valid until the next move.
    init(_ reader: TreeReader, _ tree: TreeRoot, copies: Bool = false) {
        self.reader = reader
        self.tree = tree
        self.copies = copies && reader.copying != nil ? Copies(count: max(1, tree.depth), size: reader.pageSize) : nil
    }

    /// The page of a level of the path.
    @inline(__always)
    private func page(_ number: UInt64, level: Int, from place: UnsafeRawPointer) throws(LMDBError) -> SoundPage {
        let isLeaf = level == tree.depth - 1
        guard let copies, let pages = reader.copying else {
            return try reader.page(number, isLeaf: isLeaf, from: place)
        }
        let start = level * reader.pageSize
        let buffer = UnsafeMutableRawBufferPointer(rebasing: copies.bytes[start..<start + reader.pageSize])
        return try reader.page(number, isLeaf: isLeaf, from: place, PageBuffer(pages, buffer))
    }

    @inline(__always)
    mutating func move(
        _ movement: Engine.Movement, key wanted: UnsafeRawBufferPointer? = nil
    ) throws(LMDBError) -> RawEntry? {
        try go(movement, key: wanted) ? try current() : nil
    }

    /// As ``move(_:key:)``, but the value is not looked at: a large one has pages of its own. Use ``node()`` for the entry.
    ///
    /// - Returns: whether there is one.
    @inline(__always)
    mutating func go(
        _ movement: Engine.Movement, key wanted: UnsafeRawBufferPointer? = nil
    ) throws(LMDBError) -> Bool {
        switch movement {
        case .first: return try goToEnd(isLast: false)
        case .last: return try goToEnd(isLast: true)
        case .next: return leaf == nil ? try goToEnd(isLast: false) : try step(by: 1)
        case .previous: return leaf == nil ? try goToEnd(isLast: true) : try step(by: -1)
        case .atOrAfter:
            guard let wanted else { return false }
            return try seek(atOrAfter: wanted)
        }
    }

    /// The entry that the cursor is on.
    @inline(__always)
    private func current() throws(LMDBError) -> RawEntry? {
        guard let node = try node() else { return nil }
        return RawEntry(key: node.key, value: try reader.value(of: node))
    }

    /// The node of the entry that the cursor is on.
    @inline(__always)
    func node() throws(LMDBError) -> SoundNode? {
        guard let leaf, index < leaf.count else { return nil }
        return try reader.node(index, of: leaf)
    }

    /// Goes to a key, or to the first one after it.
    private mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        guard tree.depth > 0 else { return false }
        var found = EntryCursor(reader, tree, copies: copies != nil)
        var number = tree.page
        var place = reader.start
        while found.branches.count < tree.depth - 1 {
            let page = try found.page(number, level: found.branches.count, from: place)
            place = page.bytes
            let index = try reader.childIndex(key, page)
            found.branches.append(Branch(page: page, index: index))
            number = try reader.node(index, of: page).child
        }
        let leaf = try found.page(number, level: tree.depth - 1, from: place)
        (found.leaf, found.index) = (leaf, try reader.entryIndex(key, leaf).index)
        if found.index == leaf.count {
            guard try found.stepToOtherLeaf(by: 1) else { return false }
        }
        self = found
        return true
    }

    private mutating func goToEnd(isLast: Bool) throws(LMDBError) -> Bool {
        guard tree.depth > 0 else { return false }
        (branches, leaf) = ([], nil)
        try descend(from: tree.page, isLast: isLast)
        return true
    }

    /// Takes the outermost way down to a leaf.
    private mutating func descend(from root: UInt64, isLast: Bool) throws(LMDBError) {
        var number = root
        var place = branches.last?.page.bytes ?? reader.start
        while branches.count < tree.depth - 1 {
            let page = try page(number, level: branches.count, from: place)
            let index = isLast ? page.count - 1 : 0
            branches.append(Branch(page: page, index: index))
            place = page.bytes
            number = try reader.node(index, of: page).child
        }
        let page = try page(number, level: tree.depth - 1, from: place)
        (leaf, index) = (page, isLast ? page.count - 1 : 0)
    }

    /// Goes to the neighbouring entry; false if there is none. The cursor is in a leaf.
    @inline(__always)
    private mutating func step(by direction: Int) throws(LMDBError) -> Bool {
        let next = index + direction
        guard let leaf, next >= 0, next < leaf.count else { return try stepToOtherLeaf(by: direction) }
        index = next
        return true
    }

    private mutating func stepToOtherLeaf(by direction: Int) throws(LMDBError) -> Bool {
        guard let level = branches.lastIndex(where: { (0..<$0.page.count).contains($0.index + direction) }) else {
            return false
        }
        branches[level].index += direction
        branches.removeSubrange(level + 1..<branches.count)
        let branch = branches[level]
        leaf = nil
        try descend(from: try reader.node(branch.index, of: branch.page).child, isLast: direction < 0)
        return true
    }
}

extension EntryCursor {
    /// Whether the entry is the record of a database.
    func isOnDatabase() throws(LMDBError) -> Bool {
        try node()?.bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 2
    }
}
