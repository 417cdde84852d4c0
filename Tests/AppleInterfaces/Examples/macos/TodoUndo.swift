// A window whose Edit menu undoes what the store holds, as Docs/Design/History.md has it: must pass the type check.

import AppKit
import Listory

final class TodoWindowDelegate: NSObject, NSWindowDelegate {
    private let listUndo: ListUndoManager<ListStore<String, Todo>>

    init(_ driver: ListDriver<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(driver)
        super.init()
    }

    func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager? { listUndo }
}
