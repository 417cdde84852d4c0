// Measures undo and redo of a commit, in memory and through a store.

import BenchSupport
import ListModel
import Listory

/// Measures undo and redo of small commits and of a large one.
struct UndoBenchmarks {
    let runner: Runner
    let scale: Scale
    let files: FileNames

    func run() throws {
        for rowCount in scale.rowCounts {
            let size = NumberText.count(rowCount)
            let large = "\(NumberText.count(scale.largeCommitSize))-edits"
            let list = Lazy { try BenchList(rowCount: rowCount) }
            for isRedo in [false, true] {
                let verb = isRedo ? "redo" : "undo"
                try runner.measure("\(verb)/memory/1-edit/\(size)", unit: "ns/commit") {
                    try sampleSmall(list.value, isRedo: isRedo)
                }
                try runner.measure("\(verb)/memory/\(large)/\(size)", unit: "µs/commit") {
                    try sampleLarge(list.value, isRedo: isRedo)
                }
            }
            let name = "undo/memory/1-edit-after-\(NumberText.count(scale.editCount))-edits/\(size)"
            try runner.measure(name, unit: "ns/commit") { try sampleAfterLarge(list.value) }
            try runStore(rowCount, size)
        }
    }

    /// The kinds of edits that always make a commit. A move may be to its own place, and make none.
    private let kinds: [EditKind] = [.insert, .delete, .toggle, .update]

    // MARK: In memory

    /// Nanoseconds per commit of one edit.
    private func sampleSmall(_ list: BenchList, isRedo: Bool) throws -> Double {
        let edits = list.planner.mixedEdits(min(scale.undoCount, list.rowCount / 4), kinds)
        let time = try list.restoring {
            for edit in edits { try list.commit([edit]) }
            return try revert(list, edits.count, isRedo: isRedo)
        }
        return time / Double(edits.count) * 1e9
    }

    /// Microseconds per commit of many edits.
    private func sampleLarge(_ list: BenchList, isRedo: Bool) throws -> Double {
        let edits = list.planner.mixedEdits(scale.largeCommitSize)
        let time = try list.restoring {
            try list.commit(edits)
            return try revert(list, 1, isRedo: isRedo)
        }
        return time * 1e6
    }

    /// Nanoseconds per commit of one edit after a very large commit, whose size must not matter.
    private func sampleAfterLarge(_ list: BenchList) throws -> Double {
        let large = list.planner.mixedEdits(scale.editCount)
        let small = list.planner.edits(1, .toggle, by: .path)
        let time = try list.restoring {
            try list.commit(large)
            try list.commit(small)
            return try list.timeUndo(1)
        }
        return time * 1e9
    }

    private func revert(_ list: BenchList, _ count: Int, isRedo: Bool) throws -> Double {
        let undo = try list.timeUndo(count)
        let redo = try list.timeRedo(count)
        return isRedo ? redo : undo
    }

    // MARK: Through a store

    private func runStore(_ rowCount: Int, _ size: String) throws {
        let names = (undo: "undo/store/1-edit/\(size)", redo: "redo/store/1-edit/\(size)")
        guard runner.wants(names.undo) || runner.wants(names.redo) else { return }
        try files.withNewFile { path in
            var options = StoreOptions()
            // One commit is undone at a time.
            options.coalescing = .never
            let store = try UntypedStore.create(at: path, options: options)
            try ListRecipe(rowCount: rowCount).forEachCommit { try store.edit("Edit", durability: .deferred, $0) }
            var planner = EditPlanner(rowCount: rowCount, seed: 3)
            try runner.measure(names.undo, unit: "ns/commit") { try sample(store, &planner, isRedo: false) }
            try runner.measure(names.redo, unit: "ns/commit") { try sample(store, &planner, isRedo: true) }
            try store.close()
        }
    }

    /// Nanoseconds per commit of one edit. The undone commits are durable when the clock starts; the undos themselves
    /// are appended in the background.
    private func sample(_ store: UntypedStore, _ planner: inout EditPlanner, isRedo: Bool) throws -> Double {
        let rows = try store.snapshot.itemCount
        let edits = planner.mixedEdits(min(scale.undoCount, rows / 4), kinds)
        for edit in edits { try store.edit("Edit", durability: .deferred) { try edit.apply(to: &$0) } }
        let undo = try time(store, edits.count) { try store.undo(durability: .deferred) }
        let redo = try time(store, edits.count) { try store.redo(durability: .deferred) }
        try store.undo(edits.count)
        return (isRedo ? redo : undo) / Double(edits.count) * 1e9
    }

    private func time(_ store: UntypedStore, _ count: Int, _ body: () throws -> Reversal) throws -> Double {
        try store.waitUntilDurable()
        return try seconds {
            for _ in 0..<count { runner.sink.take(try body().commit!.checksum) }
        }
    }
}
