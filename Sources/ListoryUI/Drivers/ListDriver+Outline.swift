// Gestures with rows of an outline, as commits: "Collapse Groceries".
//
// Always holds: of several rows, only the topmost are moved or deleted themselves; rows below one of them go with it.

import ListModel
import Listory

extension ListDriver {
    /// Hides the rows below a row, or shows them if they are hidden, as a tap on its triangle does: "Collapse
    /// Groceries".
    ///
    /// - Parameter recursively: whether the same is done to all rows below it.
    /// - Returns: whether it was committed.
    @discardableResult
    public func toggleCollapsed(_ id: UntypedID, recursively: Bool = false) -> Bool {
        do {
            guard let item = try source.editedStore.item(id) else { throw ListError.unknownItem(id) }
            return setCollapsed(!item.isCollapsed, for: id, recursively: recursively)
        } catch {
            report(.collapse, name(.collapse, [id]), error)
            showResult()
            return false
        }
    }

    /// Hides or shows the rows below a row: "Expand Groceries".
    @discardableResult
    public func setCollapsed(_ isCollapsed: Bool, for id: UntypedID, recursively: Bool = false) -> Bool {
        let action = isCollapsed ? ListAction.collapse : .expand
        return commit(action, name(action, [id])) {
            try $0.setCollapsed(isCollapsed, for: id, recursively: recursively)
        }
    }

    /// Makes rows the children of the siblings before them, with all rows below them: "Indent Milk". A sibling that is
    /// collapsed is expanded, so that no row vanishes.
    @discardableResult
    public func indent(_ ids: [UntypedID]) -> Bool {
        commit(.indent, name(.indent, ids)) { editor in
            for id in try editor.topmost(ids) {
                try editor.indent(id)
                guard let path = editor.state.indexPath(of: id) else { continue }
                let outline = editor.state.outline(inSectionAt: path.section)
                guard let parent = outline.parent(of: path.item).map({ outline.items[$0] }) else { continue }
                if parent.isCollapsed { try editor.expand(parent.id) }
            }
        }
    }

    /// Makes rows the siblings of their parents, after all rows below those: "Outdent Milk".
    @discardableResult
    public func outdent(_ ids: [UntypedID]) -> Bool {
        commit(.outdent, name(.outdent, ids)) { editor in
            // From the last to the first, each directly after its parent, so that they keep their order.
            for id in try editor.topmost(ids).reversed() { try editor.outdent(id) }
        }
    }

    /// Makes rows the last children of another one, with all rows below them: "Move Milk". The view does not show it
    /// yet.
    @discardableResult
    public func move(_ ids: [UntypedID], into parent: UntypedID) -> Bool {
        commit(.move, name(.move, ids)) { editor in
            guard source.keepsOrder else { throw MoveRefused() }
            try editor.moveSubtrees(ids, to: .lastChild(of: parent))
        }
    }

    /// Inserts a row as the last child of another one: "Add Milk".
    @discardableResult
    public func insert(_ item: Source.Item, isChecked: Bool = false, into parent: UntypedID) -> Bool {
        commit(.insert, names.phrase(.insert, names.row(item))) { editor in
            let new = NewRow(id: item.id.untypedID, isChecked: isChecked, content: try source.coder.content(of: item))
            try editor.insert([new], in: .lastChild(of: parent))
        }
    }
}

// MARK: - What a data source answers

/// The triangle of a row of an outline.
public enum RowDisclosure: Hashable, Sendable {
    /// No triangle: there are no rows below it.
    case none
    /// There are rows below it, which are hidden.
    case collapsed
    /// There are rows below it, which are shown.
    case expanded
}

extension ListDriver {
    /// The triangle of the row at an index path of the shown rows.
    ///
    /// - Complexity: O(log n); for a collapsed row, O(n) while an edit is in progress; while the past is shown, O(n) for the first collapsed row
    ///   of a version.
    public func disclosure(at path: ListIndexPath) -> RowDisclosure { disclosure(at: path, in: player.shown) }

    /// The triangle of the row at an index path of some rows.
    func disclosure(at path: ListIndexPath, in rows: UntypedSnapshot) -> RowDisclosure {
        guard let row = rows.item(at: path) else { return .none }
        if rows.sections[path.section].outline.hasChildren(path.item) {
            return row.isCollapsed ? .collapsed : .expanded
        }
        // Hidden rows are only in the store.
        guard row.isCollapsed else { return .none }
        if let previewed { return isParent(row.id, inPreviewOf: previewed) ? .collapsed : .none }
        guard let stored = try? source.editedStore.snapshot, let path = try? self.path(of: row.id, in: stored)
        else { return .none }
        return stored.sections[path.section].outline.hasChildren(path.item) ? .collapsed : .none
    }

    /// Where a row is in rows of the store that were the newest just now.
    func path(of id: UntypedID, in stored: UntypedSnapshot) throws -> ListIndexPath? {
        // There may be other rows at that path by now.
        let known = try source.editedStore.indexPath(of: id).flatMap { stored.item(at: $0)?.id == id ? $0 : nil }
        return known ?? stored.indexPath(of: id)
    }

    /// Whether rows stand below a collapsed row at the previewed version of the store.
    private func isParent(_ id: UntypedID, inPreviewOf version: Version) -> Bool {
        if let collapsedParents { return collapsedParents.contains(id) }
        // Without an error: the triangle is missing then.
        let rows = try? source.editedStore.snapshot(at: version)
        let ids = (rows?.sections.map(\.outline) ?? []).flatMap { outline in
            outline.items.indices.filter { outline.items[$0].isCollapsed && outline.hasChildren($0) }
                .map { outline.items[$0].id }
        }
        collapsedParents = Set(ids)
        return ids.contains(id)
    }

    /// Whether the row at an index path may become a child of the sibling before it.
    public func canIndent(at path: ListIndexPath) -> Bool {
        canMove(at: path) && player.shown.sections[path.section].outline.previousSibling(of: path.item) != nil
    }

    /// Whether the row at an index path may become a sibling of its parent.
    public func canOutdent(at path: ListIndexPath) -> Bool {
        canMove(at: path) && player.shown.sections[path.section].outline.parent(of: path.item) != nil
    }

    /// Whether rows may become children of another one. It costs O(dragged rows · level · log n).
    ///
    /// - Parameters:
    ///   - rows: the dragged rows.
    ///   - path: the place of the other one in the shown rows.
    public func canMove(_ rows: [ListRow<Source.Item>], into path: ListIndexPath) -> Bool {
        guard isOutline, canMove(rows, toGap: path) else { return false }
        let outline = player.shown.sections[path.section].outline
        guard outline.items.indices.contains(path.item) else { return false }
        let moved = Set(rows.map(\.core.id))
        return !sequence(first: path.item, next: outline.parent).contains { moved.contains(outline.items[$0].id) }
    }
}

// MARK: - Edits

extension UntypedEditor {
    /// The rows that are not below another of them, in their order.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k log n).
    fileprivate mutating func topmost(_ ids: [UntypedID]) throws -> [UntypedID] {
        var paths: [ListIndexPath] = []
        for id in Set(ids) {
            guard let path = state.indexPath(of: id) else { throw ListError.unknownItem(id) }
            paths.append(path)
        }
        var result: [UntypedID] = []
        var end = ListIndexPath(section: 0, item: 0)
        for path in paths.sorted() where path >= end {
            let outline = state.outline(inSectionAt: path.section)
            end = ListIndexPath(section: path.section, item: outline.subtree(of: path.item).upperBound)
            result.append(outline.items[path.item].id)
        }
        return result
    }

    /// Moves rows with all rows below them, one after another, to a place.
    mutating func moveSubtrees(_ ids: [UntypedID], to destination: OutlineDestination) throws {
        var destination = destination
        for id in try topmost(ids) {
            try moveSubtree(id, to: destination)
            destination = .after(id)
        }
    }
}
