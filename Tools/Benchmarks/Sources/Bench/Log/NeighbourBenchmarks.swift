// Measures how long it takes until one process sees what another one edits.
//
// Always holds: each edit is durable before the next one begins; the time is counted from the beginning of the edit, so it
// includes its sync.

import BenchSupport
import Foundation
import ListModel
import Listory
import ProbeSupport

/// Measures updates from one process to another.
struct NeighbourBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames
    let probes: ProbeProgram

    /// The pause between two edits, in seconds: somebody who types quickly.
    private static let pause = 0.02

    func run() throws {
        let names = ["processes/update", "processes/slowest-update"]
        guard names.contains(where: runner.wants) else { return }
        var results: [NeighbourResult] = []
        try runner.repeatedly { counts in
            let result = try files.withNewFile(measure)
            if counts { results.append(result) }
        }
        func samples(_ value: ([Double]) -> Double) -> [Double] { results.map { value($0.delays) * 1e3 } }
        let note = "\(scale.neighbourUpdateCount) edits in a run, one every 20 ms; the time includes the sync"
        runner.add(
            Figure(
                name: names[0], unit: "ms", samples: samples(Statistics.median), peer: nil,
                target: .median(atMost: 20), note: note))
        runner.add(
            Figure(
                name: names[1], unit: "ms", samples: samples { $0.max() ?? 0 }, peer: nil, target: .median(atMost: 100),
                note: nil))
    }

    /// Edits while another process follows.
    private func measure(_ path: String) throws -> NeighbourResult {
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "rows"))
            try list.insert(NewRow(id: 0, content: []), at: .end(ofSection: "rows"))
        }
        let probe = Probe.neighbour(path: path, updateCount: scale.neighbourUpdateCount)
        let result = try probes.result(of: probe, as: NeighbourResult.self) {
            try store.edit(NeighbourResult.nameOfEdit) { try $0.toggle(.item(0)) }
            Thread.sleep(forTimeInterval: Self.pause)
        }
        try store.close()
        return result
    }
}
