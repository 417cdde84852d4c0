// A short list with a log of a given length, in a file. Always holds: the clock starts when everything is durable.

import BenchSupport
import ListModel
import Listory

/// A log in a file.
final class LoggedStore: LoggedList {
    private let store: UntypedStore
    private let sink: Sink

    /// The newest revision of the history.
    let tip: Version
    /// How many bytes the records of its commits have, on average.
    let bytesPerCommit: Double

    init(path: String, eventCount: Int, _ sink: Sink) throws {
        self.sink = sink
        let store = try UntypedStore.create(at: path, options: LoggedStore.options)
        try ListRecipe(rowCount: LoggedEdits.rowCount).forEachCommit { try store.edit("Edit", $0) }
        let before = try store.statistics().recordBytes
        try LoggedEdits.forEach(eventCount) { edit in try store.edit("Edit") { try edit.apply(to: &$0) } }
        bytesPerCommit = Double(try store.statistics().recordBytes - before) / Double(eventCount)
        tip = try store.version
        self.store = store
    }

    /// The options: one commit is a step, and edits do not wait.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.durability = .deferred
        options.coalescing = .never
        return options
    }

    func timeUndo(_ count: Int) throws -> Double { try time(count) { try store.undo() } }

    func timeRedo(_ count: Int) throws -> Double { try time(count) { try store.redo() } }

    /// Checks out a revision.
    func go(to version: Version) throws { try store.go(to: version) }

    /// Closes the file.
    func close() throws { try store.close() }

    private func time(_ count: Int, _ body: () throws -> Reversal) throws -> Double {
        try store.waitUntilDurable()
        return try seconds {
            for _ in 0..<count { sink.take(try body().commit!.checksum) }
        }
    }
}
