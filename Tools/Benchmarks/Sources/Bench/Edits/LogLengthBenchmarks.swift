// Compares a long log with a short one: undo, redo and the memory of the history.
//
// Always holds: the two logs are measured alternately in one run, and their lists have equally many rows.

import BenchSupport
import ListModel
import Listory
import ProbeSupport

/// Compares a list with many edits with a list with few.
struct LogLengthBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames
    let probes: ProbeProgram

    /// How many samples a run takes, because one takes less than a millisecond.
    private static let samplesPerRun = 5

    private var short: String { NumberText.count(scale.logEventCounts.short) }
    private var long: String { NumberText.count(scale.logEventCounts.long) }

    func run() throws {
        try runMemory()
        try runStore()
    }

    /// Samples of one log.
    private struct Samples {
        var undo: [Double] = []
        var redo: [Double] = []

        /// Undoes and redoes the same steps, in nanoseconds per commit.
        mutating func take(_ list: some LoggedList, _ count: Int, _ counts: Bool) throws {
            let times = (try list.timeUndo(count), try list.timeRedo(count))
            guard counts else { return }
            undo.append(times.0 / Double(count) * 1e9)
            redo.append(times.1 / Double(count) * 1e9)
        }
    }

    private func names(_ what: String) -> (undo: String, redo: String) {
        ("undo/\(what)-of-\(long)-events", "redo/\(what)-of-\(long)-events")
    }

    private func wantsAny(_ names: (undo: String, redo: String)) -> Bool {
        runner.wants(names.undo) || runner.wants(names.redo)
    }

    private func add(_ names: (undo: String, redo: String), _ short: Samples, _ long: Samples, _ target: Target) {
        for (name, samples, others) in [(names.undo, long.undo, short.undo), (names.redo, long.redo, short.redo)] {
            let peer = Figure.Peer(name: "a log of \(self.short) events", samples: others, ratioKind: .cost)
            runner.add(
                Figure(name: name, unit: "ns/commit", samples: samples, peer: peer, target: target, note: nil))
        }
    }

    // MARK: In memory

    private func runMemory() throws {
        let names = names("memory/at-the-end")
        guard wantsAny(names) else { return }
        let lists = (
            try LoggedEditor(eventCount: scale.logEventCounts.short),
            try LoggedEditor(eventCount: scale.logEventCounts.long)
        )
        var samples = (Samples(), Samples())
        try runner.repeatedly { counts in
            for _ in 0..<LogLengthBenchmarks.samplesPerRun {
                try samples.0.take(lists.0, scale.logUndoCount, counts)
                try samples.1.take(lists.1, scale.logUndoCount, counts)
            }
        }
        add(names, samples.0, samples.1, .ratio(atMost: 1.25))
    }

    // MARK: Through a store

    private func runStore() throws {
        let end = names("store/at-the-end")
        let middle = names("store/in-the-middle")
        let memory = "history/memory/\(long)-events"
        let record = "history/record/1-edit"
        guard wantsAny(end) || wantsAny(middle) || runner.wants(memory) || runner.wants(record) else { return }
        try files.withNewFile { path in
            try files.withNewFile { longPath in
                let lists = (
                    try LoggedStore(path: path, eventCount: scale.logEventCounts.short, runner.sink),
                    try LoggedStore(path: longPath, eventCount: scale.logEventCounts.long, runner.sink)
                )
                try runEnd(end, lists)
                try runMiddle(middle, lists)
                runner.add(
                    Figure(
                        name: record, unit: "bytes/commit", samples: [lists.1.bytesPerCommit], peer: nil, target: nil,
                        note: "a quarter each insertions, deletions, toggles and updates, named Edit"))
                try lists.0.close()
                try lists.1.close()
                try runOpen(memory, path, longPath)
            }
        }
    }

    private func runEnd(_ names: (undo: String, redo: String), _ lists: (LoggedStore, LoggedStore)) throws {
        guard wantsAny(names) else { return }
        var samples = (Samples(), Samples())
        try runner.repeatedly { counts in
            for _ in 0..<LogLengthBenchmarks.samplesPerRun {
                try samples.0.take(lists.0, scale.logUndoCount, counts)
                try samples.1.take(lists.1, scale.logUndoCount, counts)
            }
        }
        add(names, samples.0, samples.1, .ratio(atMost: 1.25))
    }

    /// Far from the tip, redo finds its path by O(log n) hops: a log that is a thousand times as long has twice as
    /// many.
    private func runMiddle(_ names: (undo: String, redo: String), _ lists: (LoggedStore, LoggedStore)) throws {
        guard wantsAny(names) else { return }
        func take(_ list: LoggedStore, _ eventCount: Int, _ samples: inout Samples, _ counts: Bool) throws {
            try list.go(to: Version(list.tip.rawValue - UInt64(eventCount) / 2))
            for _ in 0..<LogLengthBenchmarks.samplesPerRun { try samples.take(list, scale.logUndoCount, counts) }
            try list.go(to: list.tip)
        }
        var samples = (Samples(), Samples())
        try runner.repeatedly { counts in
            try take(lists.0, scale.logEventCounts.short, &samples.0, counts)
            try take(lists.1, scale.logEventCounts.long, &samples.1, counts)
        }
        add(names, samples.0, samples.1, .ratio(atMost: 2))
    }

    // MARK: Opened

    /// Takes each sample in a separate process.
    private func runOpen(_ name: String, _ path: String, _ longPath: String) throws {
        guard runner.wants(name), ProcessMemory.current() != nil else { return }
        var samples: (short: [Double], long: [Double]) = ([], [])
        try runner.repeatedly { counts in
            let short = try probes.result(of: .history(path: path), as: HistoryResult.self)
            let long = try probes.result(of: .history(path: longPath), as: HistoryResult.self)
            guard counts else { return }
            samples.short.append(Double(short.bytes) / 1_048_576)
            samples.long.append(Double(long.bytes) / 1_048_576)
        }
        let peer = Figure.Peer(name: "a log of \(short) events", samples: samples.short, ratioKind: .cost)
        runner.add(
            Figure(
                name: name, unit: "MiB", samples: samples.long, peer: peer, target: .ratio(atMost: 1.25),
                note: "what a process takes that has opened the store, undone a step and redone it"))
    }
}
