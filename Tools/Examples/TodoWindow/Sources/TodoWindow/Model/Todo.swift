// The item of the list, and its edits with their names.
//
// Always holds: each edit is one commit, with a name for a menu; it is deferred, so the window never waits for the
// disk.

import Foundation
import ListModel
import Listory

/// Something to do. Whether it is done is the checkmark of its row.
public struct Todo: Codable, Identifiable, Hashable, Sendable {
    public let id: UUID
    public var title: String

    public init(id: UUID = UUID(), title: String) {
        self.id = id
        self.title = title
    }
}

/// The rows of a list of to-dos.
public typealias TodoSnapshot = ListSnapshot<String, Todo>

/// The edits of a list of to-dos, for any thread.
public struct TodoEdits: Sendable {
    /// The destination of a move.
    public enum Place: Hashable, Sendable {
        case before(UUID)
        case after(UUID)
    }

    /// The only section; it appears with the first row.
    static let section = "todos"

    public let store: ListStore<String, Todo>
    /// The origin of the commits.
    let origin: String

    public init(_ store: ListStore<String, Todo>, origin: String = "window") {
        self.store = store
        self.origin = origin
    }

    /// Adds a row at the end.
    ///
    /// - Returns: its id.
    @discardableResult
    public func add(_ title: String) throws -> UUID {
        let todo = Todo(title: title)
        try edit("Add \(title)") { list in
            do { try list.insert(todo, at: .end(of: Self.section)) } catch ListError.unknownSection {
                try list.insertSection(Self.section, items: [todo])
            }
        }
        return todo.id
    }

    /// Sets or clears the checkmark.
    public func setChecked(_ isChecked: Bool, for id: UUID) throws {
        try edit("\(isChecked ? "Check" : "Uncheck") \(title(of: id))") { try $0.setChecked(isChecked, for: .item(id)) }
    }

    /// Gives a row another title.
    public func rename(_ id: UUID, to title: String) throws {
        try edit("Rename \(self.title(of: id)) to \(title)") { try $0.update(Todo(id: id, title: title)) }
    }

    /// Moves a row beside another one; beside itself, it stays.
    public func move(_ id: UUID, to place: Place) throws {
        try edit("Move \(title(of: id))") { list in
            switch place {
            case .before(id), .after(id): break
            case .before(let other): try list.move(id, to: .before(other))
            case .after(let other): try list.move(id, to: .after(other))
            }
        }
    }

    /// Deletes a row.
    public func delete(_ id: UUID) throws {
        try edit("Delete \(title(of: id))") { try $0.delete(id) }
    }

    /// Undoes the newest step that was not undone yet.
    public func undo() throws { try store.undo(origin: origin, durability: .deferred) }

    /// Redoes the next step.
    public func redo() throws { try store.redo(origin: origin, durability: .deferred) }

    private func edit(_ name: String, _ body: (ListEdit<String, Todo>) throws -> Void) throws {
        try store.edit(name, origin: origin, durability: .deferred, body)
    }

    /// The title of a row, for the name of a commit.
    private func title(of id: UUID) throws -> String { try store.item(id)?.title ?? "a row" }
}

extension TodoEdits {
    /// The next undo and redo, for the buttons.
    public var undoState: UndoState {
        get throws { try store.core.undoState(origin: origin) }
    }
}
