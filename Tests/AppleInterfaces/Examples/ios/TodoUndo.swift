// A screen whose shake and keys undo what the store holds, as Docs/Design/History.md has it: must pass the type check.

import Listory
import UIKit

final class TodoViewController: UIViewController {
    private let listUndo: ListUndoManager<ListStore<String, Todo>>

    init(_ driver: ListDriver<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(driver)
        super.init()
    }

    override var undoManager: UndoManager? { listUndo }
}
