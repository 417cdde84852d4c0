// Undo and redo as gestures; and groups, which make one step of several gestures.

import ListModel
import Listory

extension ListDriver {
    /// Undoes the newest step that is not undone yet.
    ///
    /// - Returns: whether it was committed. If not, the failure was reported: there was nothing to undo, or the rows
    ///   were changed since.
    @discardableResult
    public func undo() -> Bool {
        move(.undo, undoName) {
            try source.editedStore.undo(origin: origin, onConflict: onConflict, durability: durability).commit
        }
    }

    /// Redoes the next step on the current branch.
    @discardableResult
    public func redo() -> Bool {
        move(.redo, redoName) {
            try source.editedStore.redo(origin: origin, onConflict: onConflict, durability: durability).commit
        }
    }

    /// Takes one commit back, of any origin and at any place in the history: "Revert Move Milk". It can itself be
    /// undone.
    @discardableResult
    public func revert(_ version: Version) -> Bool {
        let store = source.editedStore
        let name = names.phrase(.revert, (try? store.commitInfo(version).name) ?? version.description)
        return move(.revert, name: name) {
            try store.revert(version, name: name, origin: origin, onConflict: onConflict, durability: durability).commit
        }
    }

    /// The name of the step that undo reverts, for a menu: "Delete Milk"; nil if there is none.
    public var undoName: String? { undoState.undo?.name }

    /// The name of the step that redo repeats, for a menu; nil if there is none.
    public var redoName: String? { undoState.redo?.name }

    /// The next undo and redo; empty if they cannot be read. ``UndoDriver`` also reports changes.
    public var undoState: UndoState { (try? source.editedStore.undoState(origin: origin)) ?? .nothing }

    private func move(_ action: ListAction, _ step: String?, _ body: () throws -> Commit?) -> Bool {
        move(action, name: step.map { names.phrase(action, $0) } ?? action.rawValue, body)
    }

    func move(_ action: ListAction, name: String, _ body: () throws -> Commit?) -> Bool {
        let isDone = attempt(action, name, body)
        showResult()
        return isDone
    }
}

// MARK: - Steps

extension ListDriver {
    /// Call this when the selection moved or a field lost the focus: typing then begins a new step.
    ///
    /// Does nothing while the view receives newer rows, because no user changed the selection then.
    public func selectionDidChange() {
        if !player.isChangingView { try? source.editedStore.breakUndoCoalescing() }
    }

    /// Makes one step of all gestures that `body` makes, so that one undo reverts them. Groups nest.
    ///
    /// - Parameter name: the name of their commits; nil to keep their own names.
    @discardableResult
    public func group<Result>(_ name: String? = nil, _ body: () throws -> Result) throws -> Result {
        try source.editedStore.group(name, origin: origin, body)
    }
}
