// The values that controls in a row show: a field of its item, its checkmark, its triangle.
//
// Always holds:
// - a control shows the newest value, not the value from when its row was made, so a text field does not jump back
//   while the user types; while a version of the past is shown, it shows the value of that version;
// - reading changes no state: a value that cannot be read is nil, and is not reported. SwiftUI reads values inside
//   `body`, and a change of `failure` there would make it evaluate `body` endlessly.

import ListModel
import Listory

extension ObservableList {
    /// The value of a field of a row; nil if the row is deleted or cannot be read.
    public func value<Value>(_ row: ObservableRow<Source>, _ field: KeyPath<Source.Item, Value>) -> Value? {
        (try? item(row))?[keyPath: field]
    }

    /// Whether a row has a checkmark; false if it is deleted.
    public func hasCheckmark(_ row: ObservableRow<Source>) -> Bool { (try? core(row))?.isChecked ?? false }

    /// Whether the rows below a row are shown, if it has any; false if it is deleted.
    public func showsChildren(_ row: ObservableRow<Source>) -> Bool {
        (try? core(row)).map { !$0.isCollapsed } ?? false
    }

    /// Whether there are rows below a row of an outline, and whether they are hidden.
    ///
    /// - Complexity: O(n), to find the row. ``disclosure(of:in:)`` takes its offset instead.
    public func disclosure(of id: UntypedID) -> RowDisclosure {
        snapshot.core.indexPath(of: id).map { driver.disclosure(at: $0, in: snapshot.core) } ?? .none
    }

    /// Whether there are rows below a row of an outline, by its offset in a section when that was shown.
    public func disclosure(of offset: Int, in section: ObservableSection<Source>) -> RowDisclosure {
        access(keyPath: \.snapshot)
        return driver.disclosure(at: ListIndexPath(section: section.index, item: offset), in: section.snapshot.core)
    }

    /// The row to read: while the past is shown, the shown row, otherwise the newest one.
    private func core(_ row: ObservableRow<Source>) throws -> UntypedRow {
        access(keyPath: \.snapshot)
        if driver.previewed != nil { return row.row.core }
        guard let item = try driver.source.editedStore.item(row.id) else { throw ListError.unknownItem(row.id) }
        return item
    }

    private func item(_ row: ObservableRow<Source>) throws -> Source.Item {
        let core = try core(row)
        if driver.previewed != nil { return try row.row.content.get() }
        return try driver.source.coder.item(of: core, in: driver.source.editedStore.source)
    }
}
