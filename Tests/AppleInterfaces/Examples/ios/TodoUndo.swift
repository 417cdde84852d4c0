// A screen whose shakes and keys undo edits of the store, see the guide Undo: must pass the type check.

import Listory
import ListoryUI
import SwiftUI
import UIKit

final class TodoViewController: UIViewController {
    private let listUndo: ListUndoManager

    init(_ driver: ListDriver<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(driver)
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override var undoManager: UndoManager? { listUndo }

    // Shakes and keys go to the first responder, and from there up to the first one with an undo manager.
    override var canBecomeFirstResponder: Bool { true }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        becomeFirstResponder()
    }
}

/// The same for a list in SwiftUI. Its environment accepts no undo manager, so the hosting controller has one.
final class TodoHostingController: UIHostingController<OwnTodoList> {
    private let listUndo: ListUndoManager

    init(_ list: ObservableList<ListStore<String, Todo>>) {
        listUndo = ListUndoManager(list.driver)
        super.init(rootView: OwnTodoList(list: list))
    }

    required init?(coder: NSCoder) { nil }

    override var undoManager: UndoManager? { listUndo }
    override var canBecomeFirstResponder: Bool { true }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        becomeFirstResponder()
    }
}
