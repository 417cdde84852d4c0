// Recognises what is stored under a number by its bytes alone, for reading files whose trees are damaged.
//
// Always holds: nothing is said about bytes whose checksum is wrong. The checksum has 32 bits; what is read from a tree
// is also compared with the hash in its parent.

/// A value that is stored under a number or a version.
package enum StoredValue {
    case checkpoint
    case node
    /// A leaf of rows.
    case leaf
    /// Several nodes and chunks.
    case run
    /// A chunk, locators or a list of numbers.
    case other

    /// The kind of a value; nil if its checksum is wrong.
    package init?(_ bytes: UnsafeRawBufferPointer, number: UInt64) {
        if NodeRun.isIntact(bytes, number: number) {
            self = .run
            return
        }
        guard NodeCoding.isIntact(bytes, number: number) else { return nil }
        switch bytes[NodeCoding.headerSize] {
        case 0: self = .leaf
        case NodeCoding.Kind.checkpoint: self = .checkpoint
        case NodeCoding.Kind.earlierIndexChunk...NodeCoding.Kind.numbers, NodeCoding.Kind.indexChunk: self = .other
        case NodeCoding.Kind.patch..., NodeCoding.Kind.earlierPatch:
            self = (try? NodePatch.header(of: bytes, number: number))?.header.height == 0 ? .leaf : .node
        default: self = .node
        }
    }

    /// The rows of a leaf, without a comparison with its parent.
    ///
    /// - Throws: ``NodeError`` if no leaf is stored under the number; errors of the source.
    package static func rows(ofLeaf number: UInt64, in source: any NodeSource) throws -> [UntypedRow] {
        let child = TreeChild<UntypedRow>(
            node: nil, stored: number, count: UInt32(Limits.nodeElements), number: 0, hash: 0, lowestDepth: 0, height: 0
        )
        var spares = SpareNodes<UntypedRow>()
        let (leaf, _) = try NodeChain(child, from: source, TreeLimits(), &spares).unchecked(child, TreeLimits())
        return Array(UnsafeBufferPointer(start: leaf.elements, count: leaf.count))
    }
}
