// The sections and rows of an observable list, with their ids for SwiftUI.
//
// Always holds: nothing is copied out of the snapshot. A section or row is made when it is read.

import ListModel
import Listory

/// The sections of an observable list.
public struct ObservableSections<Source: ListSource>: RandomAccessCollection {
    let snapshot: ListSnapshot<Source.SectionID, Source.Item>

    public var startIndex: Int { 0 }
    public var endIndex: Int { snapshot.core.sectionCount }

    public subscript(position: Int) -> ObservableSection<Source> {
        ObservableSection(index: position, core: snapshot.core.sections[position], snapshot: snapshot)
    }
}

/// A section of an observable list.
public struct ObservableSection<Source: ListSource>: Identifiable {
    /// Its index when it was shown.
    public let index: Int
    let core: UntypedSection
    let snapshot: ListSnapshot<Source.SectionID, Source.Item>

    /// The identity of the section.
    public var id: UntypedID { core.id }
    /// The title in its header.
    public var title: String { core.title }
    /// Its rows, in order; for `ForEach`.
    public var rows: ObservableRows<Source> {
        ObservableRows(section: index, core: core.items, snapshot: snapshot)
    }
}

/// The rows of a section of an observable list.
public struct ObservableRows<Source: ListSource>: RandomAccessCollection {
    let section: Int
    let core: ItemCollection
    let snapshot: ListSnapshot<Source.SectionID, Source.Item>

    public var startIndex: Int { 0 }
    public var endIndex: Int { core.endIndex }

    public subscript(position: Int) -> ObservableRow<Source> {
        let path = ListIndexPath(section: section, item: position)
        guard let row = snapshot.row(at: path) else { preconditionFailure("offset \(position) is outside the rows") }
        return ObservableRow(row: row)
    }
}

/// A row of an observable list.
public struct ObservableRow<Source: ListSource>: Identifiable {
    /// The row as it was when it was shown.
    public let row: ListRow<Source.Item>

    /// The identity of the row.
    public var id: UntypedID { row.core.id }
    /// Whether it had a checkmark.
    public var isChecked: Bool { row.isChecked }
    /// Its depth in an outline.
    public var depth: Int { row.depth }
    /// The item, read and decoded each time; nil if that is not possible.
    public var item: Source.Item? { row.item }
}
