// Finds the position of an id at the head: from an id to its leaf, and from each node to its parent.
//
// Every node of the head's trees has a node number. The index maps an id to the number of its leaf, and the table of
// parents leads from there to the root. The nodes themselves are found on the way down from the root along these
// numbers. A copy of a node keeps its number, so copying a leaf does not change the index. Snapshots share nodes with
// the head but not the locator: there is one locator, for the newest version.
//
// A state that is replayed only to read a past version has a locator that tracks nothing.
//
// Always holds: `parent(of:)` of a node's number is the number of the inner node above it. For a root it is `ownerFlag
// | owner`, where the owner is the number of the section. Free numbers form a linked list through the table of parents.

/// The fields of a locator in a checkpoint, besides its chunks.
struct LocatorRoot: Equatable, Sendable {
    var entryCount = 0
    var indexChunkCount = 0
    var indexDirectories: [UInt64] = []
    var parentChunkCount = 0
    var parentDirectories: [UInt64] = []
    /// The count of all numbers that were ever used, the count of those in use, and the first free number plus one.
    var numberCount: UInt32 = 0
    var nodeCount: UInt32 = 0
    var nextFree: UInt32 = 0
    var hashing = IdentifierHashing()
    /// The number of bits in a fingerprint.
    var fingerprintBits = IdentifierIndex.earlierFingerprintBits
}

struct Locator<Element>: ~Copyable {
    /// A bit that marks the parent of a root as an owner.
    static var ownerFlag: UInt32 { 1 << 31 }
    /// The number of parents in a chunk.
    private static var chunkSize: Int { 256 }

    /// Whether the locator tracks ids and nodes at all.
    let isTracking: Bool
    let hashing: IdentifierHashing
    /// The index of ids.
    private(set) var index: IdentifierIndex
    private var parents: ChunkTable
    private var numberCount: UInt32
    /// The first free number plus one; 0 if there is none.
    private var nextFree: UInt32
    /// The number of nodes, that is of numbers in use.
    private(set) var nodeCount: Int

    /// An empty locator.
    init(_ pool: NodePool, isTracking: Bool = true) {
        self.isTracking = isTracking
        hashing = IdentifierHashing(salt: pool.salt, hasFamilies: pool.limits.hasFamilies)
        index = IdentifierIndex(pool)
        parents = ChunkTable(kind: NodeCoding.Kind.parentChunk, pool)
        numberCount = 0
        nextFree = 0
        nodeCount = 0
    }

    /// A stored locator.
    init(_ root: LocatorRoot, _ pool: NodePool) {
        isTracking = true
        hashing = root.hashing
        index = IdentifierIndex(root, pool)
        parents = ChunkTable(
            kind: NodeCoding.Kind.parentChunk, count: root.parentChunkCount, directories: root.parentDirectories, pool)
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
        assert(number < Limits.placeNumbers, "a list has fewer nodes than node numbers")
        numberCount += 1
        if Int(number) >= parents.count * Self.chunkSize {
            parents.append()
            let zeros = [UInt64](repeating: 0, count: Self.chunkSize)
            zeros.withUnsafeBufferPointer { parents.replace(parents.count - 1, with: $0) }
        }
        return number
    }

    /// Frees the number of a node that was removed from the tree.
    mutating func free(_ number: UInt32) {
        guard isTracking, number != Limits.noPlaceNumber else { return }
        setParent(nextFree, of: number)
        nextFree = number + 1
        nodeCount -= 1
    }

    @inline(__always)
    mutating func setParent(_ parent: UInt32, of number: UInt32) {
        // After damage, the chunk may be missing or empty.
        guard isTracking, Int(number) < parents.count * Self.chunkSize else { return }
        let words = parents.mutableWords(Int(number) / Self.chunkSize)
        if Int(number) % Self.chunkSize < words.count { words[Int(number) % Self.chunkSize] = UInt64(parent) }
    }

    @inline(__always)
    func parent(of number: UInt32) -> UInt32 {
        guard Int(number) < parents.count * Self.chunkSize else { return Self.ownerFlag }
        let words = parents.words(Int(number) / Self.chunkSize)
        let slot = Int(number) % Self.chunkSize
        // A word of a damaged chunk may be too large for a number. Truncating it is safe, because `firstPath` stops at
        // the maximum height.
        return slot < words.count ? UInt32(truncatingIfNeeded: words[slot]) : Self.ownerFlag
    }
}

// MARK: - Elements

// Elements are passed by address. Passing them by value would copy each one and count its references.
extension Locator where Element: TreeElement {
    /// Tracks elements that were inserted into a leaf.
    mutating func insert(_ elements: UnsafeBufferPointer<Element>, leaf: UInt32) {
        guard isTracking, let start = elements.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: elements.count * Element.keyCount) { hashes in
            var count = 0
            for place in 0..<elements.count {
                start.advanced(by: place).pointee.forEachKey(hashing) { hash in
                    hashes.initializeElement(at: count, to: hash)
                    count += 1
                }
            }
            index.insert(UnsafeBufferPointer(rebasing: hashes[..<count]), leaf: leaf)
        }
    }

    /// Tracks an element that moved from one leaf to another.
    @inline(__always)
    mutating func relocate(_ element: UnsafePointer<Element>, from old: UInt32, to new: UInt32) {
        guard isTracking else { return }
        element.pointee.forEachKey(hashing) { index.relocate(hash: $0, from: old, to: new) }
    }

    /// Tracks an element that was removed from a leaf.
    @inline(__always)
    mutating func remove(_ element: UnsafePointer<Element>, leaf: UInt32) {
        guard isTracking else { return }
        element.pointee.forEachKey(hashing) { index.remove(hash: $0, leaf: leaf) }
    }

    /// Builds the index of a locator that has no entries.
    mutating func build(_ entries: [UInt64]) {
        guard isTracking else { return }
        index.build(entries)
    }

    /// The salted hash of an id, by which its element is found.
    @inline(__always)
    func hash(of id: UntypedID) -> UInt64 { hashing.hash(of: id) }

    /// Calls `body` with the index of each row of whose id there may be an element. Of the others there is none.
    ///
    /// - Complexity: O(k) expected.
    @inline(__always)
    func forEachKnown(_ rows: UnsafeBufferPointer<UntypedRow>, _ body: (Int) throws -> Void) rethrows {
        try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: min(rows.count, Self.searchesAtOnce)) { hashes in
            var start = 0
            while start < rows.count {
                let count = min(rows.count - start, Self.searchesAtOnce)
                for index in 0..<count { hashes.initializeElement(at: index, to: hash(of: rows[start + index].id)) }
                try index.forEachKnown(UnsafeBufferPointer(rebasing: hashes[..<count])) { try body(start + $0) }
                start += count
            }
        }
    }

    /// How many ids are searched for at once: few enough that what was read for them is still in the cache.
    private static var searchesAtOnce: Int { 64 }

    /// Calls `body` with the path to each leaf that may hold an element of this hash, until it returns a value that is
    /// not nil.
    ///
    /// - Parameter body: receives the node numbers from the leaf up to the root, and the owner of the tree.
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

    /// No tree is higher, because each level at least doubles the number of elements.
    private static var maximumHeight: Int { 64 }

    @inline(__always)
    private func withPath<Result>(
        from leaf: UInt32, _ body: (UnsafeBufferPointer<UInt32>, UInt32) -> Result?
    ) -> Result? {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.maximumHeight) { path in
            var count = 0
            var number = leaf
            while number & Self.ownerFlag == 0 {
                // Only a damaged chunk leads to a path that is too long.
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
    /// Replaces the pool from which chunks are read.
    mutating func replaceStore(_ pool: NodePool) {
        index.chunks.pool = pool
        parents.pool = pool
    }

    /// The size of its chunks in memory, in bytes.
    var size: Int { index.chunks.size + parents.size }

    /// How many chunks the next checkpoint has to write.
    var dirtyChunkCount: Int { index.chunks.dirtyCount + parents.dirtyCount }

    /// The most words that ``capture(_:_:)`` copies.
    var capturedCount: Int { index.chunks.capturedCount + parents.capturedCount }

    /// Copies the chunks that changed since the last checkpoint, and marks them as stored.
    ///
    /// - Parameter nextNumber: the first unused stored number, before and after the call.
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout ChunkImage) -> LocatorRoot {
        var root = LocatorRoot()
        index.capture(&nextNumber, &image, &root)
        parents.capture(&nextNumber, &image)
        root.parentChunkCount = parents.count
        root.parentDirectories = parents.directories
        root.numberCount = numberCount
        root.nodeCount = UInt32(clamping: nodeCount)
        root.nextFree = nextFree
        root.hashing = hashing
        return root
    }

    /// Marks the chunks of an image as dirty again, because they could not be written.
    mutating func restore(_ image: ChunkImage) {
        index.chunks.restore(image)
        parents.restore(image)
    }

    /// Appends all its stored numbers to the retired ones, because another locator replaces it.
    mutating func retireAll(_ image: inout ChunkImage) {
        index.chunks.retireAll(&image)
        parents.retireAll(&image)
    }

    /// Evicts the chunks that are not dirty.
    mutating func evict() {
        index.chunks.evict()
        parents.evict()
    }
}
