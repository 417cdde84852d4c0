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
    /// A chunk, locators or a list of numbers.
    case other

    /// The kind of a value; nil if its checksum is wrong.
    package init?(_ bytes: UnsafeRawBufferPointer, number: UInt64) {
        guard NodeCoding.isIntact(bytes, number: number) else { return nil }
        switch bytes[NodeCoding.headerSize] {
        case 0: self = .leaf
        case NodeCoding.Kind.checkpoint: self = .checkpoint
        case NodeCoding.Kind.indexChunk...NodeCoding.Kind.numbers: self = .other
        default: self = .node
        }
    }

    /// The rows of a leaf, without a comparison with its parent; none if the bytes are something else.
    package static func rows(_ bytes: UnsafeRawBufferPointer, number: UInt64) -> [UntypedRow] {
        guard StoredValue(bytes, number: number) == .leaf else { return [] }
        var reader = NodeReader(UnsafeRawBufferPointer(rebasing: bytes[(NodeCoding.headerSize + 1)...]))
        let count = Int(reader.readWord())
        guard count > 0, count <= Limits.nodeElements else { return [] }
        return [UntypedRow](unsafeUninitializedCapacity: count) { rows, initialized in
            // SAFETY: there is room for `count` rows, and `decode` initialises at most as many.
            initialized = UntypedRow.decode(&reader, count: count, hasDepths: false, into: rows.baseAddress!)
            guard reader.isDamaged || reader.remaining != 0 || initialized != count else { return }
            rows.baseAddress!.deinitialize(count: initialized)
            initialized = 0
        }
    }
}
