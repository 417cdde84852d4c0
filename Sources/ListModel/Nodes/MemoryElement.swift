// Elements of trees that live only in memory and are never compared: the order of a derived view.
//
// Always holds: such a tree is never stored, its hash is never sealed, and no locator tracks it.

/// An element of a tree that lives in memory only.
protocol MemoryElement: TreeElement {}

extension MemoryElement {
    var id: Identifier { .integer(0) }
    static var canBePlain: Bool { false }
    var isPlain: Bool { false }
    /// Always unsealed, so that no edit computes a hash.
    var hash: UInt64 { SequenceHash.unsealed }
    var outlineDepth: UInt8 { 0 }
    mutating func seal() {}
    func isUnchanged(in other: Self) -> Bool { false }
    func forEachKey(salt: UInt64, _ body: (UInt64) throws -> Void) rethrows {}

    static func cache(of pool: NodePool) -> NodeCache<Self> { preconditionFailure("such nodes are never stored") }

    static func encode(
        _ elements: UnsafeBufferPointer<Self>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?
    ) {
        preconditionFailure("such nodes are never stored")
    }

    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into elements: UnsafeMutablePointer<Self>
    ) -> Int {
        preconditionFailure("such nodes are never stored")
    }

    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<Self>) -> Bool { false }

    static func unreadable() -> Self { preconditionFailure("such nodes are never stored") }
}
