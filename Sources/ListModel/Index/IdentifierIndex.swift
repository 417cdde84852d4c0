// Finds the leaf of an id by the hash of the id: a hash table with linear hashing over chunks of sorted entries of
// eight bytes.
//
// An entry holds the upper 26 bits of the hash (the fingerprint) and the node number of a leaf. It does not hold the
// id: the leaf has the id, and a lookup compares it there. The lowest bits of a fingerprint select the chunk of an
// entry. The entries of a chunk are sorted by fingerprint. Fingerprints are evenly distributed, so a search begins at
// the interpolated position. The index grows by splitting one chunk at a time (W. Litwin, Linear Hashing, 1980), so no
// edit waits for a rebuild.
//
// Positions and masks cannot overflow: there are fewer than 2³² chunks, and fingerprints have 26 bits. They are not
// checked in these loops, because every edit runs them.
//
// Always holds: with p chunks and 2ᵍ ≤ p < 2ᵍ⁺¹, an entry is in the chunk whose position is its lowest g + 1 bits if
// there is such a chunk, and otherwise in the chunk of its lowest g bits. The entries of a chunk are sorted by
// fingerprint.

struct IdentifierIndex: ~Copyable {
    /// The average number of entries in a chunk at which the index grows.
    static var load: Int { 64 }

    /// The number of bits in a fingerprint. A compromise: few bits keep the index small in a file; with 26 bits and a
    /// million ids, one lookup in sixty searches a wrong leaf first.
    static var fingerprintBits: Int { 26 }

    /// The entries, with the fingerprint in the upper 32 bits and the node number of the leaf in the lower 32.
    var chunks: ChunkTable
    /// The number of entries.
    private(set) var count: Int

    /// An empty index.
    init(_ pool: NodePool) {
        chunks = ChunkTable(kind: NodeCoding.Kind.indexChunk, pool)
        count = 0
        chunks.append()
    }

    /// A stored index.
    init(_ root: LocatorRoot, _ pool: NodePool) {
        chunks = ChunkTable(
            kind: NodeCoding.Kind.indexChunk, count: root.indexChunkCount, directories: root.indexDirectories, pool)
        count = root.entryCount
    }

    /// The fingerprint of a hash.
    @inline(__always)
    private static func fingerprint(_ hash: UInt64) -> UInt64 { hash &>> UInt64(64 - fingerprintBits) }

    /// The entry of a hash and the leaf of its id.
    @inline(__always)
    static func entry(_ hash: UInt64, _ leaf: UInt32) -> UInt64 {
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
    private static func position(_ fingerprint: UInt64, in words: UnsafeMutableBufferPointer<UInt64>) -> Int {
        guard let start = words.baseAddress else { return 0 }
        // SAFETY: `position` stays between 0 and `count`, and only entries below `count` are read.
        var position = Int(truncatingIfNeeded: (fingerprint &* UInt64(words.count)) &>> UInt64(fingerprintBits))
        while position < words.count && start[position] &>> 32 < fingerprint { position &+= 1 }
        while position > 0 && start[position &- 1] &>> 32 >= fingerprint { position &-= 1 }
        return position
    }

    /// The first leaf for which `matches` returns true, among the leaves with an entry for this hash.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    func firstLeaf(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let fingerprint = IdentifierIndex.fingerprint(hash)
        let words = chunks.words(chunk(fingerprint))
        var position = IdentifierIndex.position(fingerprint, in: words)
        while position < words.count && words[position] &>> 32 == fingerprint {
            let leaf = UInt32(truncatingIfNeeded: words[position])
            if matches(leaf) { return leaf }
            position &+= 1
        }
        return nil
    }

    /// Inserts an id that is not in the index.
    ///
    /// - Complexity: O(1) expected.
    mutating func insert(hash: UInt64, leaf: UInt32) {
        if count >= chunks.count &* IdentifierIndex.load { split() }
        let fingerprint = IdentifierIndex.fingerprint(hash)
        let chunk = chunk(fingerprint)
        let position = IdentifierIndex.position(fingerprint, in: chunks.words(chunk))
        chunks.insert(IdentifierIndex.entry(hash, leaf), at: position, ofChunk: chunk)
        count &+= 1
    }

    /// Changes the leaf of an id. Does nothing if the index does not have the id.
    @inline(__always)
    mutating func relocate(hash: UInt64, from old: UInt32, to new: UInt32) {
        let chunk = chunk(IdentifierIndex.fingerprint(hash))
        guard let position = position(of: IdentifierIndex.entry(hash, old), chunk) else { return }
        chunks.mutableWords(chunk)[position] = IdentifierIndex.entry(hash, new)
    }

    /// Removes an id. Does nothing if the index does not have the id.
    mutating func remove(hash: UInt64, leaf: UInt32) {
        let chunk = chunk(IdentifierIndex.fingerprint(hash))
        guard let position = position(of: IdentifierIndex.entry(hash, leaf), chunk) else { return }
        chunks.remove(at: position, ofChunk: chunk)
        count &-= 1
    }

    /// The position of an entry in its chunk. It is nil only if the chunk could not be read.
    @inline(__always)
    private func position(of entry: UInt64, _ chunk: Int) -> Int? {
        let words = chunks.words(chunk)
        var position = IdentifierIndex.position(entry &>> 32, in: words)
        while position < words.count && words[position] &>> 32 == entry &>> 32 {
            if words[position] == entry { return position }
            position &+= 1
        }
        return nil
    }

    /// Appends a chunk, and moves the entries that belong to it.
    private mutating func split() {
        let new = chunks.count
        let bit = 1 &<< (Int.bitWidth &- 1 &- new.leadingZeroBitCount)
        let old = new & (bit &- 1)
        let words = chunks.words(old)
        var staying: [UInt64] = []
        var moving: [UInt64] = []
        staying.reserveCapacity(words.count)
        moving.reserveCapacity(words.count)
        for entry in words {
            if (entry &>> 32) & UInt64(bit) == 0 { staying.append(entry) } else { moving.append(entry) }
        }
        chunks.append()
        staying.withUnsafeBufferPointer { chunks.replace(old, with: $0) }
        moving.withUnsafeBufferPointer { chunks.replace(new, with: $0) }
    }
}

// MARK: - Many at once

extension IdentifierIndex {
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
        root.indexChunkCount = chunks.count
        root.indexDirectories = chunks.directories
    }
}
