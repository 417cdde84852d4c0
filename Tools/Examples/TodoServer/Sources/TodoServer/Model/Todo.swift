// The item of the list, and the edits that a browser can ask for.
//
// Always holds: each edit is one commit of the browser that asked for it, with a name for its undo button; the answer is
// sent when the commit is on the disk.

import Foundation
import Listory

/// Something to do. Whether it is done is the checkmark of its row.
///
/// The example `TodoWindow` has the same item, so the window and the browsers can show one file at the same time.
struct Todo: Codable, Identifiable, Sendable {
    let id: UUID
    var title: String
}

typealias TodoStore = ListStore<String, Todo>
typealias TodoSnapshot = ListSnapshot<String, Todo>

/// There are as many rows as browsers may add.
struct ListIsFull: Error {}

extension ListError {
    /// Whether the content of a row cannot be read, now or later: another program wrote it, or it was erased or lost.
    var isOfUnreadableRow: Bool {
        switch self {
        case .failed(let cause): cause is ContentError
        case .erasedContent, .droppedVersion: true
        default: false
        }
    }
}

/// An edit that a browser asks for; the name of a case is the path of its request.
enum TodoEdit: Sendable {
    case insert(title: String)
    case toggle(UUID, isDone: Bool)
    case rename(UUID, title: String)
    case move(UUID, before: UUID?)
    case delete(UUID)
    case undo
    case redo
}

extension TodoStore where SectionID == String, Item == Todo {
    /// The section of new rows.
    private static var section: String { "todos" }
    /// The most rows that the browsers may add.
    static var maximumRowCount: Int { 10_000 }

    /// Opens the list of a file, which is made if there is none.
    static func openTodos(at path: String) throws -> TodoStore {
        var options = StoreOptions()
        options.undoScope = .origin
        let store = try TodoStore.open(at: path, createIfMissing: true, options: options)
        if try store.snapshot.section(section) == nil {
            // By nobody, because who makes the section undoes it too, and could not once others have rows in it.
            try store.edit("Begin", tracking: .untracked) { try $0.insertSection(section) }
        }
        return store
    }

    /// Makes an edit, durably, without blocking a thread of the server.
    ///
    /// - Parameters:
    ///   - edit: the edit.
    ///   - browser: who asks. It undoes only its own edits.
    /// - Returns: the id of a new row.
    func make(_ edit: TodoEdit, for browser: String) async throws -> UUID? {
        // An edit, an undo and a redo do not say that they could not be saved: waiting for their version does.
        func named(_ name: String, _ body: @escaping @Sendable (ListEdit<String, Todo>) throws -> Void) async throws {
            let version = try await self.edit(name, origin: browser, durability: .deferred) { list in
                try body(list)
                return try list.version
            }
            // An edit that changed nothing has made no version.
            do { try await durable(version) } catch ListError.unknownVersion {}
        }
        func reversing(_ body: @escaping @Sendable () throws -> Reversal) async throws {
            if let commit = try await waiting(body).commit { try await durable(commit.version) }
        }
        switch edit {
        case .insert(let title):
            let todo = Todo(id: UUID(), title: title)
            try await named("Add \(title)") { list in
                guard try list.itemCount < Self.maximumRowCount else { throw ListIsFull() }
                try list.insert(todo, at: .end(of: Self.section))
            }
            return todo.id
        case .toggle(let id, let isDone):
            try await named("\(isDone ? "Check" : "Uncheck") \(title(of: id))") { try $0.setChecked(isDone, for: id) }
        case .rename(let id, let title):
            try await named("Rename \(self.title(of: id)) to \(title)") { try $0.update(id) { $0.title = title } }
        case .move(let id, let other):
            try await named("Move \(title(of: id))") { list in
                guard let other else { return try list.move(id, to: .end(of: Self.section)) }
                if id != other { try list.move(id, to: .before(other)) }
            }
        case .delete(let id):
            try await named("Delete \(title(of: id))") { try $0.delete(id) }
        case .undo: try await reversing { try self.undo(origin: browser, durability: .deferred) }
        case .redo: try await reversing { try self.redo(origin: browser, durability: .deferred) }
        }
        return nil
    }

    /// The title of a row, for the name of a commit. A row that cannot be read is edited all the same.
    private func title(of id: UUID) -> String { (try? item(id))?.title ?? "a row" }
}
