// What a list takes in memory when all of it is there, beside an array of the same ids and references.
//
// Always holds: no checkpoint is in the file, so that no row can be left there; the contents of both stay in the file.

import BenchSupport
import ListModel
import Listory

/// All rows of a store are loaded, and then put into an array.
struct MemoryProbe: Codable {
    /// What the process took after the rows were loaded that it did not before.
    let listBytes: Int
    /// The same without what was freed meanwhile and can go back to the system.
    let trimmedListBytes: Int
    let arrayBytes: Int
    /// What an array of the library's own rows would take, which also have their checkmarks.
    let itemArrayBytes: Int
    let rowCount: Int

    /// What an array needs of a row.
    private struct Row {
        let id: Identifier
        let content: ContentReference
    }

    /// Takes the measurement.
    init(path: String) throws {
        guard let before = ProcessMemory.afterTrimming() else { throw WrongResult(what: "no /proc/self/status") }
        let store = try Store.open(at: path, options: StoredList.options(.never))
        let sink = Sink()
        let rows = try store.snapshot.sections[0].items
        for row in rows { sink.take(Int(row.content.length)) }
        guard let loaded = ProcessMemory.current(), let trimmed = ProcessMemory.afterTrimming() else {
            throw WrongResult(what: "memory of the list")
        }
        var array: [Row] = []
        array.reserveCapacity(rows.count)
        for row in rows { array.append(Row(id: row.id, content: row.content)) }
        guard let filled = ProcessMemory.current() else { throw WrongResult(what: "memory of the array") }
        for row in array { sink.take(Int(row.content.length)) }
        listBytes = loaded.privateBytes - before.privateBytes
        trimmedListBytes = trimmed.privateBytes - before.privateBytes
        arrayBytes = filled.privateBytes - trimmed.privateBytes
        itemArrayBytes = rows.count * MemoryLayout<ListItem>.stride
        rowCount = array.count
        try store.close()
    }
}
