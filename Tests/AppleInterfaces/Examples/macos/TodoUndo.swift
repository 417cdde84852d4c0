// A window whose Edit menu undoes edits of the store, see the guide Undo: must pass the type check.

import AppKit
import Listory
import ListoryUI
import SwiftUI

final class TodoWindowDelegate: NSObject, NSWindowDelegate {
    private let listUndo: ListUndoManager

    init(_ driver: ListDriver<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(driver)
        super.init()
    }

    func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager? { listUndo }
}

/// A list in SwiftUI; the menus find its undo manager.
struct TodoWindow: View {
    @ObservedList<String, Todo> var todos: ObservedList<String, Todo>.Rows

    var body: some View {
        ListTable(todos) { row in Text(row.item?.title ?? "?") }
    }
}
