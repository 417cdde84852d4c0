// Measures the past of a long list in a file: snapshots of any version, and changesets between two.
//
// Always holds: each sample opens the store again, and reads other versions than the one before.

import BenchSupport
import ListModel
import Listory
import TestSupport

/// Measures snapshots and changesets of the past.
struct StoredPastBenchmarks {
    let runner: Runner
    let scale: Scale
    let list: Lazy<StoredList>

    func run() throws {
        try runSnapshots()
        try runNeighbours()
        try runDistant()
        try runCheckpoints()
    }

    private func target(_ target: Target) -> Target? { Scale.isTargetSize(scale.storedRowCount) ? target : nil }

    /// Measures snapshots of random versions, one after another.
    private func runSnapshots() throws {
        let names = (median: "stored/snapshot-at/median", worst: "stored/snapshot-at/worst")
        guard runner.wants(names.median) || runner.wants(names.worst) else { return }
        var medians: [Double] = []
        var worsts: [Double] = []
        var generator = SeededGenerator(seed: 3)
        try runner.repeatedly { counts in
            let times = try list.value.withStore { store in
                let head = Int(try store.version.rawValue)
                return try (0..<scale.storedVersionCount).map { _ in
                    let version = Version(UInt64(generator.below(head) + 1))
                    return try seconds { runner.sink.take(try store.snapshot(at: version).itemCount) }
                }
            }
            guard counts else { return }
            medians.append(Statistics.median(times) * 1e3)
            worsts.append(times.max()! * 1e3)
        }
        let note = "\(scale.storedVersionCount) random versions a run"
        add(names.median, "ms", medians, .median(atMost: 5), note: note)
        add(names.worst, "ms", worsts, .median(atMost: 25))
    }

    /// Measures the changeset that a view needs after each edit.
    private func runNeighbours() throws {
        try runner.measure(
            "stored/changeset/1-edit", unit: "µs", target: target(.median(atMost: 20)),
            note: { "a sample is the mean after 100 random edits" }
        ) {
            let edits = try list.value.plan(100)
            return try list.value.withStore { store in
                var shown = try store.snapshot
                var time = 0.0
                for edit in edits {
                    try StoredList.make(edit, in: store)
                    let new = try store.snapshot
                    time += seconds { take(Changeset(from: shown, to: new)) }
                    shown = new
                }
                return time / Double(edits.count) * 1e6
            }
        }
    }

    /// Measures changesets of old versions that are a thousand commits apart, each replayed from its nearest
    /// checkpoint.
    private func runDistant() throws {
        let distance = 1_000
        var generator = SeededGenerator(seed: 5)
        let name = "stored/changeset/\(distance)-edits"
        try runner.measure(
            name, unit: "ms", target: target(.median(atMost: 10)), note: { "a sample is the median of 20 pairs" }
        ) {
            try list.value.withStore { store in
                let head = Int(try store.version.rawValue)
                // The edits are the last commits, one each.
                let firstEdited = head - scale.storedRowCount
                let times = try (0..<20).map { _ in
                    let version = firstEdited + generator.below(scale.storedRowCount - distance)
                    let old = try store.snapshot(at: Version(UInt64(version)))
                    // A distant version, so that the second is not replayed from the first.
                    _ = try store.snapshot(at: Version(1))
                    let new = try store.snapshot(at: Version(UInt64(version + distance)))
                    return seconds { take(Changeset(from: old, to: new)) }
                }
                return Statistics.median(times) * 1e3
            }
        }
    }

    /// Measures changesets of two checkpoints that are a thousand commits apart, whose nodes are read from the file: in
    /// a store in use, and right after opening, before any page of the file was read.
    private func runCheckpoints() throws {
        for isFirst in [false, true] {
            try runner.measure(
                "stored/changeset/checkpoints" + (isFirst ? "/after-opening" : ""), unit: "ms",
                target: target(.median(atMost: 10)),
                note: { "a sample is the median of 5 pairs, each 1,000 edits apart" }
            ) {
                Statistics.median(try (0..<5).map { _ in try checkpointSeconds(isFirst: isFirst) }) * 1e3
            }
        }
    }

    /// Seconds for the changeset between two new checkpoints.
    private func checkpointSeconds(isFirst: Bool) throws -> Double {
        let edits = try list.value.plan(1_005)
        let (old, new, time) = try list.value.withStore { store in
            try store.checkpoint()
            let old = try store.version
            for edit in edits.prefix(1_000) { try StoredList.make(edit, in: store) }
            try store.checkpoint()
            let new = try store.version
            // More edits, so that the nodes in memory are no longer those of the checkpoint.
            for edit in edits.dropFirst(1_000) { try StoredList.make(edit, in: store) }
            return (old, new, isFirst ? nil : try changesetSeconds(from: old, to: new, in: store))
        }
        return try time ?? list.value.withStore { try changesetSeconds(from: old, to: new, in: $0) }
    }

    private func changesetSeconds(from old: Version, to new: Version, in store: UntypedStore) throws -> Double {
        let (old, new) = (try store.snapshot(at: old), try store.snapshot(at: new))
        return seconds { take(Changeset(from: old, to: new)) }
    }

    private func take(_ changes: Changeset) {
        runner.sink.take(changes.items.inserted.count &+ changes.items.moved.count)
    }

    private func add(_ name: String, _ unit: String, _ samples: [Double], _ target: Target, note: String? = nil) {
        runner.add(
            Figure(name: name, unit: unit, samples: samples, peer: nil, target: self.target(target), note: note))
    }
}
