// Parses and checks a branch or leaf page.
//
//     header   16 bytes   page number 8, pad 2, flags 2, lower 2, upper 2
//     offsets  2 bytes each, up to `lower`: where each node begins, in the order of the keys
//     nodes    from `upper` to the end of the page: low 2, high 2, flags 2, key size 2, key, content
//
// In a leaf, low and high are the size of the content; in a branch they and the flags are the child's page number.
//
// Always holds: in every `TreePage`, all nodes, keys and contents are inside the page. They fill it from `upper` to the
// end without a gap; LMDB relies on that when it moves nodes within a page.

/// A page of a tree.
struct TreePage {
    private static let headerSize = 16
    private static let nodeHeaderSize = 8
    private static let branchFlag: UInt16 = 0x01
    private static let leafFlag: UInt16 = 0x02
    /// The longest key that this binding and an ordinary LMDB write.
    private static let maximumKeySize = 511

    /// The content of a leaf's node.
    enum Content {
        /// A value, at this place in the page.
        case inside(Range<Int>)
        /// A value of this size on pages of its own.
        case overflow(firstPage: UInt64, size: Int)
        /// The record of a named database, at this place in the page.
        case tree(Range<Int>)
    }

    /// An entry of a leaf, or a child of a branch.
    struct Node {
        /// Where it begins in the page.
        let place: Int
        /// Where its key lies in the page.
        let key: Range<Int>
        /// A branch's child; 0 in a leaf.
        let childPage: UInt64
        /// A leaf's content; empty in a branch.
        let content: Content
        /// All its bytes, rounded up to even.
        let size: Int
    }

    let raw: RawPage
    let nodes: [Node]

    init(_ raw: RawPage, number: UInt64, isLeaf: Bool, isFreeTree: Bool) throws(LMDBError) {
        self.raw = raw
        let expected = isLeaf ? Self.leafFlag : Self.branchFlag
        let flags = raw.load(PageOffset.flags, as: UInt16.self)
        try raw.require(
            flags == expected, "flags of page \(number)", at: PageOffset.flags,
            expected: hexadecimal(expected), found: hexadecimal(flags)
        )
        let lower = Int(raw.load(PageOffset.lower, as: UInt16.self))
        let upper = Int(raw.load(PageOffset.upper, as: UInt16.self))
        let pageSize = raw.count
        // LMDB sometimes leaves a branch with one child in its free tree; in other trees it asserts that there is none.
        let minimum = isLeaf || isFreeTree ? 1 : 2
        try raw.require(
            lower % 2 == 0 && lower >= Self.headerSize + 2 * minimum && lower <= upper && upper <= pageSize,
            "bounds of page \(number)", at: PageOffset.lower,
            expected: "\(Self.headerSize + 2 * minimum) <= lower, even, <= upper <= \(pageSize)",
            found: "lower \(lower), upper \(upper)"
        )
        var nodes: [Node] = []
        nodes.reserveCapacity((lower - Self.headerSize) / 2)
        for place in stride(from: Self.headerSize, to: lower, by: 2) {
            nodes.append(try Self.node(raw, at: place, upper: upper, isLeaf: isLeaf))
        }
        self.nodes = nodes
        let filled = nodes.reduce(0) { $0 + $1.size }
        try raw.require(
            filled == pageSize - upper, "bytes of the nodes of page \(number)", at: PageOffset.upper,
            expected: "\(pageSize - upper)", found: "\(filled)"
        )
        try raw.require(
            Self.touch(nodes, from: upper, to: pageSize), "nodes of page \(number)", at: 16,
            expected: "each begins where another one ends", found: "a gap, and others that overlap"
        )
    }

    /// Whether nodes that have as many bytes as a part of a page fill it without a gap and without an overlap.
    private static func touch(_ nodes: [Node], from upper: Int, to end: Int) -> Bool {
        // The beginning and the end of each node are marked. A second mark at a place removes the first. If no mark remains, each byte
        // of the part is in an odd number of nodes; with their sum, in one.
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: end / 128 + 1) { marks in
            marks.initialize(repeating: 0)
            func mark(_ place: Int) { marks[place / 128] ^= 1 << UInt64(place / 2 % 64) }
            mark(upper)
            mark(end)
            for node in nodes {
                mark(node.place)
                mark(node.place + node.size)
            }
            return marks.allSatisfy { $0 == 0 }
        }
    }

    private static func node(
        _ raw: RawPage, at pointer: Int, upper: Int, isLeaf: Bool
    ) throws(LMDBError) -> Node {
        let place = Int(raw.load(pointer, as: UInt16.self))
        let pageSize = raw.count
        try raw.require(
            place % 2 == 0 && place >= upper && place + nodeHeaderSize <= pageSize, "offset of a node", at: pointer,
            expected: "\(upper) to \(pageSize - nodeHeaderSize), even", found: "\(place)"
        )
        let low = raw.load(place, as: UInt16.self)
        let high = raw.load(place + 2, as: UInt16.self)
        let flags = raw.load(place + 4, as: UInt16.self)
        let keySize = Int(raw.load(place + 6, as: UInt16.self))
        let key = place + nodeHeaderSize..<place + nodeHeaderSize + keySize
        try raw.require(
            key.upperBound <= pageSize && keySize <= maximumKeySize && (keySize > 0 || !isLeaf),
            "size of a key", at: place + 6,
            expected: "1 to \(min(maximumKeySize, pageSize - place - nodeHeaderSize))", found: "\(keySize)"
        )
        let word = UInt64(low) | UInt64(high) << 16
        guard isLeaf else {
            return Node(
                place: place, key: key, childPage: word | UInt64(flags) << 32,
                content: .inside(key.upperBound..<key.upperBound), size: even(nodeHeaderSize + keySize)
            )
        }
        let content = try content(raw, place, flags, key.upperBound, Int(word))
        let stored = if case .overflow = content { 8 } else { Int(word) }
        return Node(
            place: place, key: key, childPage: 0, content: content, size: even(nodeHeaderSize + keySize + stored)
        )
    }

    private static func content(
        _ raw: RawPage, _ place: Int, _ flags: UInt16, _ start: Int, _ size: Int
    ) throws(LMDBError) -> Content {
        let room = raw.count - start
        try raw.require(
            flags <= 2, "flags of a node", at: place + 4,
            expected: "0 (value), 1 (large value) or 2 (database)", found: hexadecimal(flags)
        )
        let needed = flags == 1 ? 8 : size
        try raw.require(
            needed <= room && (flags != 2 || size == TreeRecord.size), "size of a value", at: place,
            expected: flags == 2 ? "\(TreeRecord.size)" : "at most \(room)", found: "\(needed)"
        )
        switch flags {
        case 0: return .inside(start..<start + size)
        case 1: return .overflow(firstPage: raw.load(start, as: UInt64.self), size: size)
        default: return .tree(start..<start + size)
        }
    }

    private static func even(_ size: Int) -> Int { (size + 1) & ~1 }

    /// Checks that the keys ascend and are between those of the parent. The first key of a branch has no meaning.
    func checkOrder(lower: [UInt8]?, upper: [UInt8]?, isFreeTree: Bool) throws(LMDBError) {
        var last: Range<Int>?
        let isLeaf = raw.load(PageOffset.flags, as: UInt16.self) == Self.leafFlag
        for node in isLeaf ? nodes[...] : nodes.dropFirst() {
            try raw.require(
                !isFreeTree || node.key.count == 8, "size of a transaction number", at: node.place + 6,
                expected: "8", found: "\(node.key.count)"
            )
            let isOrdered =
                if let last {
                    raw.withBytes(last) { last in
                        raw.withBytes(node.key) { Self.compare(last, $0, isFreeTree) < 0 }
                    }
                } else if let lower {
                    compare(node.key, lower, isFreeTree) >= 0
                } else {
                    true
                }
            try raw.require(
                isOrdered, "order of keys", at: node.place, expected: "a key after the one before",
                found: "one that is not"
            )
            last = node.key
        }
        guard let last, let upper else { return }
        try raw.require(
            compare(last, upper, isFreeTree) < 0, "order of keys", at: nodes[nodes.count - 1].place,
            expected: "a key before the parent's next", found: "one that is not"
        )
    }

    private func compare(_ key: Range<Int>, _ other: [UInt8], _ areNumbers: Bool) -> Int {
        raw.withBytes(key) { key in other.withUnsafeBytes { Self.compare(key, $0, areNumbers) } }
    }

    private static func compare(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ areNumbers: Bool
    ) -> Int {
        if areNumbers, left.count == 8, right.count == 8 {
            let (first, second) = (left.loadUnaligned(as: UInt64.self), right.loadUnaligned(as: UInt64.self))
            return first < second ? -1 : first == second ? 0 : 1
        }
        return Platform.compare(left, right)
    }
}
