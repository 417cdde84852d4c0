// expected error: does not override any
import Listory
import ListoryUI
import UIKit

/// A subclass of the undo manager that overrides a method that does not exist.
final class WrongUndo: ListUndoManager {
    override func undoNewest() {}
}
