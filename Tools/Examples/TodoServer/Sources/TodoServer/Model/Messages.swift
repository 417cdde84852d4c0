// What a browser is told: all rows, or what changed since the rows that it has.
//
// Always holds: a change leads from the rows of one version to the rows of a later one. Positions count the rows of all
// sections: deletions and sources of moves in the old rows, everything else in the new ones. So the page removes the
// former from the last to the first, and then adds the others from the first to the last.

import Foundation
import Listory

/// A row as the page shows it.
struct ShownRow: Encodable {
    let id: UUID
    let title: String
    let isDone: Bool

    init(_ row: ListRow<Todo>) throws {
        (id, isDone) = (row.id, row.isChecked)
        switch row.content {
        case .success(let todo): title = todo.title
        // One such row must not hide all the others.
        case .failure(let error) where error.isOfUnreadableRow: title = "This row cannot be read"
        case .failure(let error): throw error
        }
    }
}

/// What the buttons of a browser say: the names of its own next undo and redo.
struct ShownUndo: Encodable {
    let undo: String?
    let redo: String?

    init(_ state: UndoState) { (undo, redo) = (state.undo?.name, state.redo?.name) }
}

/// The rows of a version, for a browser that has none, or rows that the store does not know.
struct RowsMessage: Encodable {
    let rows: [ShownRow]
    let buttons: ShownUndo

    init(_ snapshot: TodoSnapshot, _ buttons: ShownUndo) throws {
        rows = try snapshot.rows.map { try ShownRow($0) }
        self.buttons = buttons
    }
}

/// What changed from one version to a later one.
struct ChangesMessage: Encodable {
    /// A row that is new or has changed, and where it is in the new rows.
    struct Placed: Encodable {
        let at: Int
        let row: ShownRow
    }

    /// A row that is in the old and the new rows, elsewhere.
    struct Moved: Encodable {
        let from: Int
        let to: Int
    }

    let deletes: [Int]
    let inserts: [Placed]
    let moves: [Moved]
    let updates: [Placed]
    /// The name of the commit; of several, of the last one.
    let name: String?
    /// Whether the browser itself made the commit.
    let isOwn: Bool
    let buttons: ShownUndo

    /// - Returns: nil if sections have moved, which positions that count all rows cannot tell.
    init?(from old: TodoSnapshot, to new: TodoSnapshot, by cause: Commit?, _ browser: String, _ buttons: ShownUndo)
        throws
    {
        let changes = new.changeset(from: old)
        guard changes.sections.moved.isEmpty else { return nil }
        let (before, after) = (Positions(of: old), Positions(of: new))
        func placed(_ path: ListIndexPath) throws -> Placed? {
            try new.row(at: path).map { Placed(at: after[path], row: try ShownRow($0)) }
        }
        deletes = changes.items.deleted.map { before[$0] }
        inserts = try changes.items.inserted.compactMap(placed)
        moves = changes.items.moved.map { Moved(from: before[$0.from], to: after[$0.to]) }
        updates = try changes.items.updated.compactMap(placed)
        name = cause?.name
        isOwn = cause?.origin == browser
        self.buttons = buttons
    }

    /// Converts index paths to positions among the rows of all sections.
    private struct Positions {
        private var starts: [Int] = []

        init(of snapshot: TodoSnapshot) {
            var count = 0
            for section in snapshot.sections {
                starts.append(count)
                count += section.rows.count
            }
        }

        subscript(path: ListIndexPath) -> Int { starts[path.section] + path.item }
    }
}

/// Names the rows of a version, so that a browser that connects again can say which it has.
///
/// The number of the version alone is not enough: the file may have been replaced, or the commit have been lost with its
/// power before it was durable, and another one have got its number. The hash of the rows tells.
struct RowsID: Equatable {
    let version: Version
    let hash: String

    init(_ snapshot: TodoSnapshot) { (version, hash) = (snapshot.version, "\(snapshot.stateHash)") }

    /// - Returns: nil if the text names no rows.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]), parts[1].count == 16 else { return nil }
        (version, hash) = (Version(number), String(parts[1]))
    }

    var text: String { "\(version)-\(hash)" }
}
