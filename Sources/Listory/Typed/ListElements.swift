// Sections or rows of a snapshot in an app's own types, by position.
//
// Always holds: the element at an index is made from the element of the untyped snapshot at that index, when it is asked for.

/// The sections of a snapshot, its rows, or the rows of a section, counted from 0.
///
/// ```swift
/// let rows = try store.snapshot.rows
/// print(rows[0], rows.count)
/// ```
public struct ListElements<Core: RandomAccessCollection & Sendable, Element>: RandomAccessCollection, Sendable
where Core.Index == Int {
    private let core: Core
    private let element: @Sendable (Core.Element) -> Element

    init(_ core: Core, _ element: @escaping @Sendable (Core.Element) -> Element) {
        self.core = core
        self.element = element
    }

    public var startIndex: Int { core.startIndex }
    public var endIndex: Int { core.endIndex }

    /// The element at an index.
    ///
    /// - Complexity: O(log n).
    public subscript(index: Int) -> Element { element(core[index]) }

    /// An iterator over the elements in order, O(1) each.
    public func makeIterator() -> LazyMapSequence<Core, Element>.Iterator { core.lazy.map(element).makeIterator() }
}
