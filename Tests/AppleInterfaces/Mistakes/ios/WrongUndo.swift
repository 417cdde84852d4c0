// expected error: does not override any
import Listory
import UIKit

/// A subclass of the undo manager that overrides a method that does not exist.
final class WrongUndo<Source: ListSource>: ListUndoManager<Source> {
    override func undoNewest() {}
}
