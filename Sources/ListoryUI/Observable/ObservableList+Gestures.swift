// What SwiftUI's modifiers hand over, as commits. Offsets are those of the rows that are shown.

import ListModel
import Listory

extension ObservableList {
    /// Moves rows of a section, as `onMove` tells it: "Move Milk".
    ///
    /// - Parameters:
    ///   - offsets: the rows, by their offsets before the move.
    ///   - destination: how many rows are above the place, those that move among them: 0 for the top, the number of rows
    ///     for the end.
    ///   - section: the section.
    /// - Returns: whether it was committed.
    @discardableResult
    public func move(
        _ offsets: some Sequence<Int>, to destination: Int, in section: ObservableSection<Source>
    ) -> Bool {
        guard let ids = find(offsets, in: section, .move) else { return false }
        let gap = ListIndexPath(section: section.index, item: destination)
        return withoutAnimation { driver.move(ids, toGap: gap, in: section.snapshot.core) }
    }

    /// Deletes rows of a section, as `onDelete` tells it: "Delete Milk".
    ///
    /// - Returns: whether it was committed.
    @discardableResult
    public func delete(_ offsets: some Sequence<Int>, in section: ObservableSection<Source>) -> Bool {
        guard let ids = find(offsets, in: section, .delete) else { return false }
        return withoutAnimation { driver.delete(ids) }
    }

    /// Inserts a row before another one that is shown, or at the end of a section: "Add Milk".
    ///
    /// - Parameters:
    ///   - item: what the row holds.
    ///   - offset: how many rows of the section are above it; nil for all.
    ///   - section: the section.
    /// - Returns: whether it was committed.
    @discardableResult
    public func insert(
        _ item: Source.Item, at offset: Int? = nil, in section: ObservableSection<Source>
    ) -> Bool {
        guard find([], in: section, .insert) != nil else { return false }
        let gap = ListIndexPath(section: section.index, item: offset ?? section.rows.count)
        return driver.insert(item, at: gap, in: section.snapshot.core)
    }

    /// Sets or clears the checkmark of a row: "Check Milk".
    @discardableResult
    public func setChecked(_ isChecked: Bool, _ row: ObservableRow<Source>) -> Bool {
        driver.setChecked(isChecked, [row.id])
    }

    /// The value of a field of a row, as it is now; nil if the row is gone or cannot be read.
    public func value<Value>(_ id: Identifier, _ field: KeyPath<Source.Item, Value>) -> Value? {
        access(keyPath: \.snapshot)
        do {
            let store = driver.source.editedStore
            guard let row = try store.item(id) else { return nil }
            return try driver.source.coder.item(of: row, in: store.source)[keyPath: field]
        } catch {
            driver.report(.read, driver.name(.read, [id]), error)
            return nil
        }
    }

    /// Changes a field of a row.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - field: the field.
    ///   - value: what it holds from now on; if it does already, nothing is committed.
    ///   - name: the name of the commit. A field that is typed into gives the same to each of its commits, so that they can
    ///     be taken for one.
    /// - Returns: whether it was committed.
    @discardableResult
    public func set<Value>(
        _ id: Identifier, _ field: WritableKeyPath<Source.Item, Value>, to value: Value, named name: String
    ) -> Bool {
        withoutAnimation { driver.update(id, named: name) { $0[keyPath: field] = value } }
    }

    /// Whether a row has a checkmark now; false if it is gone.
    public func isChecked(_ id: Identifier) -> Bool {
        access(keyPath: \.snapshot)
        return (try? driver.source.editedStore.item(id))??.isChecked ?? false
    }

    /// Undoes the newest step that was not undone yet.
    @discardableResult
    public func undo() -> Bool { driver.undo() }

    /// Redoes the next step on the present branch.
    @discardableResult
    public func redo() -> Bool { driver.redo() }

    /// The ids of some of the rows that a section had when it was shown; nil, and a report, if it is gone or had not as
    /// many. All offsets of a gesture are those of that time, whatever is shown by now.
    private func find(
        _ offsets: some Sequence<Int>, in section: ObservableSection<Source>, _ action: ListAction
    ) -> [Identifier]? {
        let rows = section.rows
        do {
            guard snapshot.core.sections.contains(where: { $0.id == section.id }) else {
                throw ListError.unknownSection(section.id)
            }
            return try offsets.map { offset in
                guard rows.indices.contains(offset) else {
                    let path = ListIndexPath(section: section.index, item: offset)
                    throw ListError.itemIndexOutOfRange(path, valid: rows.indices)
                }
                return rows[offset].id
            }
        } catch {
            driver.report(action, action.rawValue, error)
            return nil
        }
    }
}
