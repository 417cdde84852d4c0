// Measures opening a list with a long log, and an undo and a redo.
//
// Always holds: the store has only two more commits afterwards.

import Listory
import ProbeSupport

extension HistoryResult {
    /// Undoes and redoes a step of the store at a path.
    init(measuring path: String) throws {
        guard let before = ProcessMemory.afterTrimming() else { throw WrongResult(what: "no /proc/self/status") }
        var options = StoreOptions()
        options.durability = .deferred
        // As when the log was written: one commit is a step.
        options.coalescing = .never
        let store = try UntypedStore.open(at: path, options: options)
        try store.undo()
        try store.redo()
        guard try store.undoState().undoCount > 1, let after = ProcessMemory.afterTrimming() else {
            throw WrongResult(what: "steps to undo")
        }
        try store.close()
        self.init(bytes: after.privateBytes - before.privateBytes)
    }
}
