// Measures how fast a log is replayed: from records in memory, and when a store is opened.
//
// Always holds: both logs have the same events, mixed edits of a list that grows to its final size.

import BenchSupport

/// Measures replay of a long log.
struct ReplayBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    func run() throws {
        for eventsPerCommit in [1, 100] {
            let suffix = "\(NumberText.count(scale.replayEventCount))-events/\(eventsPerCommit)-a-commit"
            let names = (memory: "replay/memory/\(suffix)", store: "replay/open-store/\(suffix)")
            guard runner.wants(names.memory) || runner.wants(names.store) else { continue }
            try files.withNewFile { path in
                let log = try ReplayLog(scale, eventsPerCommit: eventsPerCommit, path: path)
                try runner.measure(names.memory, unit: "events/s", target: .median(atLeast: 1.5e6)) {
                    Double(log.eventCount) / (try log.replaySeconds(runner.sink))
                }
                try runner.measure(names.store, unit: "events/s", target: .median(atLeast: 1e6)) {
                    Double(log.eventCount) / (try log.openSeconds(runner.sink))
                }
            }
        }
    }
}
