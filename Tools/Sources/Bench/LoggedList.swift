// A short list with a log of a given length: what shows whether the length of the log costs anything.
//
// Always holds: every commit is one event and one step; after a sample the position in the history is the tip again, and
// the tree of commits is as it was, because nothing but moves was made.

import BenchSupport
import ListModel
import Listory

/// A list whose newest steps can be undone and redone.
protocol LoggedList: AnyObject {
    /// Undoes steps, and takes the time.
    func timeUndo(_ count: Int) throws -> Double
    /// Redoes steps, and takes the time.
    func timeRedo(_ count: Int) throws -> Double
}

/// How many rows the lists have, whatever the length of their logs.
private let rowCount = 1_000
/// A multiple of the number of kinds, so that the rows stay as many.
private let chunkSize = 1_000

/// Calls `body` with the edits of a log.
private func forEachEdit(_ count: Int, _ body: (PlannedEdit) throws -> Void) throws {
    var planner = EditPlanner(rowCount: rowCount, seed: 5)
    for start in stride(from: 0, to: count, by: chunkSize) {
        for edit in planner.mixedEdits(min(chunkSize, count - start), [.insert, .delete, .toggle, .update]) {
            try body(edit)
        }
    }
}

/// A log in memory, all of it.
final class LoggedEditor: LoggedList {
    private var editor: ListEditor
    private let log = MemoryLog()
    private let draft = CommitDraft(name: "Edit", time: Timestamp(microseconds: 1))

    init(eventCount: Int) throws {
        editor = ListEditor(ListState(), source: log)
        try ListRecipe(rowCount: rowCount).forEachCommit { body in
            if let commit = try editor.commit(draft, body) { log.append(commit) }
        }
        try forEachEdit(eventCount) { edit in
            if let commit = try editor.commit(draft, { try edit.apply(to: &$0) }) { log.append(commit) }
        }
    }

    func timeUndo(_ count: Int) throws -> Double {
        try seconds {
            for _ in 0..<count { log.append(try editor.undo(time: draft.time).commit!) }
        }
    }

    func timeRedo(_ count: Int) throws -> Double {
        try seconds {
            for _ in 0..<count { log.append(try editor.redo(time: draft.time).commit!) }
        }
    }
}

/// A log in a file.
final class LoggedStore: LoggedList {
    private let store: Store
    private let sink: Sink

    /// The newest node of the history.
    let tip: Version
    /// How many bytes the records of its commits have, on average.
    let bytesPerCommit: Double

    init(path: String, eventCount: Int, _ sink: Sink) throws {
        self.sink = sink
        let store = try Store.create(at: path, options: LoggedStore.options)
        try ListRecipe(rowCount: rowCount).forEachCommit { try store.edit("Edit", $0) }
        let before = try store.statistics().recordBytes
        try forEachEdit(eventCount) { edit in try store.edit("Edit") { try edit.apply(to: &$0) } }
        bytesPerCommit = Double(try store.statistics().recordBytes - before) / Double(eventCount)
        tip = try store.version
        self.store = store
    }

    /// How it is opened: one commit is a step, and edits do not wait.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.durability = .deferred
        options.coalescing = .never
        return options
    }

    func timeUndo(_ count: Int) throws -> Double { try time(count) { try store.undo() } }

    func timeRedo(_ count: Int) throws -> Double { try time(count) { try store.redo() } }

    /// Goes to a node of the history.
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
