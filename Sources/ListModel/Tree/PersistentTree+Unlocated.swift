// Edits of trees without a locator, for example the order of a derived view.

extension PersistentTree where Element: TreeElement {
    /// A tree of these elements without a locator.
    ///
    /// - Complexity: O(n).
    init(unlocated elements: some Collection<Element>, _ pool: NodePool) {
        var locator = Locator<Element>(pool, isTracking: false)
        self.init(elements, pool, owner: 0, &locator)
    }

    /// Inserts an element into a tree without a locator.
    ///
    /// - Complexity: O(log n).
    mutating func insert(_ element: Element, at offset: Int) {
        var locator = Locator<Element>(pool, isTracking: false)
        insert(element, at: offset, owner: 0, &locator)
    }

    /// Inserts consecutive elements into a tree without a locator.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func insert(_ elements: [Element], at offset: Int) {
        var locator = Locator<Element>(pool, isTracking: false)
        // SAFETY: the elements are copied, and the array is not touched meanwhile.
        elements.withUnsafeBufferPointer { insert($0, at: offset, owner: 0, &locator) }
    }

    /// Removes elements of a tree without a locator.
    ///
    /// - Complexity: O(k + k / w · log n) for k elements in leaves of width w.
    mutating func remove(_ range: Range<Int>) {
        var locator = Locator<Element>(pool, isTracking: false)
        remove(range, &locator)
    }

    /// Removes the element at an offset of a tree without a locator.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func remove(at offset: Int) -> Element {
        let element = self[offset]
        var locator = Locator<Element>(pool, isTracking: false)
        remove(offset..<offset + 1, &locator)
        return element
    }
}
