// What has to be read for one node: the patches that lead to it, and the node that is stored whole.
//
// Always holds: numbers fall from a patch to its base, so reading ends. The result has the count, the hash and the lowest
// depth that its parent states.

/// A patch that is stored under a number.
///
/// Not a type inside ``NodeChain``: the first use of a generic type whose parameter has to conform to a protocol searches
/// all images of the process for that conformance, which was an eighth of opening a store.
struct StoredPatch {
    let number: UInt64
    let bytes: [UInt8]
}

/// The stored values of a node.
struct NodeChain<Element: TreeElement>: ~Copyable {
    /// The patches, the oldest first.
    let patches: [StoredPatch]
    /// The node that is stored whole, where it is stored, and its size in bytes.
    let whole: TreeNode<Element>
    let wholeValue: NodePatch.Base
    let wholeSize: Int
    private let hasDepths: Bool

    /// Reads the values of a child, in one transaction.
    ///
    /// - Throws: ``NodeError``, and errors of the source.
    init(
        _ child: TreeChild<Element>, from source: any NodeSource, _ limits: TreeLimits,
        _ spares: inout SpareNodes<Element>
    ) throws {
        let source = source.scan()
        var number = child.stored
        var expected: UInt8?
        var read: [StoredPatch] = []
        while true {
            var found: (node: TreeNode<Element>, hasDepths: Bool)?
            var base: NodePatch.Base?
            let (size, value) = try NodeCoding.withValue(number, from: source) { bytes throws(NodeError) in
                let value = NodePatch.Base(number: number, checksum: NodeCoding.statedChecksum(bytes))
                if let expected, expected != value.check {
                    throw NodeError(number, "it is not the one of which a patch was made")
                }
                if NodePatch.isPatch(bytes) {
                    base = try NodePatch.header(of: bytes, number: number).header.base
                    read.append(StoredPatch(number: number, bytes: Array(bytes)))
                } else {
                    found = try NodeCoding.decode(bytes, number: number, child, limits, &spares)
                }
                return (bytes.count, value)
            }
            if let found {
                (whole, hasDepths) = found
                (wholeValue, wholeSize) = (value, size)
                patches = read.reversed()
                return
            }
            if read.count > NodePatch.longestChain { throw NodeError(number, "too many patches follow it") }
            // SAFETY: what is not stored whole is a patch.
            let next = base.unsafelyUnwrapped
            (number, expected) = (next.number, next.check)
        }
    }

    /// The numbers of all values.
    var numbers: [UInt64] { [wholeValue.number] + patches.map(\.number) }

    /// Where the node is stored as it was after so many of its patches.
    func value(after count: Int) -> NodePatch.Base {
        if count == 0 { return wholeValue }
        let patch = patches[count - 1]
        return NodePatch.Base(
            number: patch.number, checksum: patch.bytes.withUnsafeBytes { NodeCoding.statedChecksum($0) })
    }

    /// The node, after a comparison with what its parent says.
    ///
    /// - Parameters:
    ///   - child: the parent's summary of the node.
    ///   - limits: the limits that determine the capacity of the new node.
    consuming func node(_ child: TreeChild<Element>, _ limits: TreeLimits) throws(NodeError) -> TreeNode<Element> {
        let (node, hasDepths) = try unchecked(child, limits)
        try NodeCoding.check(node, hasDepths: hasDepths, child)
        node.stored = child.stored
        return node
    }

    /// The node, without that comparison, and whether depths were stored.
    consuming func unchecked(
        _ child: TreeChild<Element>, _ limits: TreeLimits
    ) throws(NodeError) -> (node: TreeNode<Element>, hasDepths: Bool) {
        var result = (whole, hasDepths)
        for patch in patches { result = try NodeChain.apply(patch, to: result.0, child, limits) }
        return result
    }

    /// The node as each of its values describes it, the oldest first: the one that is stored whole, then after each patch.
    func stages(_ child: TreeChild<Element>, _ limits: TreeLimits) throws(NodeError) -> [TreeNode<Element>] {
        var stages = [whole]
        for patch in patches {
            let base = stages[stages.count - 1].copy(width: 0)
            stages.append(try NodeChain.apply(patch, to: base, child, limits).node)
        }
        return stages
    }

    private static func apply(
        _ patch: StoredPatch, to base: TreeNode<Element>, _ child: TreeChild<Element>, _ limits: TreeLimits
    ) throws(NodeError) -> (node: TreeNode<Element>, hasDepths: Bool) {
        var result: Result<(node: TreeNode<Element>, hasDepths: Bool), NodeError>?
        patch.bytes.withUnsafeBytes { bytes in
            do throws(NodeError) {
                result = .success(try NodePatch.apply(bytes, patch.number, to: base, child, limits))
            } catch { result = .failure(error) }
        }
        // SAFETY: set just above.
        return try result.unsafelyUnwrapped.get()
    }

    /// The numbers of the values of a node, the newest first, without decoding it.
    ///
    /// - Throws: ``NodeError``, and errors of the source.
    static func numbers(from number: UInt64, _ source: any NodeSource) throws -> [UInt64] {
        let source = source.scan()
        var numbers = [number]
        while let number = numbers.last {
            let base = try NodeCoding.withValue(number, from: source) { bytes throws(NodeError) in
                NodePatch.isPatch(bytes) ? try NodePatch.header(of: bytes, number: number).header.base.number : nil
            }
            guard let base else { break }
            numbers.append(base)
            if numbers.count > NodePatch.longestChain + 1 { throw NodeError(number, "too many patches follow it") }
        }
        return numbers
    }
}
