// Measures a store that packs its past while it is edited, beside one that does not: a list of 200 rows with many edits.
//
// Always holds: both make the same edits, and are closed and opened again before they are read.

import BenchSupport
import ListModel
import Listory
import TestSupport

/// Measures packing while a store is open.
struct PackingBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    private static let rowCount = 200

    private var editCount: Int { scale.storedRowCount == 1_000_000 ? 50_000 : 10_000 }

    /// The samples of one figure, of both stores.
    private struct Samples {
        var packed: [Double] = []
        var unpacked: [Double] = []
    }

    /// A figure: its name, its unit, and how it is taken from a run.
    private static let figures: [(name: String, unit: String, value: @Sendable (Run) -> Double)] = [
        ("packing/file", "bytes/edit", { $0.bytesPerEdit }),
        ("packing/edit", "µs", { $0.edit }),
        ("packing/edit/worst", "ms", { $0.worstEdit }),
        ("packing/snapshot-at", "ms", { $0.snapshot }),
        ("packing/history", "ms", { $0.history }),
    ]

    func run() throws {
        guard Self.figures.contains(where: { runner.wants($0.name) }) else { return }
        var samples = Self.figures.map { _ in Samples() }
        try runner.repeatedly { counts in
            let packed = try measure(unpackedCount: StoreOptions().unpackedCount)
            let unpacked = try measure(unpackedCount: .max)
            guard counts else { return }
            for (index, figure) in Self.figures.enumerated() {
                samples[index].packed.append(figure.value(packed))
                samples[index].unpacked.append(figure.value(unpacked))
            }
        }
        for (figure, samples) in zip(Self.figures, samples) {
            let peer = Figure.Peer(name: "without packing", samples: samples.unpacked, ratioKind: .cost)
            runner.add(
                Figure(
                    name: figure.name, unit: figure.unit, samples: samples.packed, peer: peer, target: nil,
                    note: "\(Self.rowCount) rows, \(NumberText.count(editCount)) edits, a commit each"))
        }
    }

    /// What is measured of one store.
    private struct Run {
        var bytesPerEdit = 0.0
        /// The mean, in microseconds, and the longest, in milliseconds.
        var edit = 0.0
        var worstEdit = 0.0
        /// The median of random versions, in milliseconds.
        var snapshot = 0.0
        /// The history of a row that a two hundredth of the edits has changed, in milliseconds.
        var history = 0.0
    }

    private func measure(unpackedCount: Int) throws -> Run {
        var options = StoreOptions()
        options.durability = .deferred
        options.coalescing = .never
        options.unpackedCount = unpackedCount
        var run = Run()
        try files.withNewFile { path in
            let store = try UntypedStore.create(at: path, options: options)
            try store.edit("Begin") { list in
                let rows = (0..<Self.rowCount).map { NewRow($0) }
                try list.insertSection(NewSection(id: "list", title: "List", items: rows))
            }
            var generator = SeededGenerator(seed: 11)
            var total = 0.0
            for number in 0..<editCount {
                let time = try seconds { try edit(store, number, &generator) }
                total += time
                run.worstEdit = max(run.worstEdit, time * 1e3)
            }
            run.edit = total / Double(editCount) * 1e6
            try store.close()
            try read(path, options, &generator, &run)
        }
        return run
    }

    private func read(
        _ path: String, _ options: StoreOptions, _ generator: inout SeededGenerator, _ run: inout Run
    ) throws {
        let store = try UntypedStore.open(at: path, options: options)
        run.bytesPerEdit = Double(try store.statistics().fileBytes) / Double(editCount)
        let newest = Int(try store.version.rawValue)
        let times = try (0..<100).map { _ in
            let version = Version(UInt64(generator.below(newest) + 1))
            return try seconds { runner.sink.take(try store.snapshot(at: version).itemCount) }
        }
        run.snapshot = Statistics.median(times) * 1e3
        run.history = try seconds { runner.sink.take(try store.history(ofRow: 7).count) } * 1e3
        try store.close()
    }

    /// A toggle, an update, a move, or a row that goes and comes back at another place, in turn.
    private func edit(_ store: UntypedStore, _ number: Int, _ generator: inout SeededGenerator) throws {
        let row = UntypedID.integer(Int64(generator.below(Self.rowCount)))
        let place = generator.below(Self.rowCount)
        try store.edit("Edit") { list in
            switch number % 4 {
            case 0: try list.toggle(.item(row))
            case 1: try list.update(row, content: Array("row \(place)".utf8))
            case 2: try list.move(.item(row), to: .section("list", at: place))
            default:
                try list.delete(.item(row))
                try list.insert(NewRow(id: row, content: Array("again".utf8)), at: .section("list", at: place))
            }
        }
    }
}
