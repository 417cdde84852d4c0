// A node that is stored as its difference from another one.
//
// A scattered edit changes one row of a leaf. The row takes some twenty bytes, the leaf several hundred. So a checkpoint
// stores a changed node as a patch: which elements of an earlier node to keep, and what comes between them. That node, the
// *base*, is stored whole or as a patch too. `Docs/Design/FileFormat.md` draws the bytes.
//
// Always holds: a base has a lower number than its patch, and the same height. A patch says nothing about the hash of its
// result, because the parent of the node does.

// As in `NodeCoding`, numbers that were read wrap, and are checked afterwards.

/// What elements have in common that follow one another in a patch. Writer and reader update it in the same way.
struct PatchContext {
    /// The last integer id.
    var id: Int64 = 0
    /// The version of the last content.
    var version: UInt64 = 0
    /// The last stored number of a child.
    var stored: UInt64
    /// Whether children have a lowest depth.
    let hasDepths: Bool
}

/// One place in which a node differs from its base.
private struct PatchHunk {
    /// The elements of the base that are not kept.
    var removed: Range<Int>
    /// The elements of the node that come instead.
    var inserted: Range<Int>
}

enum NodePatch {
    /// The most patches between a node and one that is stored whole. The sizes of their contents at least double from one to
    /// the next, so that there are never as many.
    static let longestChain = 32

    /// The size of the contents of a patch of `size` bytes: without its header, which has about nine.
    static func contentSize(_ size: Int) -> Int { max(1, size - 9) }

    /// The stored value on which a patch is based: its number, and the lowest byte of its checksum, because a number that was not used in
    /// the end is given again. A node of a tree is compared with its parent as well, but salvage reads leaves without their parents.
    struct Base {
        let number: UInt64
        let check: UInt8

        init(number: UInt64, checksum: UInt32) {
            self.number = number
            check = UInt8(truncatingIfNeeded: checksum)
        }
    }

    static func isPatch(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > NodeCoding.headerSize else { return false }
        let kind = bytes[NodeCoding.headerSize]
        return kind >= NodeCoding.Kind.patch || kind == NodeCoding.Kind.earlierPatch
    }
}

// MARK: - Writing

extension NodePatch {
    /// Writes a node of rows, all of whose children are stored, as a patch.
    ///
    /// - Parameters:
    ///   - node: the node.
    ///   - numbers: the stored numbers of its children; not used for a leaf.
    ///   - base: a stored node of the same height.
    ///   - value: where it is stored.
    ///   - number: the stored number that the patch will have.
    static func encode(
        _ node: TreeNode<UntypedRow>, children numbers: [UInt64], base: TreeNode<UntypedRow>, _ value: Base,
        number: UInt64, _ writer: inout ByteWriter
    ) {
        assert(
            node.height == base.height && value.number < number, "a node is patched from an earlier one of its height")
        let hasDepths = node.hasDepthsBelow
        let kind = NodeCoding.Kind.patch | UInt8(node.height) | (hasDepths ? NodeCoding.Kind.depths : 0)
        NodeCoding.begin(kind, count: node.count, &writer)
        writer.write(varint: number - value.number)
        writer.write(byte: value.check)
        var context = PatchContext(stored: number, hasDepths: hasDepths)
        if node.isLeaf {
            let (old, new) = (base.elements, node.elements)
            let hunks = hunks(
                base.count, node.count, areSame: { old[$0].isIdentical(to: new[$1]) },
                haveSameID: { old[$0].hasID(new[$1].id) })
            write(hunks, &writer) { slot, replaced, writer in
                new[slot].encode(replacing: replaced.map { old[$0] }, into: &writer, &context)
            }
        } else {
            let (old, new) = (base.children, node.children)
            let hunks = hunks(
                base.count, node.count,
                areSame: { old[$0].stored == numbers[$1] && old[$0].hasSameSummary(as: new[$1]) },
                haveSameID: { old[$0].number == new[$1].number })
            write(hunks, &writer) { slot, replaced, writer in
                new[slot].encode(stored: numbers[slot], replacing: replaced.map { old[$0] }, into: &writer, &context)
            }
        }
        NodeCoding.seal(number, &writer)
    }

    private static func write(
        _ hunks: [PatchHunk], _ writer: inout ByteWriter, _ writeElement: (Int, Int?, inout ByteWriter) -> Void
    ) {
        var next = 0
        for hunk in hunks {
            let (removed, inserted) = (hunk.removed, hunk.inserted)
            // Usually elements are replaced, one by one.
            let isReplacement = removed.count == inserted.count
            writer.write(varint: UInt64(removed.lowerBound - next) &<< 1 | (isReplacement ? 1 : 0))
            writer.write(count: removed.count)
            if !isReplacement { writer.write(count: inserted.count) }
            for (index, slot) in inserted.enumerated() {
                writeElement(slot, index < removed.count ? removed.lowerBound + index : nil, &writer)
            }
            next = removed.upperBound
        }
    }

    /// Where two sequences differ, in few and short hunks but not always the fewest.
    private static func hunks(
        _ oldCount: Int, _ newCount: Int, areSame: (Int, Int) -> Bool, haveSameID: (Int, Int) -> Bool
    ) -> [PatchHunk] {
        var hunks: [PatchHunk] = []
        var (old, new) = (0, 0)
        func add(removing removed: Int, inserting inserted: Int) {
            if let last = hunks.last, last.removed.upperBound == old, last.inserted.upperBound == new {
                hunks[hunks.count - 1].removed = last.removed.lowerBound..<old + removed
                hunks[hunks.count - 1].inserted = last.inserted.lowerBound..<new + inserted
            } else {
                hunks.append(PatchHunk(removed: old..<old + removed, inserted: new..<new + inserted))
            }
            (old, new) = (old + removed, new + inserted)
        }
        while old < oldCount && new < newCount {
            if areSame(old, new) {
                (old, new) = (old + 1, new + 1)
            } else if haveSameID(old, new) {
                add(removing: 1, inserting: 1)
            } else {
                let reach = 1...64
                let removed = reach.first { old + $0 < oldCount && haveSameID(old + $0, new) }
                let inserted = reach.first { new + $0 < newCount && haveSameID(old, new + $0) }
                switch (removed, inserted) {
                case (let removed?, let inserted?) where removed > inserted: add(removing: 0, inserting: inserted)
                case (let removed?, _): add(removing: removed, inserting: 0)
                case (nil, let inserted?): add(removing: 0, inserting: inserted)
                case (nil, nil): add(removing: 1, inserting: 1)
                }
            }
        }
        if old < oldCount || new < newCount { add(removing: oldCount - old, inserting: newCount - new) }
        return hunks
    }
}

// MARK: - Reading

extension NodePatch {
    /// What a patch says before its hunks.
    struct Header {
        /// How many elements or children the node has.
        let count: Int
        let height: Int
        let hasDepths: Bool
        let base: Base
    }

    /// The header of a patch, and what follows it.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that are stored under `number`.
    ///   - number: the stored number of the patch.
    static func header(
        of bytes: UnsafeRawBufferPointer, number: UInt64
    ) throws(NodeError) -> (header: Header, hunks: NodeReader) {
        var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[NodeCoding.headerSize...]))
        var kind = reader.readByte()
        let count = Int(reader.readWord())
        let isEarlier = kind == NodeCoding.Kind.earlierPatch
        kind = isEarlier ? reader.readByte() : kind & ~NodeCoding.Kind.patch
        let distance = reader.readVarint()
        let checksum = isEarlier ? reader.read(fixed: UInt32.self) : UInt32(reader.readByte())
        guard !reader.isDamaged, distance > 0, distance < number else {
            throw NodeError(number, "it is a patch of a node that cannot be")
        }
        let header = Header(
            count: count, height: Int(kind & ~NodeCoding.Kind.depths), hasDepths: kind & NodeCoding.Kind.depths != 0,
            base: Base(number: number - distance, checksum: checksum))
        return (header, reader)
    }

    /// The node that a patch and its base describe. Its count and hash are still to be compared with those that its parent
    /// states. The elements that both have are moved, so nothing is left of the base.
    ///
    /// - Parameters:
    ///   - bytes: the patch; its checksum is right.
    ///   - number: the stored number of the patch.
    ///   - base: its base, to which nobody else may refer.
    ///   - child: the parent's summary of the node.
    ///   - limits: the limits that determine the capacity of the new node.
    static func apply<Element: TreeElement>(
        _ bytes: UnsafeRawBufferPointer, _ number: UInt64, to base: TreeNode<Element>, _ child: TreeChild<Element>,
        _ limits: TreeLimits
    ) throws(NodeError) -> (node: TreeNode<Element>, hasDepths: Bool) {
        var (header, reader) = try header(of: bytes, number: number)
        let (count, hasDepths) = (header.count, header.hasDepths)
        guard Element.canBePatched, header.height == base.height, count > 0, count <= Limits.nodeElements,
            !hasDepths || base.height > 0
        else { throw NodeError(number, "it is not a patch of its base") }
        let node = TreeNode<Element>.make(
            height: base.height, width: max(count, limits.capacity(height: base.height)), number: child.number)
        var context = PatchContext(stored: number, hasDepths: hasDepths)
        let baseCount = base.count
        base.count = 0
        if base.isLeaf {
            node.isPlain = base.isPlain
            read(&reader, count, baseCount, from: base.elements, to: node.elements, &node.count) { reader, replaced in
                let element = Element.decode(&reader, replacing: replaced, &context)
                if let element, !element.isPlain { node.isPlain = false }
                return element
            }
        } else {
            read(&reader, count, baseCount, from: base.children, to: node.children, &node.count) { reader, replaced in
                TreeChild(&reader, replacing: replaced, of: number, height: base.height - 1, &context)
            }
        }
        guard !reader.isDamaged, node.count == count else { throw NodeError(number, "its contents make no sense") }
        // The base may have had others.
        if base.isLeaf && !node.isPlain { node.isPlain = (0..<count).allSatisfy { node.elements[$0].isPlain } }
        return (node, hasDepths)
    }

    /// Reads the hunks, and moves what is between them. Stops at what makes no sense. Nothing is left in `old`.
    private static func read<Member>(
        _ reader: inout NodeReader, _ count: Int, _ baseCount: Int, from old: UnsafeMutablePointer<Member>,
        to new: UnsafeMutablePointer<Member>, _ filled: inout Int, _ readMember: (inout NodeReader, Member?) -> Member?
    ) {
        var next = 0
        // SAFETY, here and below: there is room for `count` members, `filled` of which are initialised; of the `baseCount` of the base,
        // those before `next` are not initialised any more.
        defer { (old + next).deinitialize(count: baseCount - next) }
        func keep(_ kept: Int) -> Bool {
            if kept > baseCount - next || kept > count - filled { return false }
            new.advanced(by: filled).moveInitialize(from: old + next, count: kept)
            (next, filled) = (next + kept, filled + kept)
            return true
        }
        while reader.remaining > 0 {
            let head = reader.readVarint()
            let removed = Int(reader.readWord())
            let inserted = head & 1 == 1 ? removed : Int(reader.readWord())
            guard keep(Int(head &>> 1)), removed <= baseCount - next, inserted <= count - filled,
                removed + inserted > 0
            else { return reader.fail() }
            for index in 0..<inserted {
                guard let member = readMember(&reader, index < removed ? old[next + index] : nil) else {
                    return reader.fail()
                }
                new.advanced(by: filled).initialize(to: member)
                filled += 1
            }
            (old + next).deinitialize(count: removed)
            next += removed
        }
        if !keep(baseCount - next) { reader.fail() }
    }
}

// MARK: - Rows

/// The bits of the first byte of a row in a patch.
private enum PatchedRow {
    static let checked: UInt8 = 1
    /// The id is that of the row that is replaced.
    static let sameID: UInt8 = 2
    /// The content is that of the row that is replaced.
    static let sameContent: UInt8 = 4
    /// The id is an integer, one greater than the last integer id in the patch.
    static let nextID: UInt8 = 8
    /// The outline byte (depth and collapsed) follows.
    static let outline: UInt8 = 16
    static let all: UInt8 = 31
}

extension UntypedRow {
    static var canBePatched: Bool { true }

    fileprivate func encode(replacing old: UntypedRow?, into writer: inout ByteWriter, _ context: inout PatchContext) {
        var flags: UInt8 = isChecked ? PatchedRow.checked : 0
        let content = self.content
        if let old, old.hasID(id) {
            flags |= PatchedRow.sameID
        } else if case .integer(let id) = id, id == context.id &+ 1 {
            flags |= PatchedRow.nextID
        }
        if let old, old.content == content { flags |= PatchedRow.sameContent }
        if outline != 0 { flags |= PatchedRow.outline }
        writer.write(byte: flags)
        if flags & (PatchedRow.sameID | PatchedRow.nextID) == 0 { writer.write(id) }
        if flags & PatchedRow.sameContent == 0 {
            writer.write(delta: Int64(bitPattern: content.version.rawValue &- context.version))
            writer.write(varint: UInt64(content.offset))
            writer.write(varint: UInt64(content.length))
            writer.write(fixed: content.hash)
            context.version = content.version.rawValue
        }
        if flags & PatchedRow.outline != 0 { writer.write(byte: outline) }
        if case .integer(let id) = id { context.id = id }
    }

    static func decode(
        _ reader: inout NodeReader, replacing old: UntypedRow?, _ context: inout PatchContext
    ) -> UntypedRow? {
        let flags = reader.readByte()
        if flags & ~PatchedRow.all != 0 { return nil }
        let id: UntypedID
        if flags & PatchedRow.sameID != 0 {
            guard let old else { return nil }
            id = old.id
        } else {
            id = flags & PatchedRow.nextID != 0 ? .integer(context.id &+ 1) : reader.readIdentifier()
        }
        var content: ContentReference
        if flags & PatchedRow.sameContent != 0 {
            guard let old else { return nil }
            content = old.content
        } else {
            let version = context.version &+ UInt64(bitPattern: reader.readDelta())
            let (offset, length) = (reader.readWord(), reader.readWord())
            let hash = reader.read(fixed: UInt64.self)
            if version == 0 || version >= Limits.versions || hash >= SequenceHash.modulus { return nil }
            content = ContentReference(version: Version(version), offset: offset, length: length, hash: hash)
            context.version = version
        }
        let outline = flags & PatchedRow.outline != 0 ? reader.readByte() : 0
        if reader.isDamaged || outline > 127 || (outline == 0 && flags & PatchedRow.outline != 0) { return nil }
        if case .integer(let id) = id { context.id = id }
        return UntypedRow(id: id, isChecked: flags & PatchedRow.checked != 0, content: content, outline: outline)
    }
}

// MARK: - Children

/// The bits of the first byte of a child in a patch.
private enum PatchedChild {
    /// The node number is that of the child that is replaced.
    static let sameNumber: UInt8 = 1
    /// The number of elements is that of the child that is replaced.
    static let sameCount: UInt8 = 2
    static let all: UInt8 = 3
}

extension TreeChild where Element: TreeElement {
    fileprivate func hasSameSummary(as other: TreeChild) -> Bool {
        number == other.number && count == other.count && hash == other.hash && lowestDepth == other.lowestDepth
    }

    fileprivate func encode(
        stored: UInt64, replacing old: TreeChild?, into writer: inout ByteWriter, _ context: inout PatchContext
    ) {
        var flags: UInt8 = 0
        if let old, old.number == number { flags |= PatchedChild.sameNumber }
        if let old, old.count == count { flags |= PatchedChild.sameCount }
        writer.write(byte: flags)
        writer.write(delta: Int64(bitPattern: stored &- context.stored))
        if flags & PatchedChild.sameNumber == 0 { writer.write(varint: UInt64(number)) }
        if flags & PatchedChild.sameCount == 0 { writer.write(varint: UInt64(count)) }
        writer.write(fixed: hash)
        if context.hasDepths { writer.write(byte: lowestDepth) }
        context.stored = stored
    }

    /// Reads a child of the patch of a number; nil if it makes no sense.
    fileprivate init?(
        _ reader: inout NodeReader, replacing old: TreeChild?, of parent: UInt64, height: Int,
        _ context: inout PatchContext
    ) {
        let flags = reader.readByte()
        if flags & ~PatchedChild.all != 0 || (flags != 0 && old == nil) { return nil }
        let stored = context.stored &+ UInt64(bitPattern: reader.readDelta())
        let number = flags & PatchedChild.sameNumber != 0 ? old?.number ?? 0 : reader.readWord()
        let count = flags & PatchedChild.sameCount != 0 ? old?.count ?? 0 : reader.readWord()
        let hash = reader.read(fixed: UInt64.self)
        let depth = context.hasDepths ? reader.readByte() : 0
        context.stored = stored
        let isPossible = TreeChild.isPossible(
            stored: stored, place: UInt64(number), count: count, hash: hash, depth: depth, height: UInt8(height),
            parent: parent)
        if reader.isDamaged || !isPossible { return nil }
        self.init(
            node: nil, stored: stored, count: count, number: number, hash: hash, lowestDepth: depth,
            height: UInt8(height))
    }
}
