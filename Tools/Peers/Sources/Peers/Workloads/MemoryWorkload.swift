// What a list takes in memory when all of its rows were looked at, beside an array of the same rows.
//
// Always holds: the rows of both are ids, checkmarks and references to the contents, not the contents.

import BenchSupport
import ListModel
import ProbeSupport

/// Loads all rows.
struct MemoryWorkload {
    let order: MeasureOrder

    func measure(_ sink: Sink) throws -> Values {
        // Without /proc there is nothing to say.
        guard let before = ProcessMemory.afterTrimming() else { return [:] }
        let store = try ListoryRows(path: order.path)
        let rows = try store.rows
        for row in rows { sink.take(Int(row.content.length)) }
        guard rows.count == order.size, let loaded = ProcessMemory.current() else {
            throw WrongResult(what: "rows to load")
        }
        var values: Values = [:]
        if order.contender == .array {
            guard let start = ProcessMemory.afterTrimming() else { throw WrongResult(what: "memory") }
            var array: [ListItem] = []
            array.reserveCapacity(order.size)
            for row in rows { array.append(row) }
            guard let after = ProcessMemory.current() else { throw WrongResult(what: "memory") }
            sink.take(array.count)
            values[.memory] = Double(after.privateBytes - start.privateBytes)
        } else {
            values[.memory] = Double(loaded.privateBytes - before.privateBytes)
            values[.mapped] = Double(loaded.mappedBytes - before.mappedBytes)
        }
        try store.close()
        return values
    }
}
