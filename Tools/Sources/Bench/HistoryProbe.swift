// What an open store takes in memory, with its history: in a fresh process, after a step was undone and redone.
//
// Always holds: the store that is opened is as long afterwards, but for the two commits.

import BenchSupport
import ListModel
import Listory

/// A store is opened, and a step is undone and redone.
struct HistoryProbe: Codable {
    /// The memory of the process alone that the store and its history take.
    let bytes: Int

    /// Takes the measurement.
    init(path: String) throws {
        guard let before = ProcessMemory.afterTrimming() else { throw WrongResult(what: "no /proc/self/status") }
        let store = try Store.open(at: path, options: LoggedStore.options)
        try store.undo()
        try store.redo()
        guard try store.undoState().undoCount > 1, let after = ProcessMemory.afterTrimming() else {
            throw WrongResult(what: "steps to undo")
        }
        bytes = after.privateBytes - before.privateBytes
        try store.close()
    }
}
