// A long list with a long past in a file, for the figures of stored lists.
//
// Always holds: the file is closed between two measurements, and its newest version has the original number of rows;
// two files of the same size have the same rows and edits.

import BenchSupport
import ListModel
import Listory
import TestSupport

/// A store with many rows and many edits.
final class StoredList {
    let path: String
    let rowCount: Int
    /// Ids of some rows, which stay in the list as long as only toggles are made.
    private(set) var someIDs: [UntypedID] = []
    /// How much the file grew per edit, including checkpoints.
    private(set) var bytesPerEvent = 0.0
    /// Plans the edits; new rows have unused ids.
    private var planner: EditPlanner

    /// How many edits are planned at once: a multiple of the number of kinds, so that the number of rows stays the
    /// same.
    private static let chunkSize = 1_000

    /// Makes the store: imports the rows, and then makes an equal number of edits of all kinds in turn, each a commit.
    ///
    /// - Parameters:
    ///   - path: a file that does not exist.
    ///   - rowCount: a multiple of 1,000.
    init(path: String, rowCount: Int) throws {
        self.path = path
        self.rowCount = rowCount
        planner = EditPlanner(rowCount: rowCount, seed: 7)
        let store = try UntypedStore.create(at: path, options: StoredList.options())
        try StoredList.importRows(rowCount, into: store)
        let importedBytes = try store.statistics().fileBytes
        for _ in 0..<rowCount / StoredList.chunkSize {
            for edit in plan(StoredList.chunkSize) { try StoredList.make(edit, in: store) }
        }
        bytesPerEvent = Double(try store.statistics().fileBytes - importedBytes) / Double(rowCount)
        let rows = try store.snapshot.sections[0].items
        var generator = SeededGenerator(seed: 11)
        someIDs = (0..<64).map { _ in rows[generator.below(rows.count)].id }
        try store.close()
    }

    /// Calls `body` with the store, and closes it afterwards.
    func withStore<Result>(
        _ options: StoreOptions = StoredList.options(), _ body: (UntypedStore) throws -> Result
    ) throws -> Result {
        let store = try UntypedStore.open(at: path, options: options)
        let result = try body(store)
        try store.close()
        return result
    }

    /// The next edits: insertions, deletions, moves, toggles and updates in turn, at random places.
    ///
    /// - Parameter count: a multiple of five.
    func plan(_ count: Int) -> [PlannedEdit] { planner.mixedEdits(count) }

    /// The options of the store: edits do not wait; the other options are the defaults.
    static func options(_ policy: CheckpointPolicy = CheckpointPolicy()) -> StoreOptions {
        var options = StoreOptions()
        options.durability = .deferred
        options.checkpoints = policy
        return options
    }

    /// Makes one edit, as a commit.
    static func make(_ edit: PlannedEdit, in store: UntypedStore) throws {
        try store.edit("Edit") { try edit.apply(to: &$0) }
    }

    /// Appends the rows 0, 1, 2 … to a new store, 10,000 per commit, each with about 32 bytes of content.
    static func importRows(_ count: Int, into store: UntypedStore) throws {
        try store.edit("Begin") { try $0.insertSection(NewSection(id: ListRecipe.section, title: "Today")) }
        for start in stride(from: 0, to: count, by: 10_000) {
            let items = (start..<min(start + 10_000, count)).map {
                NewRow(id: .integer(Int64($0)), content: Array(#"{"title":"A litre of milk \#($0)"}"#.utf8))
            }
            try store.edit("Import") { try $0.insert(items, at: .end(ofSection: ListRecipe.section)) }
        }
        try store.waitUntilDurable()
    }
}
