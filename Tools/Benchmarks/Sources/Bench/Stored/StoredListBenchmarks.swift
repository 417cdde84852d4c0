// Measures a long list in a file, with a long past: opening, edits, checkpoints and memory.
//
// Always holds: the store is made at most once, and only if a wanted figure needs it; each measurement keeps the number
// of rows. The measurements that change the file most are last.

import BenchSupport
import ListModel
import Listory
import ProbeSupport

/// Measures a stored list of a million rows with a million edits on top.
struct StoredListBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames
    let probes: ProbeProgram

    private static let smallRowCount = 1_000

    private var size: String { NumberText.count(scale.storedRowCount) }
    private var smallSize: String { NumberText.count(StoredListBenchmarks.smallRowCount) }

    func run() throws {
        try files.withNewFile { path in
            let list = Lazy { try StoredList(path: path, rowCount: scale.storedRowCount) }
            try runOpening(list)
            try StoredPastBenchmarks(runner: runner, scale: scale, list: list).run()
            try runEdits(list)
            try runCheckpoints(list)
        }
        try runMemory()
    }

    /// A target, which is meant for the largest size.
    private func target(_ target: Target) -> Target? { Scale.isTargetSize(scale.storedRowCount) ? target : nil }

    private func wantsAny(_ names: [String]) -> Bool { names.contains(where: runner.wants) }

    // MARK: Opening

    /// Opens the short list and the long one in turn, in fresh processes.
    private func runOpening(_ list: Lazy<StoredList>) throws {
        let names = ["open/\(smallSize)", "open/\(size)", "open/\(size)/vs-\(smallSize)"].map { "stored/\($0)" }
        let more = ["open-from-spawn/\(size)", "first-edit-by-id/\(size)", "open-memory/\(size)"].map { "stored/\($0)" }
        guard wantsAny(names + more) else { return }
        var small = Openings()
        var large = Openings()
        try files.withNewFile { path in
            let smallList = try StoredList(path: path, rowCount: StoredListBenchmarks.smallRowCount)
            let list = try list.value
            try runner.repeatedly { counts in
                // A process takes very little time, so there are more of them than runs.
                for _ in 0..<4 {
                    try small.measure(smallList, probes, counts)
                    try large.measure(list, probes, counts)
                }
            }
        }
        add(names[0], "ms", small.firstRows, nil)
        add(names[1], "ms", large.firstRows, .median(atMost: 2))
        let peer = Figure.Peer(name: "a list of \(smallSize)", samples: small.firstRows, ratioKind: .cost)
        add(names[2], "ms", large.firstRows, .ratio(atMost: 1.5), peer)
        add(more[0], "ms", large.fromSpawn, nil)
        add(more[1], "ms", large.firstEdit, .median(atMost: 1))
        if !large.memory.isEmpty { add(more[2], "MiB", large.memory, .median(atMost: 30)) }
    }

    /// The samples of one list.
    private struct Openings {
        /// Milliseconds.
        var firstRows: [Double] = []
        var fromSpawn: [Double] = []
        var firstEdit: [Double] = []
        /// MiB.
        var memory: [Double] = []

        mutating func measure(_ list: StoredList, _ probes: ProbeProgram, _ counts: Bool) throws {
            guard case .integer(let id) = list.someIDs[firstRows.count % list.someIDs.count] else {
                throw WrongResult(what: "the id of a row")
            }
            let spawn = MonotonicClock.now
            let opening = try probes.result(of: .opening(path: list.path, id: id), as: OpeningResult.self)
            guard counts else { return }
            firstRows.append(opening.firstRows * 1e3)
            fromSpawn.append((opening.readyAt - spawn) * 1e3)
            firstEdit.append(opening.firstEdit * 1e3)
            if let bytes = opening.residentBytes { memory.append(Double(bytes) / 1_048_576) }
        }
    }

    private func add(
        _ name: String, _ unit: String, _ samples: [Double], _ target: Target?, _ peer: Figure.Peer? = nil,
        note: String? = nil
    ) {
        runner.add(
            Figure(
                name: name, unit: unit, samples: samples, peer: peer, target: target.flatMap(self.target), note: note))
    }

    // MARK: Edits

    /// Measures edits one after another, with checkpoints in the background.
    private func runEdits(_ list: Lazy<StoredList>) throws {
        let name = "stored/edit/deferred/\(size)"
        guard wantsAny([name, "\(name)/worst", "\(name)/file"]) else { return }
        let list = try list.value
        var means: [Double] = []
        var worsts: [Double] = []
        try runner.repeatedly { counts in
            let edits = list.plan(scale.storedEditCount)
            let (total, worst) = try list.withStore { try time(edits, $0) }
            guard counts else { return }
            means.append(total / Double(edits.count) * 1e9)
            worsts.append(worst * 1e3)
        }
        add(name, "ns/edit", means, nil)
        add("\(name)/worst", "ms", worsts, nil)
        add(
            "\(name)/file", "bytes/event", [list.bytesPerEvent], nil,
            note: "what the file grew by for each of \(scale.storedRowCount) edits, with all checkpoints")
    }

    /// The seconds that all edits took, and the longest of them.
    private func time(_ edits: [PlannedEdit], _ store: UntypedStore) throws -> (total: Double, worst: Double) {
        var worst = Duration.zero
        let start = ContinuousClock.now
        var last = start
        for edit in edits {
            try StoredList.make(edit, in: store)
            let now = ContinuousClock.now
            worst = max(worst, now - last)
            last = now
        }
        return ((last - start).seconds, worst.seconds)
    }

    // MARK: Checkpoints

    /// Measures a checkpoint after a change of every row, while single rows are edited.
    private func runCheckpoints(_ list: Lazy<StoredList>) throws {
        let name = "stored/checkpoint/\(size)-changed"
        guard wantsAny([name, "\(name)/worst-edit", "\(name)/growth"]) else { return }
        var runs: [CheckpointRun] = []
        try list.value.withStore(StoredList.options(.never)) { store in
            try runner.repeatedly { counts in
                let run = try CheckpointRun(store)
                if counts { runs.append(run) }
            }
        }
        let editCount = NumberText.text(Statistics.median(runs.map { Double($0.editCount) }))
        add(name, "ms", runs.map { $0.duration * 1e3 }, nil, note: "\(editCount) single edits meanwhile")
        add("\(name)/worst-edit", "ms", runs.map { $0.worstEdit * 1e3 }, .median(atMost: 16))
        let growths = runs.compactMap { $0.growth.map { Double($0) / 1_048_576 } }
        if !growths.isEmpty { add("\(name)/growth", "MiB", growths, nil) }
    }

    // MARK: Memory

    /// Measures all rows in memory, compared with an array of their ids and references; each sample in a separate
    /// process.
    private func runMemory() throws {
        let name = "stored/memory/\(size)"
        guard runner.wants(name), ProcessMemory.current() != nil else { return }
        var results: [MemoryResult] = []
        try files.withNewFile { path in
            let store = try UntypedStore.create(at: path, options: StoredList.options(.never))
            try StoredList.importRows(scale.storedRowCount, into: store)
            try store.close()
            try runner.repeatedly { counts in
                let result = try probes.result(of: .memory(path: path), as: MemoryResult.self)
                guard result.rowCount == scale.storedRowCount else { throw WrongResult(what: "rows to load") }
                if counts { results.append(result) }
            }
        }
        func samples(_ bytes: (MemoryResult) -> Int) -> [Double] { results.map { Double(bytes($0)) / 1_048_576 } }
        let peer = Figure.Peer(
            name: "an array of ids and references", samples: samples(\.arrayBytes), ratioKind: .cost)
        let trimmed = NumberText.text(Statistics.median(samples(\.trimmedListBytes)))
        let items = NumberText.text(Statistics.median(samples(\.itemArrayBytes)))
        add(
            name, "MiB", samples(\.listBytes), .ratio(atMost: 1.5), peer,
            note: "\(trimmed) MiB without what the allocator keeps; an array of ListItem takes \(items) MiB")
    }
}
