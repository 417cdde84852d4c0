// Measures the memory of a list after reading all its rows, compared with an array of the same rows.
//
// Always holds: the rows of both are ids, checkmarks and references to the contents, not the contents.

import BenchSupport
import ListModel
import ProbeSupport

/// Loads all rows.
struct MemoryWorkload {
    let order: MeasureOrder

    func measure(_ sink: Sink) throws -> Values {
        // Without /proc, memory cannot be measured.
        guard ProcessMemory.current() != nil else { return [:] }
        if order.contender == .array { return [.memory: try arrayBytes(sink)] }
        let cached = try walk(memoryBudget: nil, sink)
        // Large enough that nothing is evicted.
        let loaded = try walk(memoryBudget: 1 << 40, sink)
        return [.memory: loaded.own, .cached: cached.own, .mapped: loaded.mapped]
    }

    /// Reads all rows of the store.
    ///
    /// - Returns: by how much the private memory and the mapped files of the process have grown.
    private func walk(memoryBudget: Int?, _ sink: Sink) throws -> (own: Double, mapped: Double) {
        let before = try MemoryWorkload.trimmed()
        let store = try ListoryRows(path: order.path, memoryBudget: memoryBudget)
        let rows = try store.rows
        for row in rows { sink.take(Int(row.content.length)) }
        guard rows.count == order.size, let after = ProcessMemory.current() else {
            throw WrongResult(what: "rows to load")
        }
        try store.close()
        return (Double(after.privateBytes - before.privateBytes), Double(after.mappedBytes - before.mappedBytes))
    }

    private func arrayBytes(_ sink: Sink) throws -> Double {
        let store = try ListoryRows(path: order.path)
        let rows = try store.rows
        for row in rows { sink.take(Int(row.content.length)) }
        let before = try MemoryWorkload.trimmed()
        var array: [UntypedRow] = []
        array.reserveCapacity(order.size)
        for row in rows { array.append(row) }
        guard let after = ProcessMemory.current() else { throw WrongResult(what: "memory") }
        sink.take(array.count)
        try store.close()
        return Double(after.privateBytes - before.privateBytes)
    }

    private static func trimmed() throws -> ProcessMemory {
        guard let memory = ProcessMemory.afterTrimming() else { throw WrongResult(what: "memory") }
        return memory
    }
}
