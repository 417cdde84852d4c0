// A window whose Edit menu undoes edits of the store, see Docs/Guides/Undo.md: must pass the type check.

import AppKit
import Listory
import SwiftUI

final class TodoWindowDelegate: NSObject, NSWindowDelegate {
    private let listUndo: ListUndoManager<ListStore<String, Todo>>

    init(_ driver: ListDriver<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(driver)
        super.init()
    }

    func windowWillReturnUndoManager(_ window: NSWindow) -> UndoManager? { listUndo }
}

/// The Edit menu of an app in SwiftUI. Its environment accepts no undo manager, so the commands are replaced.
struct TodoCommands: Commands {
    let list: ObservableList<ListStore<String, Todo>>

    var body: some Commands {
        CommandGroup(replacing: .undoRedo) {
            Button(list.undoName.map { "Undo \($0)" } ?? "Undo") { list.undo() }
                .keyboardShortcut("z")
                .disabled(list.undoName == nil)
            Button(list.redoName.map { "Redo \($0)" } ?? "Redo") { list.redo() }
                .keyboardShortcut("z", modifiers: [.command, .shift])
                .disabled(list.redoName == nil)
        }
    }
}
