// Finds the leaf of an id by the hash of the id: a hash table with linear hashing over chunks of sorted entries of
// eight bytes.
//
// An entry holds the upper bits of the hash (the fingerprint) and the node number of a leaf. It does not hold the
// id: the leaf has the id, and a lookup compares it there. The lowest bits of a fingerprint select the chunk of an
// entry. The entries of a chunk are sorted by fingerprint. Fingerprints are evenly distributed, so a search begins at
// the interpolated position. The index grows by splitting one chunk at a time (W. Litwin, Linear Hashing, 1980), so no
// edit waits for a rebuild.
//
// Positions and masks cannot overflow: there are fewer than 2³² chunks, and fingerprints have at most 32 bits. They are not
// checked in these loops, because every edit runs them.
//
// Always holds: with p chunks and 2ᵍ ≤ p < 2ᵍ⁺¹, an entry is in the chunk whose position is its lowest g + 1 bits if
// there is such a chunk, and otherwise in the chunk of its lowest g bits. The entries of a chunk are sorted by
// fingerprint.

struct IdentifierIndex: ~Copyable {
    /// The average number of entries in a chunk at which the index grows.
    static var load: Int { 64 }

    /// The number of bits in a fingerprint of an index that an earlier release has made. With ten million ids, one new id in
    /// seven has the fingerprint of another one, and is looked for in its leaf.
    static var earlierFingerprintBits: Int { 26 }
    /// The numbers of bits that a fingerprint may have: an entry has space for no more.
    static var allFingerprintBits: ClosedRange<Int> { earlierFingerprintBits...32 }

    /// The number of bits in a fingerprint, one of ``allFingerprintBits``.
    let fingerprintBits: Int
    /// The entries, with the fingerprint in the upper 32 bits and the node number of the leaf in the lower 32.
    var chunks: ChunkTable
    /// The number of entries.
    private(set) var count: Int

    /// An empty index.
    init(_ pool: NodePool) {
        fingerprintBits = pool.limits.fingerprintBits
        chunks = ChunkTable(kind: NodeCoding.Kind.indexChunk, fingerprintBits: fingerprintBits, pool)
        count = 0
        chunks.append()
    }

    /// A stored index.
    init(_ root: LocatorRoot, _ pool: NodePool) {
        fingerprintBits = root.fingerprintBits
        chunks = ChunkTable(
            kind: NodeCoding.Kind.indexChunk, fingerprintBits: fingerprintBits, count: root.indexChunkCount,
            directories: root.indexDirectories, pool)
        count = root.entryCount
    }

    /// The fingerprint of a hash.
    @inline(__always)
    private func fingerprint(_ hash: UInt64) -> UInt64 { hash &>> UInt64(64 &- fingerprintBits) }

    /// The entry of a hash and the leaf of its id.
    @inline(__always)
    func entry(_ hash: UInt64, _ leaf: UInt32) -> UInt64 {
        fingerprint(hash) &<< 32 | UInt64(leaf)
    }

    /// The position of the chunk of a fingerprint.
    @inline(__always)
    private func chunk(_ fingerprint: UInt64) -> Int {
        let fingerprint = Int(truncatingIfNeeded: fingerprint)
        let bits = Int.bitWidth &- (chunks.count).leadingZeroBitCount
        let chunk = fingerprint & (1 &<< bits &- 1)
        return chunk < chunks.count ? chunk : chunk & (1 &<< (bits &- 1) &- 1)
    }

    /// The position of the first entry whose fingerprint is greater than or equal to this one.
    @inline(__always)
    private func position(_ fingerprint: UInt64, in words: UnsafeMutableBufferPointer<UInt64>) -> Int {
        position(fingerprint, in: words, from: beginning(fingerprint, count: words.count))
    }

    /// The position at which a search begins: where the entry is if the fingerprints of the chunk are evenly distributed.
    @inline(__always)
    private func beginning(_ fingerprint: UInt64, count: Int) -> Int {
        Int(truncatingIfNeeded: (fingerprint &* UInt64(count)) &>> UInt64(fingerprintBits))
    }

    @inline(__always)
    private func position(
        _ fingerprint: UInt64, in words: UnsafeMutableBufferPointer<UInt64>, from beginning: Int
    ) -> Int {
        guard let start = words.baseAddress else { return 0 }
        // SAFETY: `position` stays between 0 and `count`, and only entries below `count` are read.
        var position = beginning
        while position < words.count && start[position] &>> 32 < fingerprint { position &+= 1 }
        while position > 0 && start[position &- 1] &>> 32 >= fingerprint { position &-= 1 }
        return position
    }

    /// The first leaf for which `matches` returns true, among the leaves with an entry for this hash.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    func firstLeaf(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let fingerprint = self.fingerprint(hash)
        let words = chunks.words(chunk(fingerprint))
        var position = self.position(fingerprint, in: words)
        while position < words.count && words[position] &>> 32 == fingerprint {
            let leaf = UInt32(truncatingIfNeeded: words[position])
            if matches(leaf) { return leaf }
            position &+= 1
        }
        return nil
    }

    /// Inserts ids that are not in the index, and are all in one leaf.
    ///
    /// - Complexity: O(k) expected.
    mutating func insert(_ hashes: UnsafeBufferPointer<UInt64>, leaf: UInt32) {
        // An index from a damaged file may have too few chunks for what it has already.
        for _ in hashes where count &+ hashes.count > chunks.count &* IdentifierIndex.load { split() }
        withUnsafeTemporaryAllocation(of: Beginning.self, capacity: hashes.count) { beginnings in
            begin(hashes, beginnings)
            for (hash, beginning) in zip(hashes, beginnings) {
                // One of those before may have been inserted into the same chunk, which only changes where the search begins.
                let position = position(from: beginning, hash: hash)
                chunks.insert(entry(hash, leaf), at: position, ofChunk: beginning.chunk)
            }
        }
        count &+= hashes.count
    }

    /// Changes the leaf of an id. Does nothing if the index does not have the id.
    @inline(__always)
    mutating func relocate(hash: UInt64, from old: UInt32, to new: UInt32) {
        let chunk = self.chunk(fingerprint(hash))
        guard let position = self.position(of: entry(hash, old), chunk) else { return }
        chunks.mutableWords(chunk)[position] = entry(hash, new)
    }

    /// Removes an id. Does nothing if the index does not have the id.
    mutating func remove(hash: UInt64, leaf: UInt32) {
        let chunk = self.chunk(fingerprint(hash))
        guard let position = self.position(of: entry(hash, leaf), chunk) else { return }
        chunks.remove(at: position, ofChunk: chunk)
        count &-= 1
    }

    /// The position of an entry in its chunk. It is nil only if the chunk could not be read.
    @inline(__always)
    private func position(of entry: UInt64, _ chunk: Int) -> Int? {
        let words = chunks.words(chunk)
        var position = self.position(entry &>> 32, in: words)
        while position < words.count && words[position] &>> 32 == entry &>> 32 {
            if words[position] == entry { return position }
            position &+= 1
        }
        return nil
    }

    /// Appends a chunk, and moves the entries that belong to it.
    private mutating func split() {
        let new = chunks.count
        let bit = UInt64(1 &<< (Int.bitWidth &- 1 &- new.leadingZeroBitCount))
        let old = new & Int(bit &- 1)
        chunks.split(old) { entry in (entry &>> 32) & bit != 0 }
    }
}

// MARK: - Many at once

extension IdentifierIndex {
    /// Where the search for a hash begins.
    private struct Beginning {
        let chunk: Int
        let position: Int
        /// Whether the entry there is before the one that is searched for.
        let isBefore: Bool
    }

    /// Finds where the searches for some hashes begin, and reads the entries there.
    ///
    /// In a long list, a search mostly waits until its chunk has come from memory. Here the processor waits for many chunks at once,
    /// because nothing depends on what is read.
    private func begin(_ hashes: UnsafeBufferPointer<UInt64>, _ beginnings: UnsafeMutableBufferPointer<Beginning>) {
        for (number, hash) in hashes.enumerated() {
            let fingerprint = self.fingerprint(hash)
            let chunk = self.chunk(fingerprint)
            let words = chunks.words(chunk)
            let position = beginning(fingerprint, count: words.count)
            let isBefore = position < words.count && words[position] &>> 32 < fingerprint
            beginnings.initializeElement(
                at: number, to: Beginning(chunk: chunk, position: position, isBefore: isBefore))
        }
    }

    /// The position of the first entry whose fingerprint is not smaller than that of a hash.
    @inline(__always)
    private func position(from beginning: Beginning, hash: UInt64) -> Int {
        let words = chunks.words(beginning.chunk)
        return position(
            fingerprint(hash), in: words,
            from: min(words.count, beginning.position &+ (beginning.isBefore ? 1 : 0)))
    }

    /// Calls `body` with the number of each hash for which there may be an entry.
    ///
    /// - Complexity: O(k) expected.
    func forEachKnown(_ hashes: UnsafeBufferPointer<UInt64>, _ body: (Int) throws -> Void) rethrows {
        try withUnsafeTemporaryAllocation(of: Beginning.self, capacity: hashes.count) { beginnings in
            begin(hashes, beginnings)
            for (number, hash) in hashes.enumerated() {
                let words = chunks.words(beginnings[number].chunk)
                let position = position(from: beginnings[number], hash: hash)
                if position < words.count, words[position] &>> 32 == fingerprint(hash) {
                    try body(number)
                }
            }
        }
    }

    /// Builds an empty index from the entries of many ids, by sorting all of them into their chunks at once.
    ///
    /// - Complexity: O(n) expected.
    mutating func build(_ entries: [UInt64]) {
        precondition(count == 0, "only an empty index is built at once")
        let chunkCount = max(1, (entries.count + IdentifierIndex.load - 1) / IdentifierIndex.load)
        while chunks.count < chunkCount { chunks.append() }
        var ends = [Int](repeating: 0, count: chunks.count + 1)
        for entry in entries { ends[chunk(entry &>> 32) + 1] += 1 }
        for index in 1..<ends.count { ends[index] += ends[index - 1] }
        var next = ends
        var sorted = [UInt64](repeating: 0, count: entries.count)
        for entry in entries {
            let chunk = chunk(entry &>> 32)
            sorted[next[chunk]] = entry
            next[chunk] += 1
        }
        sorted.withUnsafeMutableBufferPointer { sorted in
            for chunk in 0..<chunks.count {
                var part = UnsafeMutableBufferPointer(rebasing: sorted[ends[chunk]..<ends[chunk + 1]])
                part.sort()
                chunks.replace(chunk, with: UnsafeBufferPointer(part))
            }
        }
        count = entries.count
    }
}

// MARK: - Checkpoints

extension IdentifierIndex {
    /// Captures the index for a checkpoint: copies the dirty chunks into `image`, and writes the fields of the index
    /// into `root`.
    mutating func capture(_ nextNumber: inout UInt64, _ image: inout ChunkImage, _ root: inout LocatorRoot) {
        chunks.capture(&nextNumber, &image)
        root.entryCount = count
        root.fingerprintBits = fingerprintBits
        root.indexChunkCount = chunks.count
        root.indexDirectories = chunks.directories
    }
}
