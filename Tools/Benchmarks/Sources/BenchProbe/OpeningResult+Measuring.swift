// Measures opening a long list, up to the first screen and the first edit.
//
// Always holds: the file is in the system's cache, because the process that wrote it did so just before.

import ListModel
import Listory
import ProbeSupport

extension OpeningResult {
    /// How many rows a screen shows.
    private static let screen = 50

    /// Opens the store at a path, reads the first rows, and toggles the row of an id.
    ///
    /// - Parameter start: the time when this process began.
    init(measuring path: String, toggling id: UntypedID, since start: Double) throws {
        let store = try UntypedStore.open(at: path)
        var byteCount = 0
        for row in try store.snapshot.sections[0].items.prefix(OpeningResult.screen) {
            byteCount += try store.source.withContent(of: row.content) { $0.count }
        }
        let readyAt = MonotonicClock.now
        try store.edit("Check", durability: .deferred) { try $0.toggle(.item(id)) }
        let firstEdit = MonotonicClock.now - readyAt
        let memory = ProcessMemory.current()
        guard byteCount > OpeningResult.screen else { throw WrongResult(what: "the first rows") }
        try store.close()
        self.init(
            firstRows: readyAt - start, readyAt: readyAt, firstEdit: firstEdit,
            residentBytes: memory.map { $0.privateBytes + $0.mappedBytes })
    }
}
