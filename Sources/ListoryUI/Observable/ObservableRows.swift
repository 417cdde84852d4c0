// The rows of a section, each made when it is looked at.

import ListModel
import Listory

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
