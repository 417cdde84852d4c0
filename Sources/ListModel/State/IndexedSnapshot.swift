// A snapshot whose rows can be looked up by id.
//
// Only the head has an index that follows its edits. Who asks an older version more than once or twice by id builds an
// index of it, once; copies share it.
//
// Always holds: the index knows exactly the rows and sections of the snapshot.

/// A snapshot with an index of its ids.
///
/// ```swift
/// let rows = snapshot.indexed()
/// if let path = rows.indexPath(of: 7) { … }
/// let section = rows.sectionID(containing: 7)
/// ```
///
/// Everything that can be asked by id is in ``RowLookup``. The newest version needs no such index: ``ListState`` answers the
/// same questions there.
public struct IndexedSnapshot: RowLookup, Sendable {
    /// The rows.
    public let snapshot: Snapshot
    private let items: [Identifier: ListIndexPath]
    private let sections: [Identifier: Int]

    /// Indexes a snapshot.
    ///
    /// - Complexity: O(n), in time and memory; 60 to 110 bytes a row.
    public init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        var items: [Identifier: ListIndexPath] = [:]
        var sections: [Identifier: Int] = [:]
        items.reserveCapacity(snapshot.itemCount)
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

    /// Where the row of an id is, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func indexPath(of id: Identifier) -> ListIndexPath? { items[id] }

    /// The index of the section of an id, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func indexOfSection(_ id: Identifier) -> Int? { sections[id] }

    public func sectionID(at index: Int) -> Identifier? {
        index >= 0 && index < sectionCount ? snapshot.sections[index].id : nil
    }

    public func outline(inSectionAt index: Int) -> SectionOutline { snapshot.sections[index].outline }
}

extension Snapshot {
    /// The snapshot with an index of its ids.
    ///
    /// - Complexity: O(n).
    public func indexed() -> IndexedSnapshot { IndexedSnapshot(self) }
}
