// Measures the memory of all rows of a list, and of an array of them.
//
// Always holds: the file has no checkpoint, so all rows are in memory; the contents of both stay in the file.

import ListModel
import Listory
import ProbeSupport

extension MemoryResult {
    /// The part of a row in the array.
    private struct Row {
        let id: UntypedID
        let content: ContentReference
    }

    /// Loads the rows of the store at a path.
    init(measuring path: String) throws {
        guard let before = ProcessMemory.afterTrimming() else { throw WrongResult(what: "no /proc/self/status") }
        var options = StoreOptions()
        // The next process must not find a checkpoint.
        options.checkpoints = .never
        let store = try UntypedStore.open(at: path, options: options)
        let rows = try store.snapshot.sections[0].items
        var contentBytes = 0
        for row in rows { contentBytes += Int(row.content.length) }
        guard let loaded = ProcessMemory.current(), let trimmed = ProcessMemory.afterTrimming() else {
            throw WrongResult(what: "memory of the list")
        }
        var array: [Row] = []
        array.reserveCapacity(rows.count)
        for row in rows { array.append(Row(id: row.id, content: row.content)) }
        guard let filled = ProcessMemory.current() else { throw WrongResult(what: "memory of the array") }
        // Both are used here, so that the compiler cannot release them before the measurement.
        guard array.reduce(0, { $0 + Int($1.content.length) }) == contentBytes else {
            throw WrongResult(what: "rows of the array")
        }
        try store.close()
        self.init(
            listBytes: loaded.privateBytes - before.privateBytes,
            trimmedListBytes: trimmed.privateBytes - before.privateBytes,
            arrayBytes: filled.privateBytes - trimmed.privateBytes,
            itemArrayBytes: rows.count * MemoryLayout<UntypedRow>.stride, rowCount: array.count)
    }
}
