// Measures how long it takes to find which commits changed a row, and which rows were deleted, in a store with a long past.
//
// Always holds: each sample opens the store again, so it also reads the commits that are not indexed yet.

import BenchSupport
import ListModel
import Listory
import TestSupport

/// Measures the history of a row, the blame of rows, the trash, and the size of the index; then the tool with the same store.
struct RowHistoryBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames
    let probes: ProbeProgram
    /// The path of the tool; nil if it is not measured.
    let tool: String?

    /// The row whose history is asked for.
    private static let watched = UntypedID.string("watched")
    /// A tenth of the edits has as many rows.
    private static let editsPerRow = 10

    func run() throws {
        let names = ["rows/history", "rows/blame", "rows/index", "rows/trash", "rows/trash-delete"]
        let commands = tool.map {
            ToolBenchmarks(runner: runner, isFull: scale.storedRowCount == 1_000_000, probes: probes, tool: $0)
        }
        guard names.contains(where: runner.wants) || commands?.isWanted == true else { return }
        try files.withNewFile { path in
            let share = try make(path)
            let isFull = scale.storedRowCount == 1_000_000
            let note = "\(NumberText.count(rowCount)) rows, \(NumberText.count(rowCount * Self.editsPerRow)) events"
            try runner.measure(
                names[0], unit: "ms", target: isFull ? .median(atMost: 5) : nil,
                note: { "\(note); \(NumberText.count(visitCount)) commits, read after opening the store" }
            ) {
                try withStore(path) { store in
                    try seconds {
                        let found = try store.history(ofRow: Self.watched)
                        precondition(found.count == visitCount + 1, "not all commits were found")
                    } * 1e3
                }
            }
            try runner.measure(
                names[1], unit: "ms", target: isFull ? .median(atMost: 10) : nil,
                note: { "50 rows, after opening the store" }
            ) {
                try withStore(path) { store in
                    let ids = try store.snapshot.sections[0].items[rowCount / 2..<rowCount / 2 + 50].map(\.id)
                    return try seconds { runner.sink.take(try store.blame(ofRows: ids).count) } * 1e3
                }
            }
            try runner.measure(
                names[3], unit: "ms", target: isFull ? .median(atMost: 5) : nil,
                note: { "a live view with the first 50 rows, after opening the store" }
            ) {
                try withStore(path) { store in
                    try seconds {
                        let trash = try UntypedLiveTrash(of: store)
                        precondition(trash.shown.rows.count == 50, "not all rows were found")
                    } * 1e3
                }
            }
            try runner.measure(
                names[4], unit: "µs", note: { "deleting a row and reading a live view of 1,000 deleted rows" }
            ) {
                try withStore(path) { store in
                    let trash = try UntypedLiveTrash(of: store, limit: 1_000)
                    let rows = try store.snapshot.sections[0].items.prefix(200).map(\.id)
                    let time = try seconds {
                        for row in rows {
                            try store.edit("Delete", durability: .deferred) { try $0.delete(.item(row)) }
                            runner.sink.take(try trash.snapshot.rows.count)
                        }
                    }
                    return time / Double(rows.count) * 1e6
                }
            }
            runner.add(
                Figure(
                    name: names[2], unit: "% of the file", samples: [share], peer: nil,
                    target: isFull ? .median(atMost: 10) : nil, note: nil))
            try commands?.run(with: path, row: "watched", version: rowCount * Self.editsPerRow / 2)
        }
    }

    private var rowCount: Int { scale.storedRowCount / Self.editsPerRow }
    /// How often the row is changed.
    private var visitCount: Int { rowCount / 100 }

    /// Makes a store, and returns the share of the index in its file, in per cent.
    private func make(_ path: String) throws -> Double {
        let store = try UntypedStore.create(at: path, options: StoredList.options())
        try StoredList.importRows(rowCount, into: store)
        try store.edit("Watch") {
            try $0.insertSection(NewSection(id: "watched", title: "", items: [NewRow(id: Self.watched, content: [])]))
        }
        try store.edit("Add") { list in
            let rows = (0..<100).map { NewRow(id: .string("gone \($0)"), content: []) }
            try list.insertSection(NewSection(id: "gone", title: "", items: rows))
        }
        var planner = EditPlanner(rowCount: rowCount, seed: 9)
        for visit in 0..<visitCount {
            for edit in planner.mixedEdits(1_000) { try StoredList.make(edit, in: store) }
            // Every third time, a branch is left.
            if visit % 3 == 0 {
                try store.edit("Rename") { try $0.renameSection(.section("watched"), to: "\(visit)") }
                try store.undo()
            }
            if visit == visitCount / 2 {
                try store.edit("Spoil") { list in
                    let row = NewRow(id: "spoiled", content: Array(#"{"title":"Spoiled"}"#.utf8))
                    try list.insert(row, at: .end(ofSection: "watched"))
                }
            }
            try store.edit("Check") { try $0.toggle(.item(Self.watched)) }
        }
        try store.edit("Delete") { try $0.deleteSection(.section("gone")) }
        try store.close()
        return try withStore(path) { store in
            let statistics = try store.statistics()
            return 100 * Double(statistics.rowIndexBytes) / Double(statistics.fileBytes)
        }
    }

    private func withStore<Result>(_ path: String, _ body: (UntypedStore) throws -> Result) throws -> Result {
        let store = try UntypedStore.open(at: path, options: StoredList.options())
        let result = try body(store)
        try store.close()
        return result
    }
}
