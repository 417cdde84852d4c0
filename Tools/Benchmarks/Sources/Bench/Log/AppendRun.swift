// One run of the append benchmark: makes commits of single rows in a new store, and counts their transactions.
//
// Always holds: two runs with the same numbers make the same records, byte for byte.

import BenchSupport
import ListModel
import Listory

/// A new store that gets single-row commits in batches.
struct AppendRun {
    private let items: [NewRow]
    private let batch: Int

    init(_ commitCount: Int, _ batch: Int) {
        items = (0..<commitCount).map { NewRow(id: .integer(Int64($0)), content: Array(#"{"title":"Milk"}"#.utf8)) }
        self.batch = batch
    }

    /// The records that the commits become.
    func records(path: String) throws -> [[UInt8]] {
        let store = try makeStore(path)
        var records: [[UInt8]] = []
        for item in items { records.append(try insert(item, store, .deferred)!.record) }
        try store.close()
        return records
    }

    /// The seconds until all commits are durable, and the number of LMDB transactions, unless the file was replaced.
    func measure(path: String, _ sink: Sink) throws -> (seconds: Double, transactionCount: Int?) {
        let store = try makeStore(path)
        try store.close()
        var time = 0.0
        let transactionCount = try FileNumbers.transactionCount(path) {
            let opened = try UntypedStore.open(at: path, options: options)
            time = try seconds {
                if batch == 1 {
                    for item in items { _ = try insert(item, opened, .immediate) }
                } else {
                    for start in stride(from: 0, to: items.count, by: batch) {
                        let chunk = items[start..<min(start + batch, items.count)]
                        for item in chunk { _ = try insert(item, opened, .deferred) }
                        try opened.waitUntilDurable()
                    }
                }
            }
            sink.take(try opened.snapshot.stateHash.rawValue)
            try opened.close()
        }
        return (time, transactionCount)
    }

    private func insert(_ item: NewRow, _ store: UntypedStore, _ durability: Durability) throws -> Commit? {
        try store.edit("Add milk", durability: durability) { list in
            try list.insert(item, at: .end(ofSection: ListRecipe.section))
        }
    }

    private func makeStore(_ path: String) throws -> UntypedStore {
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today")) }
        return store
    }

    private var options: StoreOptions {
        var options = StoreOptions()
        options.now = { Timestamp(microseconds: 1_700_000_000_000_000) }
        return options
    }
}
