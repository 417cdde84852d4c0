// The encoding of a node. `Docs/Design/FileFormat.md` draws the bytes.
//
//     0  checksum  u32     lower half of the XXH64 of what follows, with the number of the node as the seed
//     4  kind      u8      height, or 128 + height in the tree of sections, or 192 + height in a patch (`NodePatch`);
//                          32 more if depths follow the hashes; 73 is a patch of an earlier build; others from 64
//                          on are no nodes
//     5  count     varint  elements or children, or words of a chunk
//        then the elements, the children or the words
//
// Always holds: the element count, the hash and the lowest depth of a decoded node are those in its parent's summary,
// and its height is one less than its parent's. So no path is longer than the greatest height. The hash of the root is
// that of a version, so every node that is read is checked against the log, even if most of the tree is not read.
// Depths are written only if one is above 0, so never for a list without outlines.

// Numbers of nodes are stored as differences with wrapping arithmetic, because damaged bytes may contain any number;
// decoded values are checked. Counts do not wrap.

enum NodeCoding {
    /// The number of bytes before the kind of the node.
    static let headerSize = 4

    /// The kinds of stored values that are not a node of the height that the kind byte gives.
    enum Kind {
        static let sections: UInt8 = 128
        static let indexChunk: UInt8 = 78
        /// That of an index that an earlier release has written.
        static let earlierIndexChunk: UInt8 = 64
        static let parentChunk: UInt8 = 65
        static let directory: UInt8 = 66
        static let checkpoint: UInt8 = 67
        static let locators: UInt8 = 68
        static let numbers: UInt8 = 69
        static let landmarks: UInt8 = 71
        /// A patch of a node of rows; with the height of the node, and the bit for depths.
        static let patch: UInt8 = 192
        /// A patch of an earlier build.
        static let earlierPatch: UInt8 = 73
        /// No node, but several in one value.
        static let run: UInt8 = 74
        static let touches: UInt8 = 75
        static let touchCatalog: UInt8 = 77
        /// The catalogs of indexes of earlier builds, whose buckets are not read any more.
        static let earlierTouchCatalogs: [UInt8] = [72, 76]
        /// The bit of a node that stores a lowest depth after each child or section.
        static let depths: UInt8 = 32
    }

    static func isIntact(_ bytes: UnsafeRawBufferPointer, number: UInt64) -> Bool {
        guard bytes.count > headerSize else { return false }
        return statedChecksum(bytes) == checksum(UnsafeRawBufferPointer(rebasing: bytes[headerSize...]), number: number)
    }

    /// The checksum that is stored in a value.
    static func statedChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    }

    private static func checksum(_ contents: UnsafeRawBufferPointer, number: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: XXHash64.hash(contents, seed: number))
    }

    /// Writes the beginning of a node; `seal` fills in the checksum.
    static func begin(_ kind: UInt8, count: Int, _ writer: inout ByteWriter) {
        writer.truncate(to: 0)
        writer.write(fixed: UInt32(0))
        writer.write(byte: kind)
        writer.write(count: count)
    }

    static func seal(_ number: UInt64, _ writer: inout ByteWriter) {
        let sum = writer.withBytes { checksum(UnsafeRawBufferPointer(rebasing: $0[headerSize...]), number: number) }
        writer.patch(sum, at: 0)
    }

    /// The bit that distinguishes trees of sections from trees of rows.
    private static func treeKind<Element: TreeElement>(_ type: Element.Type) -> UInt8 {
        type == SectionEntry.self ? Kind.sections : 0
    }
}

// MARK: - Writing

extension NodeCoding {
    /// Writes a node whose children are all stored.
    ///
    /// - Parameters:
    ///   - node: the node.
    ///   - numbers: the stored numbers of its children; not used for a leaf.
    ///   - number: the stored number that the node will have.
    ///   - contentOf: returns the content of a row if it is stored instead of its hash.
    static func encode<Element: TreeElement>(
        _ node: TreeNode<Element>, children numbers: ArraySlice<UInt64>, number: UInt64, _ writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?
    ) {
        let depths = node.hasDepthsBelow ? Kind.depths : 0
        begin(treeKind(Element.self) | UInt8(node.height) | depths, count: node.count, &writer)
        if node.isLeaf {
            Element.encode(
                UnsafeBufferPointer(start: node.elements, count: node.count), into: &writer, contentOf: contentOf)
        } else {
            var previous = number
            var previousPlace: UInt32 = 0
            for (slot, stored) in numbers.enumerated() {
                let child = node.children[slot]
                writer.write(delta: Int64(bitPattern: stored &- previous))
                writer.write(delta: Int64(child.number) - Int64(previousPlace))
                writer.write(varint: UInt64(child.count))
                writer.write(fixed: child.hash)
                if depths != 0 { writer.write(byte: child.lowestDepth) }
                previous = stored
                previousPlace = child.number
            }
        }
        seal(number, &writer)
    }
}

// MARK: - Reading

extension NodeReader {
    /// Reads a value after its kind; nil if its checksum is wrong, or if it is of another kind.
    ///
    /// - Parameter number: the number with which the checksum was made.
    init?(_ bytes: UnsafeRawBufferPointer, number: UInt64, kind: UInt8) {
        guard NodeCoding.isIntact(bytes, number: number) else { return nil }
        self.init(UnsafeRawBufferPointer(rebasing: bytes[NodeCoding.headerSize...]))
        if readByte() != kind { return nil }
    }
}

extension NodeCoding {
    /// Calls `body` with the bytes that are stored under a number.
    ///
    /// - Throws: ``NodeError`` if they are missing or their checksum is wrong; errors of `body` and of the source.
    @inline(__always)
    static func withValue<Result>(
        _ number: UInt64, from source: any NodeSource,
        _ body: (UnsafeRawBufferPointer) throws(NodeError) -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, NodeError>?
        try source.readNode(number) { bytes in
            do throws(NodeError) {
                guard let bytes else { throw NodeError(number, "it is missing") }
                guard isIntact(bytes, number: number) else { throw NodeError(number, "its checksum is wrong") }
                result = .success(try body(bytes))
            } catch { result = .failure(error) }
        }
        // SAFETY: the source has called the closure, which sets the result.
        return try result.unsafelyUnwrapped.get()
    }

    /// Decodes a node that is stored whole. Whether it is the one that its parent refers to is still to be checked.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that are stored under `number`; their checksum is right.
    ///   - number: the stored number of the node.
    ///   - child: the parent's summary of the node, or of one that is a patch of it.
    ///   - limits: the limits that determine the capacity of the new node.
    ///   - spares: nodes to reuse; one is taken if it fits.
    /// - Throws: ``NodeError`` if the bytes are no node of that height.
    static func decode<Element: TreeElement>(
        _ bytes: UnsafeRawBufferPointer, number: UInt64, _ child: TreeChild<Element>, _ limits: TreeLimits,
        _ spares: inout SpareNodes<Element>
    ) throws(NodeError) -> (node: TreeNode<Element>, hasDepths: Bool) {
        var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[headerSize...]))
        let kind = reader.readByte()
        let height = Int(kind & ~(Kind.sections | Kind.depths))
        let hasDepths = kind & Kind.depths != 0
        let count = Int(reader.readWord())
        guard kind & Kind.sections == treeKind(Element.self), height < Limits.nodeHeights, count > 0,
            !hasDepths || height > 0 || kind & Kind.sections != 0,
            child.height == TreeChild<Element>.anyHeight || height == Int(child.height),
            number != child.stored || count <= child.count, count <= Limits.nodeElements,
            height == 0 || count <= reader.remaining
        else { throw NodeError(number, "it is not the node that its parent refers to") }
        let width = max(count, limits.capacity(height: height))
        let node = spares.take(height: height, width: width, number: child.number)
        if height == 0 {
            decodeLeaf(&reader, count, hasDepths: hasDepths, node)
        } else {
            decodeInner(&reader, count, hasDepths: hasDepths, node, parent: number)
        }
        guard !reader.isDamaged, reader.remaining == 0, node.count == count else {
            throw NodeError(number, "its contents make no sense")
        }
        return (node, hasDepths)
    }

    /// Checks that a node is the one that its parent refers to.
    ///
    /// - Parameter hasDepths: whether depths were stored.
    static func check<Element: TreeElement>(
        _ node: TreeNode<Element>, hasDepths: Bool, _ child: TreeChild<Element>
    ) throws(NodeError) {
        guard node.elementCount == Int(child.count), node.sequenceHash == child.hash,
            node.lowestDepth == child.lowestDepth, node.hasDepthsBelow == hasDepths
        else { throw NodeError(child.stored, "its parent says that it has other elements") }
    }

    private static func decodeLeaf<Element: TreeElement>(
        _ reader: inout NodeReader, _ count: Int, hasDepths: Bool, _ node: TreeNode<Element>
    ) {
        // SAFETY: `decode` initialises at most `count` elements, and there is room for them.
        let elements = node.elements
        node.count = Element.decode(&reader, count: count, hasDepths: hasDepths, into: elements)
        if node.isPlain { node.isPlain = (0..<node.count).allSatisfy { elements[$0].isPlain } }
    }

    private static func decodeInner<Element: TreeElement>(
        _ reader: inout NodeReader, _ count: Int, hasDepths: Bool, _ node: TreeNode<Element>, parent: UInt64
    ) {
        // A local copy, because access through `inout` would load and store the reader for every byte.
        var ownReader = reader
        defer { reader = ownReader }
        let height = UInt8(node.height - 1)
        var stored = parent
        var place: UInt32 = 0
        var total = 0
        for slot in 0..<count {
            stored = stored &+ UInt64(bitPattern: ownReader.readDelta())
            let next = Int64(place) &+ ownReader.readDelta()
            let elements = ownReader.readWord()
            let hash = ownReader.read(fixed: UInt64.self)
            let depth = hasDepths ? ownReader.readByte() : 0
            total += Int(elements)
            place = UInt32(truncatingIfNeeded: next)
            if !TreeChild<Element>.isPossible(
                stored: stored, place: UInt64(bitPattern: next), count: elements, hash: hash, depth: depth,
                height: height, parent: parent) || total > Limits.rows
            {
                ownReader.fail()
            }
            if ownReader.isDamaged { return }
            let child = TreeChild<Element>(
                node: nil, stored: stored, count: elements, number: place, hash: hash, lowestDepth: depth,
                height: height)
            // SAFETY: there is room for `count` children.
            node.children.advanced(by: slot).initialize(to: child)
            node.count += 1
        }
    }
}

extension TreeChild {
    /// Whether fields that were read can be those of a child of the node that is stored under `parent`.
    ///
    /// A child is stored before its parent, so its number is lower. This also excludes cycles in a damaged tree. A negative
    /// number becomes a large one, so one comparison is enough.
    @inline(__always)
    static func isPossible(
        stored: UInt64, place: UInt64, count: UInt32, hash: UInt64, depth: UInt8, height: UInt8, parent: UInt64
    ) -> Bool {
        place < UInt64(Limits.placeNumbers) && count > 0 && count <= (height == 0 ? Limits.nodeElements : Limits.rows)
            && stored > 0 && stored < parent && hash < SequenceHash.modulus && depth <= UntypedRow.maximumDepth
    }
}

extension TreeNode where Element: TreeElement {
    /// Whether the lowest depth below a child or a section is above 0.
    var hasDepthsBelow: Bool {
        if isLeaf { return Element.haveDepthsBelow(UnsafeBufferPointer(start: elements, count: count)) }
        return (0..<count).contains { children[$0].lowestDepth > 0 }
    }

    /// The hash of the sequence below the node. All its elements and children must be sealed.
    fileprivate var sequenceHash: UInt64 {
        if isLeaf { return SequenceHash.hash(UnsafeBufferPointer(start: elements, count: count)) ?? .max }
        var sum = SequenceHash.Sum()
        var following = 0
        for slot in stride(from: count - 1, through: 0, by: -1) {
            sum.add(children[slot].hash, exponent: following)
            following += Int(children[slot].count)
        }
        return sum.value
    }
}
