// Nodes with consecutive numbers that are stored together, under the number of the first one.
//
// Most nodes of a checkpoint are patches of some forty bytes. An entry of its own takes 18 bytes, a place in a run two, and pages are
// fuller. So a database has a *run* of them as one value of up to 4 KiB.
// `Docs/Design/FileFormat.md` draws the bytes.
//
// Always holds: a node that was deleted has no bytes, and a run keeps its number when its first node is deleted. A damaged run gives
// at worst bytes whose own checksum is wrong.

// Arithmetic with numbers from the file wraps, because a damaged file may have any.

/// Some nodes in the bytes of a run.
package struct NodeRun {
    /// The most bytes of a run: with what LMDB adds, one fits into a page of 4,096 bytes, and four into one of 16,384.
    package static let maximumSize = 4_072
    /// The most nodes of a run: a count of one byte.
    package static let maximumCount = 127
    /// The bytes before the ends of the nodes: the checksum, the kind, the count and the number.
    fileprivate static let headerSize = 14

    private let bytes: UnsafeRawBufferPointer
    /// How many nodes there are, or were.
    package let count: Int

    /// The run in some bytes; nil if they are no run, for example a node that is stored by itself.
    @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > NodeRun.headerSize, bytes[NodeCoding.headerSize] == NodeCoding.Kind.run else { return nil }
        count = Int(bytes[NodeCoding.headerSize + 1])
        guard count > 0, count <= NodeRun.maximumCount, NodeRun.beginningSize(count) <= bytes.count else {
            return nil
        }
        self.bytes = bytes
    }

    /// The number of the first node, if the run is intact. It is the key as well; salvage needs it where the key is lost.
    package var first: UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: NodeCoding.headerSize + 2, as: UInt64.self))
    }

    /// The bytes of a node; nil if it was deleted, or would lie outside of the run.
    ///
    /// - Parameter slot: its number, less that of the run.
    @inline(__always)
    package subscript(slot: Int) -> UnsafeRawBufferPointer? {
        range(slot).map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// Where the bytes of a node are in those of the run.
    @inline(__always)
    package func range(_ slot: Int) -> Range<Int>? {
        guard slot >= 0, slot < count else { return nil }
        let start = NodeRun.beginningSize(count)
        let range = (slot == 0 ? start : start + end(slot - 1), start + end(slot))
        return range.0 < range.1 && range.1 <= bytes.count ? range.0..<range.1 : nil
    }

    @inline(__always)
    private func end(_ slot: Int) -> Int {
        Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: NodeRun.headerSize + 2 * slot, as: UInt16.self)))
    }

    /// The bytes of a node.
    ///
    /// - Parameters:
    ///   - number: its stored number.
    ///   - entry: the entry of the database with this key or the greatest one before it.
    /// - Returns: nil if the node is not stored.
    @inline(__always)
    package static func node(
        _ number: UInt64, in entry: (key: UInt64, value: UnsafeRawBufferPointer)
    ) -> UnsafeRawBufferPointer? {
        range(of: number, in: entry).map { UnsafeRawBufferPointer(rebasing: entry.value[$0]) }
    }

    /// Where the bytes of a node are in those of its entry; nil if it is not stored.
    @inline(__always)
    package static func range(
        of number: UInt64, in entry: (key: UInt64, value: UnsafeRawBufferPointer)
    ) -> Range<Int>? {
        guard let run = NodeRun(entry.value) else { return entry.key == number ? 0..<entry.value.count : nil }
        let slot = number &- entry.key
        return slot < UInt64(run.count) ? run.range(Int(slot)) : nil
    }

    /// How many nodes a value of the database has: a run, or a node that is stored by itself.
    package static func nodeCount(_ value: UnsafeRawBufferPointer) -> Int {
        guard let run = NodeRun(value) else { return 1 }
        return (0..<run.count).count { run[$0] != nil }
    }

    /// The last number of an entry, whether or not its node was deleted.
    package static func lastNumber(_ entry: (key: UInt64, value: UnsafeRawBufferPointer)) -> UInt64 {
        entry.key &+ UInt64((NodeRun(entry.value)?.count ?? 1) - 1)
    }

    /// Whether a node was deleted.
    package func isDeleted(_ slot: Int) -> Bool { end(slot) == (slot == 0 ? 0 : end(slot - 1)) }

    /// The run without some of its nodes.
    ///
    /// - Parameter numbers: their stored numbers, ascending.
    /// - Returns: its bytes, none if no node is left; nil if the run is damaged.
    package func removing(_ numbers: ArraySlice<UInt64>) -> [UInt8]? {
        guard NodeRun.isIntact(bytes, number: first) else { return nil }
        var writer = NodeRunWriter()
        var (removed, isEmpty) = (numbers, true)
        for slot in 0..<count {
            let number = first &+ UInt64(slot)
            removed = removed.drop { $0 < number }
            let node = removed.first == number ? nil : self[slot]
            if node != nil { isEmpty = false }
            let empty = UnsafeRawBufferPointer(start: nil, count: 0)
            guard writer.append(number, node ?? empty) else { return nil }
        }
        return isEmpty ? [] : writer.run
    }

    /// Whether the checksum of the beginning is right, which says where the nodes are.
    ///
    /// - Parameter number: the key of the run.
    package static func isIntact(_ bytes: UnsafeRawBufferPointer, number: UInt64) -> Bool {
        guard let run = NodeRun(bytes), run.first == number else { return false }
        return NodeCoding.isIntact(
            UnsafeRawBufferPointer(rebasing: bytes[..<beginningSize(run.count)]), number: number)
    }

    /// How many bytes there are before the first of so many nodes.
    @inline(__always)
    package static func beginningSize(_ count: Int) -> Int { headerSize + 2 * count }
}

/// Collects nodes in runs.
///
/// ```swift
/// var writer = NodeRunWriter()
/// for (number, node) in nodes { try writer.add(number, node) { first, value in … } }
/// try writer.finish { first, value in … }
/// ```
package struct NodeRunWriter {
    /// Receives the number of the first node, and the value to store under it: a run, or the only node.
    package typealias Output = (UInt64, [UInt8]) throws -> Void

    /// The number of the first node; nil if there is none yet.
    private var first: UInt64?
    private var ends: [UInt16] = []
    private var contents: [UInt8] = []

    /// A run without nodes.
    package init() {}

    /// Adds a node. If it does not go into the run, that is complete, and another one begins.
    package mutating func add(_ number: UInt64, _ node: UnsafeRawBufferPointer, _ output: Output) rethrows {
        if append(number, node) { return }
        try finish(output)
        _ = append(number, node)
    }

    /// Completes the run, if it has nodes.
    package mutating func finish(_ output: Output) rethrows {
        if let first { try output(first, ends.count == 1 ? contents : run) }
        self = NodeRunWriter()
    }

    /// Adds a node, if its number is the next one and there is room for it.
    ///
    /// - Returns: whether it was added. The first one always is.
    fileprivate mutating func append(_ number: UInt64, _ node: UnsafeRawBufferPointer) -> Bool {
        if let first {
            let size = NodeRun.beginningSize(ends.count + 1) + contents.count + node.count
            guard number == first &+ UInt64(ends.count), ends.count < NodeRun.maximumCount, size <= NodeRun.maximumSize
            else { return false }
        } else {
            first = number
        }
        contents.append(contentsOf: node)
        ends.append(UInt16(truncatingIfNeeded: contents.count))
        return true
    }

    /// The run.
    fileprivate var run: [UInt8] {
        var writer = ByteWriter()
        NodeCoding.begin(NodeCoding.Kind.run, count: ends.count, &writer)
        writer.write(fixed: first ?? 0)
        for end in ends { writer.write(fixed: end) }
        NodeCoding.seal(first ?? 0, &writer)
        contents.withUnsafeBytes { writer.write(raw: $0) }
        return writer.withBytes { Array($0) }
    }
}
