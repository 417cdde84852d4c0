// Gestures, and the commits they become.
//
// Always holds: a gesture names its rows by id from the beginning, because the index path of a row may have changed when the
// user presses the button.

import ListModel
import Listory

extension ListDriver {
    /// Deletes rows: "Delete Milk". Rows that are already deleted are left out; in an outline, the rows below them are
    /// deleted too.
    ///
    /// - Returns: whether it was committed.
    @discardableResult
    public func delete(_ ids: [UntypedID]) -> Bool {
        commit(.delete, name(.delete, ids)) { editor in
            let present = ids.filter { editor.state.indexPath(of: $0) != nil }
            if present.isEmpty { return }
            if isOutline { try editor.deleteSubtrees(present) } else { try editor.delete(.items(present)) }
        }
    }

    /// Deletes a row: "Delete Milk".
    @discardableResult
    public func delete(_ id: UntypedID) -> Bool { delete([id]) }

    /// Sets or clears the checkmark of a row, the opposite of its newest state: "Check Milk".
    @discardableResult
    public func toggle(_ id: UntypedID) -> Bool {
        do {
            guard let item = try source.editedStore.item(id) else { throw ListError.unknownItem(id) }
            return setChecked(!item.isChecked, for: [id])
        } catch {
            report(.check, name(.check, [id]), error)
            showResult()
            return false
        }
    }

    /// Sets or clears the checkmarks of rows: "Check 3 Rows".
    @discardableResult
    public func setChecked(_ isChecked: Bool, for ids: [UntypedID]) -> Bool {
        let action = isChecked ? ListAction.check : .uncheck
        return commit(action, name(action, ids)) { try $0.setChecked(isChecked, for: .items(ids)) }
    }

    /// Inserts a row, between the rows that are shown around a place: "Add Milk".
    ///
    /// - Parameters:
    ///   - item: the item of the row.
    ///   - isChecked: whether it has a checkmark.
    ///   - path: its place in the shown rows.
    @discardableResult
    public func insert(_ item: Source.Item, isChecked: Bool = false, at path: ListIndexPath) -> Bool {
        insert(item, isChecked: isChecked, at: path, in: player.shown)
    }

    /// Inserts a row between rows that the user saw; other rows may be shown by now.
    func insert(_ item: Source.Item, isChecked: Bool = false, at path: ListIndexPath, in seen: UntypedSnapshot) -> Bool
    {
        let (isSectionKnown, isOutline) = (source.keepsOrder, isOutline)
        return commit(.insert, names.phrase(.insert, names.row(item))) { editor in
            let place = try RowGap(gap: path, in: seen)
            let new = NewRow(
                id: item.id.untypedID, isChecked: isChecked, content: try source.coder.content(of: item))
            if isOutline {
                let destination =
                    isSectionKnown
                    ? place.outlineDestination(in: &editor) : place.siblingDestination(in: &editor)
                return try editor.insert([new], in: destination)
            }
            let destination = place.destination(in: &editor, isSectionKnown: isSectionKnown)
            try editor.insert(new, at: destination)
        }
    }

    /// Changes the item of a row, as it is when the commit is made: "Rename Milk".
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - name: the name of the commit; nil for one with the title of the row before the change. Edits that continue
    ///     one another, like typing, must all pass the same name.
    ///   - change: changes the item; it must not change its id.
    @discardableResult
    public func update(
        _ id: UntypedID, named name: String? = nil, _ change: (inout Source.Item) throws -> Void
    ) -> Bool {
        commit(.edit, name ?? self.name(.edit, [id])) { editor in
            guard let row = editor.state.item(id) else { throw ListError.unknownItem(id) }
            var item = try editor.withContent(of: row.content) { try source.coder.item($0, of: id) }
            try change(&item)
            guard item.id.untypedID == id else {
                throw ListError.unreadable(
                    what: "identifier of a changed row", expected: id.description,
                    found: item.id.untypedID.description)
            }
            try editor.update(id, content: try source.coder.content(of: item), source.coder)
        }
    }
}

// MARK: - Commits

extension ListDriver {
    /// Makes a commit and shows its result.
    ///
    /// - Parameters:
    ///   - action: the kind of gesture.
    ///   - name: the name of the commit.
    ///   - body: makes the edits, on the newest rows of the store.
    /// - Returns: whether it was committed. If not, the failure was reported.
    @discardableResult
    public func commit(_ action: ListAction, _ name: String, _ body: (inout UntypedEditor) throws -> Void) -> Bool {
        let isCommitted = attempt(action, name) {
            try source.editedStore.edit(name, origin: origin, durability: durability, body)
        }
        showResult()
        return isCommitted
    }

    /// Changes the store, and reports a failure.
    func attempt(_ action: ListAction, _ name: String, _ body: () throws -> Commit?) -> Bool {
        do {
            if let previewed { throw PastShown(version: previewed) }
            _ = try body()
            return true
        } catch {
            report(action, name, error)
            return false
        }
    }

    /// The name of a commit: the action and the titles of the rows in the store. A row that cannot be read is named by
    /// its id.
    func name(_ action: ListAction, _ ids: [UntypedID]) -> String {
        names.phrase(action, ids.count == 1 ? rowName(ids[0]) : names.rows(ids.count))
    }

    private func rowName(_ id: UntypedID) -> String {
        let store = source.editedStore
        guard let row = try? store.item(id),
            let item = try? source.coder.item(of: row, in: store.source)
        else { return id.description }
        return names.row(item)
    }
}
