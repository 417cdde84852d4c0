// A place in a tree that `TreeReader` reads.
//
// Always holds: the stack is a complete path from the root to a leaf, and each index is valid in its page. A move that
// finds nothing leaves the cursor where it is; after an error it is on no entry.

/// A place in a tree of one version.
struct EntryCursor {
    private struct Level {
        let page: SoundPage
        var index: Int
    }

    private let reader: TreeReader
    private let tree: TreeRoot
    private var path: [Level] = []

    init(_ reader: TreeReader, _ tree: TreeRoot) {
        self.reader = reader
        self.tree = tree
        path.reserveCapacity(tree.depth)
    }

    /// Where the cursor is; nil when it is on no entry.
    func current() throws(LMDBError) -> RawEntry? {
        guard let node = try node() else { return nil }
        return RawEntry(key: node.key, value: try reader.value(of: node))
    }

    /// The node of the entry that the cursor is on.
    func node() throws(LMDBError) -> SoundNode? {
        guard path.count == tree.depth, let leaf = path.last, leaf.index < leaf.page.count else { return nil }
        return try reader.node(leaf.index, of: leaf.page)
    }

    mutating func first() throws(LMDBError) -> RawEntry? { try goToEnd(isLast: false) }

    mutating func last() throws(LMDBError) -> RawEntry? { try goToEnd(isLast: true) }

    /// Goes to a key, or to the first one after it.
    mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(LMDBError) -> RawEntry? {
        guard tree.depth > 0 else { return nil }
        let before = path
        path.removeAll(keepingCapacity: true)
        var number = tree.page
        var place = reader.start
        while path.count < tree.depth - 1 {
            let page = try reader.page(number, isLeaf: false, from: place)
            place = page.bytes
            let index = try reader.childIndex(key, page)
            path.append(Level(page: page, index: index))
            number = try reader.node(index, of: page).child
        }
        let leaf = try reader.page(number, isLeaf: true, from: place)
        let index = try reader.entryIndex(key, leaf).index
        path.append(Level(page: leaf, index: index))
        if index < leaf.count { return try current() }
        if try step(by: 1) { return try current() }
        path = before
        return nil
    }

    mutating func next() throws(LMDBError) -> RawEntry? {
        guard path.count == tree.depth else { return try first() }
        return try step(by: 1) ? try current() : nil
    }

    mutating func previous() throws(LMDBError) -> RawEntry? {
        guard path.count == tree.depth else { return try last() }
        return try step(by: -1) ? try current() : nil
    }

    private mutating func goToEnd(isLast: Bool) throws(LMDBError) -> RawEntry? {
        guard tree.depth > 0 else { return nil }
        path.removeAll(keepingCapacity: true)
        try descend(from: tree.page, isLast: isLast)
        return try current()
    }

    /// Descends to the first or the last leaf.
    private mutating func descend(from root: UInt64, isLast: Bool) throws(LMDBError) {
        var number = root
        var place = path.last?.page.bytes ?? reader.start
        while true {
            let isLeaf = path.count == tree.depth - 1
            let page = try reader.page(number, isLeaf: isLeaf, from: place)
            let index = isLast ? page.count - 1 : 0
            path.append(Level(page: page, index: index))
            place = page.bytes
            if isLeaf { return }
            number = try reader.node(index, of: page).child
        }
    }

    /// Goes to the neighbouring entry; false if there is none.
    private mutating func step(by direction: Int) throws(LMDBError) -> Bool {
        guard let level = path.lastIndex(where: { (0..<$0.page.count).contains($0.index + direction) }) else {
            return false
        }
        path[level].index += direction
        guard level < path.count - 1 else { return true }
        path.removeSubrange(level + 1..<path.count)
        try descend(from: try reader.node(path[level].index, of: path[level].page).child, isLast: direction < 0)
        return true
    }
}
