// Imports rows in batches, and then edits them one at a time, all durable.
//
// Always holds: all stores get the same rows in the same batches and the same edits in the same order; between the
// import and the edits the store is closed and opened again, and everybody makes an edit of each kind that does not
// count; undoing all moves restores the order.

import BenchSupport
import ProbeSupport
import TestSupport

/// Imports and edits.
struct RowsWorkload {
    let order: MeasureOrder

    /// How many rows a transaction imports.
    static let batch = 10_000
    /// The most seconds for edits of one kind.
    private static let longest = 2.0

    func measure() throws -> Values {
        var values = try imported()
        let store = try order.contender.open(path: order.path)
        var plan = Plan(rowCount: order.size)
        try warmUp(store, &plan)
        let toggles = try times { try store.edit(plan.toggle()) }
        note(toggles, .toggle, .toggleSlow, &values)
        note(try times(atMost: toggles.count) { try store.undo() }, .undo, nil, &values)
        note(try times { try store.edit(plan.insert()) }, .insert, .insertSlow, &values)
        let before = try store.readFirst(order.size).ids
        let moves = try times { try store.edit(plan.move()) }
        note(moves, .move, .moveSlow, &values)
        let undos = try times(atMost: moves.count) { try store.undo() }
        note(undos, .undoMove, nil, &values)
        // If there was not enough time to undo all moves, the order cannot be checked.
        guard try undos.count != moves.count || store.readFirst(order.size).ids == before else {
            throw WrongResult(what: "order of the rows after the undos")
        }
        try store.close()
        return values
    }

    /// Makes and undoes an edit of each kind, as far as the store can, so that statements are prepared.
    private func warmUp(_ store: any RowStore, _ plan: inout Plan) throws {
        for edit in [plan.toggle(), plan.insert(), plan.move()] {
            do {
                try store.edit(edit)
                try store.undo()
            } catch is NotSupported {}
        }
    }

    /// Only makes the list.
    func build() throws { _ = try imported() }

    private func imported() throws -> Values {
        let before = ProcessMemory.current()
        let store = try order.contender.open(path: order.path)
        var total = 0.0
        for start in stride(from: 0, to: order.size, by: RowsWorkload.batch) {
            total += try RowsWorkload.append(start..<min(start + RowsWorkload.batch, order.size), to: store)
        }
        let after = ProcessMemory.current()
        try store.close()
        var values: Values = [.seconds: total, .disk: try bytesOnDisk(order.path)]
        if let before, let after {
            values[.peak] = Double(after.peakBytes - before.privateBytes - before.mappedBytes)
        }
        return values
    }

    private static func append(_ ids: Range<Int>, to store: some RowStore) throws -> Double {
        let batch = store.prepare(ids)
        return try seconds { try store.append(batch) }
    }

    /// The seconds of each call; empty if the store does not have the function.
    private func times(atMost limit: Int = .max, _ body: () throws -> Void) throws -> [Double] {
        var times: [Double] = []
        var total = 0.0
        do {
            while times.count < min(limit, order.count) && (total < RowsWorkload.longest || times.count < 2) {
                times.append(try seconds(body))
                total += times.last!
            }
        } catch is NotSupported { return [] }
        return times
    }

    private func note(_ times: [Double], _ mean: Quantity, _ slow: Quantity?, _ values: inout Values) {
        guard !times.isEmpty else { return }
        values[mean] = times.reduce(0, +) / Double(times.count)
        if let slow { values[slow] = Statistics.percentile(0.99, of: times) }
    }

    /// Edits at random rows, the same in every process.
    private struct Plan {
        let rowCount: Int
        private var generator = SeededGenerator(seed: 7)
        private var fresh: Int64

        init(rowCount: Int) {
            self.rowCount = rowCount
            fresh = Int64(rowCount)
        }

        mutating func toggle() -> RowEdit { .toggle(row()) }

        mutating func insert() -> RowEdit {
            fresh += 1
            return .insert(fresh - 1, before: row())
        }

        mutating func move() -> RowEdit {
            let moved = row()
            var next = row()
            while next == moved { next = row() }
            return .move(moved, before: next)
        }

        private mutating func row() -> Int64 { Int64(generator.below(rowCount)) }
    }
}
