// The remaining figures: reading the state hash, making and opening a store, commits that wait together.

import Foundation
import ListModel
import Listory
import Synchronization

/// Measures what has no file of its own.
struct StoreBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    func run() throws {
        try runStateHash()
        try runOpening()
        for (writerCount, commitCount) in scale.groupCommits {
            let name = "group-commit/\(writerCount)-\(writerCount == 1 ? "writer" : "writers")"
            try runner.measure(name, unit: "commits/s") {
                try files.withNewFile { try groupCommitRate($0, writerCount, commitCount) }
            }
        }
    }

    // MARK: State hash

    /// Edits with the hash of every version read, beside the same edits without.
    private func runStateHash() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            let peer = Runner.Peer(name: "the same edits, hash not read", ratioKind: .cost) {
                try editSample(list.value, readsHash: false)
            }
            try runner.measure("state-hash/toggle-and-read/\(Scale.name(rowCount))", unit: "ns/edit", peer: peer) {
                try editSample(list.value, readsHash: true)
            }
        }
    }

    private func editSample(_ list: BenchList, readsHash: Bool) throws -> Double {
        let edits = list.planner.edits(scale.editCount, .toggle, by: .path)
        let time = try list.restoring { try list.time(edits, .none, readsHash: readsHash, runner.sink) }
        return time / Double(edits.count) * 1e9
    }

    // MARK: Opening

    private func runOpening() throws {
        try runner.measure("store/create", unit: "µs") {
            try files.withNewFile { path in
                var store: Store?
                let time = try seconds { store = try Store.create(at: path) }
                try store?.close()
                return time * 1e6
            }
        }
        try runner.measure("store/open-empty", unit: "µs") {
            try files.withNewFile { path in
                try Store.create(at: path).close()
                var store: Store?
                let time = try seconds { store = try Store.open(at: path) }
                try store?.close()
                return time * 1e6
            }
        }
    }

    // MARK: Group commit

    /// Durable commits a second, made by threads that each wait for every commit.
    private func groupCommitRate(_ path: String, _ writerCount: Int, _ commitCount: Int) throws -> Double {
        let store = try Store.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today")) }
        let failure = Mutex<(any Error)?>(nil)
        let ready = DispatchSemaphore(value: 0)
        let start = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        for writer in 0..<writerCount {
            done.enter()
            Thread {
                ready.signal()
                start.wait()
                do { try write(store, Int64(writer * commitCount), commitCount) } catch {
                    failure.withLock { $0 = error }
                }
                done.leave()
            }.start()
        }
        for _ in 0..<writerCount { ready.wait() }
        let time = seconds {
            for _ in 0..<writerCount { start.signal() }
            done.wait()
        }
        if let error = failure.withLock({ $0 }) { throw error }
        runner.sink.take(try store.snapshot.stateHash.rawValue)
        try store.close()
        return Double(writerCount * commitCount) / time
    }
}

/// Makes durable commits, one after another.
private func write(_ store: Store, _ firstID: Int64, _ count: Int) throws {
    for offset in 0..<Int64(count) {
        let item = NewItem(id: .integer(firstID + offset), content: Array(#"{"title":"Milk"}"#.utf8))
        try store.edit("Add milk", durability: .immediate) { list in
            try list.insert(item, at: .end(ofSection: ListRecipe.section))
        }
    }
}
