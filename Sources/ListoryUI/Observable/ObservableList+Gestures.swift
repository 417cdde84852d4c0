// Makes commits from the arguments of SwiftUI's modifiers and controls. Offsets refer to the shown rows.

import ListModel
import Listory

extension ObservableList {
    /// Moves rows of a section, with the arguments of `onMove`: "Move Milk".
    ///
    /// - Parameters:
    ///   - offsets: the rows, by their offsets before the move.
    ///   - destination: how many rows are above the place, including those that move: 0 for the top, the number of rows
    ///     for the end.
    ///   - section: the section.
    /// - Returns: whether it was committed. If not, the failure was reported: the rules may protect one of the rows.
    @discardableResult
    public func move(
        _ offsets: some Sequence<Int>, to destination: Int, in section: ObservableSection<Source>
    ) -> Bool {
        guard let rows = find(offsets, in: section, .move) else { return false }
        let rules = driver.rules
        if let kept = rows.first(where: { !rules.canMove($0.row) || !rules.canMoveInto($0.row, section.index) }) {
            driver.report(
                .move, driver.name(.move, rows.map(\.id)), RowProtected(action: .move, id: kept.id))
            return false
        }
        let gap = ListIndexPath(section: section.index, item: destination)
        return withoutAnimation { driver.move(rows.map(\.id), toGap: gap, in: section.snapshot.core) }
    }

    /// Deletes rows of a section, with the arguments of `onDelete`: "Delete Milk". Those that the rules protect stay. In an outline, a
    /// row also stays if a row below it, shown or hidden, is protected.
    ///
    /// - Returns: whether it was committed.
    @discardableResult
    public func delete(_ offsets: some Sequence<Int>, in section: ObservableSection<Source>) -> Bool {
        guard let rows = find(offsets, in: section, .delete) else { return false }
        return withoutAnimation { driver.delete(rows.map(\.row)) }
    }

    /// Whether the user may move a row: for `moveDisabled`.
    public func canMove(_ row: ObservableRow<Source>) -> Bool {
        // A view that has asked is told when the past is no longer shown, although the rows may be the same.
        !isPastShown && keepsOrder && driver.previewed == nil && driver.rules.canMove(row.row)
    }

    /// Whether the user may delete a row: for `deleteDisabled`.
    public func canDelete(_ row: ObservableRow<Source>) -> Bool {
        !isPastShown && driver.previewed == nil && driver.rules.editing(row.row) == .delete
    }

    /// Inserts a row before another shown one, or at the end of a section: "Add Milk".
    ///
    /// - Parameters:
    ///   - item: the item of the row.
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

    /// Changes a field of a row.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - field: the field.
    ///   - value: the new value; if it equals the present one, nothing is committed.
    ///   - name: the name of the commit. The commits of typing into a field must have the same name, so that they can
    ///     be coalesced.
    /// - Returns: whether it was committed.
    @discardableResult
    public func set<Value>(
        _ id: UntypedID, _ field: WritableKeyPath<Source.Item, Value>, to value: Value, named name: String
    ) -> Bool {
        withoutAnimation { driver.update(id, named: name) { $0[keyPath: field] = value } }
    }

    /// Sets or clears the checkmark of a row: "Check Milk".
    @discardableResult
    public func setChecked(_ isChecked: Bool, for row: ObservableRow<Source>) -> Bool {
        driver.setChecked(isChecked, for: [row.id])
    }

    /// Undoes the newest step that is not undone yet.
    @discardableResult
    public func undo() -> Bool { driver.undo() }

    /// Redoes the next step on the current branch.
    @discardableResult
    public func redo() -> Bool { driver.redo() }

    /// Some rows of a section, by their offsets when the section was shown, whatever rows are shown by now. If the
    /// section is deleted or had fewer rows, the result is nil, and the failure is reported.
    private func find(
        _ offsets: some Sequence<Int>, in section: ObservableSection<Source>, _ action: ListAction
    ) -> [ObservableRow<Source>]? {
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
                return rows[offset]
            }
        } catch {
            driver.report(action, action.rawValue, error)
            return nil
        }
    }
}

// MARK: - Outlines

extension ObservableList {
    /// Hides or shows the rows below a row: "Collapse Groceries".
    @discardableResult
    public func setExpanded(_ isExpanded: Bool, for row: ObservableRow<Source>) -> Bool {
        driver.setCollapsed(!isExpanded, for: row.id)
    }

    /// Hides the rows below a row, or shows them if they are hidden: "Expand Groceries".
    @discardableResult
    public func toggleCollapsed(_ row: ObservableRow<Source>) -> Bool { driver.toggleCollapsed(row.id) }

    /// Makes a row the child of the sibling before it, with all rows below it: "Indent Milk".
    @discardableResult
    public func indent(_ row: ObservableRow<Source>) -> Bool { driver.indent([row.id]) }

    /// Makes a row the sibling of its parent, with all rows below it: "Outdent Milk".
    @discardableResult
    public func outdent(_ row: ObservableRow<Source>) -> Bool { driver.outdent([row.id]) }
}
