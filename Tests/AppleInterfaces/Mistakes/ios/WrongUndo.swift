// expected error: does not override any
import Listory
import UIKit

/// An undo manager of one's own that overrides what there is not.
final class WrongUndo<Source: ListSource>: ListUndoManager<Source> {
    override func undoNewest() {}
}
