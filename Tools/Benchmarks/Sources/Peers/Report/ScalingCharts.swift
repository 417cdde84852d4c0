// The curves of figures over the number of rows.

import BenchSupport

/// Makes the plots.
struct ScalingCharts {
    let results: Results

    /// The files, each with its name.
    var files: [(name: String, svg: String)] {
        let stores = Contender.stores
        let panels = [
            panel("Bulk import", .rows, .seconds, stores), panel("Toggle, durable", .rows, .toggle, stores),
            panel("Insert, durable", .rows, .insert, stores), panel("Move, durable", .rows, .move, stores),
            panel("Undo of a move, durable", .rows, .undoMove, stores),
            panel("Open and read 50 rows", .open, .fromMain, [.listory, .lmdb, .sqliteFractional]),
            panel("Changeset of one edit", .oneEdit, .seconds, [.listory, .difference]),
            panel("Memory, all rows loaded", .memory, .memory, [.listory, .array], .bytes),
        ]
        return [("Benchmarks-scaling.svg", Plot(panels: panels, columnCount: 2).svg)]
    }

    private func panel(
        _ title: String, _ workload: Workload, _ quantity: Quantity, _ contenders: [Contender],
        _ unit: Plot.Unit = .seconds
    ) -> Plot.Panel {
        let series = contenders.map { contender in
            let points = results.sizes(workload, contender, quantity).map { size in
                (x: Double(size), y: results.median(workload, contender, size, quantity)!)
            }
            return Plot.Series(name: contender.title, points: points)
        }
        return Plot.Panel(
            title: title, xLabel: "rows", yLabel: unit == .bytes ? "bytes" : "time", yUnit: unit, series: series)
    }
}
