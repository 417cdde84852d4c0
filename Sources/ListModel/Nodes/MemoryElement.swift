// What trees hold that are only kept in memory, and that nobody compares: the order of a derived view.
//
// Always holds: such a tree is never stored, its hash never sealed, and no locator knows it.

/// An element of a tree that lives in memory only.
protocol MemoryElement: TreeElement {}

extension MemoryElement {
    var id: Identifier { .integer(0) }
    static var canBePlain: Bool { false }
    var isPlain: Bool { false }
    /// Never known, so that no edit computes one.
    var hash: UInt64 { SequenceHash.unsealed }
    var outlineDepth: UInt8 { 0 }
    mutating func seal() {}
    func isUnchanged(in other: Self) -> Bool { false }
    func forEachKey(_ body: (UInt64) throws -> Void) rethrows {}

    static func cache(of store: NodeStore) -> NodeCache<Self> { preconditionFailure("such nodes are never stored") }

    static func encode(
        _ elements: UnsafeBufferPointer<Self>, into writer: inout NodeWriter,
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

// MARK: - Edits without a locator

extension PersistentTree where Element: TreeElement {
    /// A tree of these elements that no locator knows.
    ///
    /// - Complexity: O(n).
    init(unlocated elements: [Element], _ store: NodeStore) {
        var locator = Locator<Element>(store, isTracking: false)
        self.init(elements, store, owner: 0, &locator)
    }

    /// Inserts an element into a tree that no locator knows.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ element: Element, at offset: Int) {
        var locator = Locator<Element>(store, isTracking: false)
        insert(element, at: offset, owner: 0, &locator)
    }

    /// Inserts elements one after another into a tree that no locator knows.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func insert(_ elements: [Element], at offset: Int) {
        var locator = Locator<Element>(store, isTracking: false)
        // SAFETY: the elements are copied, and the array is not touched meanwhile.
        elements.withUnsafeBufferPointer { insert($0, at: offset, owner: 0, &locator) }
    }

    /// Removes elements of a tree that no locator knows.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func remove(_ range: Range<Int>) {
        var locator = Locator<Element>(store, isTracking: false)
        remove(range, &locator)
    }

    /// Removes the element at an offset of a tree that no locator knows.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func remove(at offset: Int) -> Element {
        let element = self[offset]
        var locator = Locator<Element>(store, isTracking: false)
        remove(offset..<offset + 1, &locator)
        return element
    }
}
