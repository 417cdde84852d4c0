// Measures the remaining figures: reading the state hash, creating and opening a store.

import BenchSupport
import ListModel
import Listory

/// Measures figures that have no separate file.
struct StoreBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    func run() throws {
        try runStateHash()
        try runOpening()
    }

    // MARK: State hash

    /// Measures edits with a read of the hash of every version, compared with the same edits without.
    private func runStateHash() throws {
        for rowCount in scale.rowCounts {
            let list = Lazy { try BenchList(rowCount: rowCount) }
            let peer = Runner.Peer(name: "the same edits, hash not read", ratioKind: .cost) {
                try editSample(list.value, readsHash: false)
            }
            try runner.measure("state-hash/toggle-and-read/\(NumberText.count(rowCount))", unit: "ns/edit", peer: peer)
            {
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
                var store: UntypedStore?
                let time = try seconds { store = try UntypedStore.create(at: path) }
                try store?.close()
                return time * 1e6
            }
        }
        try runner.measure("store/open-empty", unit: "µs") {
            try files.withNewFile { path in
                try UntypedStore.create(at: path).close()
                var store: UntypedStore?
                let time = try seconds { store = try UntypedStore.open(at: path) }
                try store?.close()
                return time * 1e6
            }
        }
    }
}
