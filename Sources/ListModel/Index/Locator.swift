// Where an id is at the head: from id to leaf, and from a node to its parent.
//
// Every node of the head's trees has a place number. The index says in which leaf an id is, and the parents lead from
// there to the root; the nodes themselves are found on the way down again, because the root knows them. A node that is
// copied before a change takes over its number, so that copying a leaf costs the index nothing. Snapshots share nodes
// with the head but not the locator: it exists once, for the newest version.
//
// A state that is only replayed into to look at the past has a locator that tracks nothing.
//
// Ids come from others, too, and who knows how they are hashed can choose many of one hash: then every look would go
// through all of them. So the index of a list hashes with a salt of its own, which is stored with it.
//
// Always holds: `parent(of:)` of a node's number is the number of the inner node above it or, for a root,
// `ownerFlag | owner`, where the owner is the number of the section. Free numbers are linked through their parents.

/// What a checkpoint says of a locator, besides its pages.
struct LocatorRoot: Equatable, Sendable {
    var entryCount = 0
    var indexPageCount = 0
    var indexDirectories: [UInt64] = []
    var parentPageCount = 0
    var parentDirectories: [UInt64] = []
    /// How many numbers were ever given, how many of them are in use, and the first free one plus one.
    var numberCount: UInt32 = 0
    var nodeCount: UInt32 = 0
    var nextFree: UInt32 = 0
    /// What ids are hashed with; 0 in a file of a version that had no salts.
    var salt: UInt64 = 0
}

struct Locator<Element>: ~Copyable {
    /// Marks the parent of a root.
    static var ownerFlag: UInt32 { 1 << 31 }
    /// How many parents a page holds.
    private static var pageSize: Int { 256 }

    /// Whether ids can be found at all.
    let isTracking: Bool
    /// What ids are hashed with.
    let salt: UInt64
    /// Where ids are found.
    private(set) var index: IdentifierIndex
    private var parents: PageTable
    private var numberCount: UInt32
    /// The first free number plus one; 0 if none is.
    private var nextFree: UInt32
    /// How many numbers are in use.
    private(set) var nodeCount: Int

    /// A locator that knows nothing yet.
    init(_ store: NodeStore, isTracking: Bool = true) {
        self.isTracking = isTracking
        salt = store.salt
        index = IdentifierIndex(store)
        parents = PageTable(kind: NodeCoding.Kind.parentPage, store)
        numberCount = 0
        nextFree = 0
        nodeCount = 0
    }

    /// A locator that is stored.
    init(_ root: LocatorRoot, _ store: NodeStore) {
        isTracking = true
        salt = root.salt
        index = IdentifierIndex(root, store)
        parents = PageTable(
            kind: NodeCoding.Kind.parentPage, count: root.parentPageCount, directories: root.parentDirectories, store)
        numberCount = root.numberCount
        nextFree = root.nextFree
        nodeCount = Int(root.nodeCount)
    }
}

// MARK: - Nodes

extension Locator where Element: TreeElement {
    /// A number for a new node.
    mutating func makeNumber() -> UInt32 {
        guard isTracking else { return 0 }
        nodeCount += 1
        if nextFree != 0 {
            let number = nextFree - 1
            nextFree = parent(of: number)
            return number
        }
        let number = numberCount
        assert(number < Limits.placeNumbers, "a list has fewer nodes than place numbers")
        numberCount += 1
        if Int(number) >= parents.count * Self.pageSize {
            parents.append()
            let zeros = [UInt64](repeating: 0, count: Self.pageSize)
            zeros.withUnsafeBufferPointer { parents.replace(parents.count - 1, with: $0) }
        }
        return number
    }

    /// Gives the number of a node that left the tree back.
    mutating func free(_ number: UInt32) {
        guard isTracking, number != Limits.noPlaceNumber else { return }
        setParent(nextFree, of: number)
        nextFree = number + 1
        nodeCount -= 1
    }

    @inline(__always)
    mutating func setParent(_ parent: UInt32, of number: UInt32) {
        // There is no such page, or it is empty, if something could not be read.
        guard isTracking, Int(number) < parents.count * Self.pageSize else { return }
        let words = parents.mutableWords(Int(number) / Self.pageSize)
        if Int(number) % Self.pageSize < words.count { words[Int(number) % Self.pageSize] = UInt64(parent) }
    }

    @inline(__always)
    func parent(of number: UInt32) -> UInt32 {
        guard Int(number) < parents.count * Self.pageSize else { return Self.ownerFlag }
        let words = parents.words(Int(number) / Self.pageSize)
        let slot = Int(number) % Self.pageSize
        // A damaged page may have a word that is no number; the way ends somewhere then.
        return slot < words.count ? UInt32(truncatingIfNeeded: words[slot]) : Self.ownerFlag
    }
}

// MARK: - Elements

// Elements are handed over by address: by value, each would be copied, and its references counted.
extension Locator where Element: TreeElement {
    /// Notes that an element came into a leaf.
    @inline(__always)
    mutating func insert(_ element: UnsafePointer<Element>, leaf: UInt32) {
        guard isTracking else { return }
        element.pointee.forEachKey(salt: salt) { index.insert(hash: $0, leaf: leaf) }
    }

    /// Notes that an element went from one leaf to another.
    @inline(__always)
    mutating func relocate(_ element: UnsafePointer<Element>, from old: UInt32, to new: UInt32) {
        guard isTracking else { return }
        element.pointee.forEachKey(salt: salt) { index.relocate(hash: $0, from: old, to: new) }
    }

    /// Notes that an element left a leaf.
    @inline(__always)
    mutating func remove(_ element: UnsafePointer<Element>, leaf: UInt32) {
        guard isTracking else { return }
        element.pointee.forEachKey(salt: salt) { index.remove(hash: $0, leaf: leaf) }
    }

    /// Notes which elements are in which leaves, of a locator that knew none.
    mutating func build(_ entries: [(hash: UInt64, leaf: UInt32)]) {
        guard isTracking else { return }
        index.build(entries)
    }

    /// The hash by which an element of this id is found.
    @inline(__always)
    func hash(of id: Identifier) -> UInt64 { id.hash64(salt: salt) }

    /// Whether there may be an element of this id: false if there is certainly none.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    func mayKnow(_ id: Identifier) -> Bool { index.firstLeaf(hash: hash(of: id)) { _ in true } != nil }

    /// Calls `body` with the ways to each leaf that may hold an element of this hash, until it returns something.
    ///
    /// - Parameter body: receives the place numbers from the leaf up to the root, and the owner of the tree.
    /// - Complexity: O(log n) expected.
    @inline(__always)
    func firstPath<Result>(
        hash: UInt64, _ body: (UnsafeBufferPointer<UInt32>, _ owner: UInt32) -> Result?
    ) -> Result? {
        var result: Result?
        _ = index.firstLeaf(hash: hash) { leaf in
            result = withPath(from: leaf, body)
            return result != nil
        }
        return result
    }

    /// A tree cannot be higher: each level at least doubles it.
    private static var maximumHeight: Int { 64 }

    @inline(__always)
    private func withPath<Result>(
        from leaf: UInt32, _ body: (UnsafeBufferPointer<UInt32>, UInt32) -> Result?
    ) -> Result? {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.maximumHeight) { path in
            var count = 0
            var number = leaf
            while number & Self.ownerFlag == 0 {
                // Only a damaged page makes a way without an end.
                if count == Self.maximumHeight { return nil }
                path.initializeElement(at: count, to: number)
                count += 1
                number = parent(of: number)
            }
            return body(UnsafeBufferPointer(rebasing: path[0..<count]), number & ~Self.ownerFlag)
        }
    }
}

// MARK: - Checkpoints

extension Locator where Element: TreeElement {
    /// Reads pages through another store from now on.
    mutating func replaceStore(_ store: NodeStore) {
        index.replaceStore(store)
        parents.store = store
    }

    /// How many bytes of it are in memory.
    var size: Int { index.size + parents.size }

    /// Copies what has changed since the last checkpoint, and takes it for stored from now on.
    ///
    /// - Parameter nextNumber: the first number that nothing is stored under; afterwards the first one that is free.
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout PageImage) -> LocatorRoot {
        var root = LocatorRoot()
        index.capture(&nextNumber, &image, &root)
        parents.capture(&nextNumber, &image)
        root.parentPageCount = parents.count
        root.parentDirectories = parents.directories
        root.numberCount = numberCount
        root.nodeCount = UInt32(clamping: nodeCount)
        root.nextFree = nextFree
        root.salt = salt
        return root
    }

    /// Takes back that what was copied is stored, because it could not be written.
    mutating func restore(_ image: PageImage) {
        index.restore(image)
        parents.restore(image)
    }

    /// Lists everything that is stored of it, because another locator takes its place.
    mutating func retireAll(_ image: inout PageImage) {
        index.retireAll(&image)
        parents.retireAll(&image)
    }

    /// Drops the pages that are stored as they are.
    mutating func evict() {
        index.evict()
        parents.evict()
    }
}
