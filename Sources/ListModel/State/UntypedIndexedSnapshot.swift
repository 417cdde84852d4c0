// A snapshot with an index, so that its rows can be looked up by id.
//
// Only the head has an index that edits keep up to date. For more than one or two lookups in an older version, build an
// index of it once; copies share the index.
//
// Always holds: the index has exactly the rows and sections of the snapshot.

/// A snapshot with an index of its ids.
///
/// ```swift
/// let rows = snapshot.indexed()
/// if let path = rows.indexPath(of: 7) { … }
/// let section = rows.sectionID(containing: 7)
/// ```
///
/// ``RowLookup`` has all lookups by id. The newest version needs no such index: ``ListState`` is a ``RowLookup``, too.
public struct UntypedIndexedSnapshot: RowLookup, Sendable {
    /// The rows.
    public let snapshot: UntypedSnapshot
    private let items: [UntypedID: ListIndexPath]
    private let sections: [UntypedID: Int]

    /// Indexes a snapshot.
    ///
    /// - Complexity: O(n) time and memory; 60 to 110 bytes a row.
    public init(_ snapshot: UntypedSnapshot) {
        self.snapshot = snapshot
        var items: [UntypedID: ListIndexPath] = [:]
        var sections: [UntypedID: Int] = [:]
        // The count of a damaged checkpoint may be too large.
        items.reserveCapacity(min(snapshot.itemCount, 1 << 20))
        for (index, section) in snapshot.sections.enumerated() {
            sections[section.id] = index
            for (offset, item) in section.items.enumerated() {
                items[item.id] = ListIndexPath(section: index, item: offset)
            }
        }
        self.items = items
        self.sections = sections
    }

    public var sectionCount: Int { snapshot.sectionCount }
    public var itemCount: Int { snapshot.itemCount }

    /// The index path of the row of an id, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func indexPath(of id: UntypedID) -> ListIndexPath? { items[id] }

    /// The index of the section of an id, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func indexOfSection(_ id: UntypedID) -> Int? { sections[id] }

    public func sectionID(at index: Int) -> UntypedID? {
        index >= 0 && index < sectionCount ? snapshot.sections[index].id : nil
    }

    public func outline(inSectionAt index: Int) -> SectionOutline { snapshot.sections[index].outline }
}

extension UntypedSnapshot {
    /// The snapshot with an index of its ids.
    ///
    /// - Complexity: O(n).
    public func indexed() -> UntypedIndexedSnapshot { UntypedIndexedSnapshot(self) }
}
