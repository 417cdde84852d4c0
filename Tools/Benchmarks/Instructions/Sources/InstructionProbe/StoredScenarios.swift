// Counts operations on lists in files, which another run of this program has made.
//
// Always holds: no work in the background changes the counts; checkpoints are taken by the edits.

import ListModel
import Listory

/// A long list in a file, and one with a long log.
struct StoredScenarios {
    let rowCount: Int
    let eventCount: Int
    let folder: String

    private var list: String { "\(folder)/list.listory" }
    private var log: String { "\(folder)/log.listory" }

    private var indexed: String { "\(folder)/indexed.listory" }

    private var options: StoreOptions {
        var options = StoreOptions()
        options.durability = .deferred
        options.coalescing = .never
        options.now = { Timestamp(microseconds: 1_700_000_000_000_000) }
        return options
    }

    private var withoutCheckpoints: StoreOptions {
        var options = options
        options.checkpoints = .never
        return options
    }

    /// Checkpoints are taken by the edits. In the background, time would decide which version one is of, and so what is indexed
    /// by then.
    private var withPromptCheckpoints: StoreOptions {
        var options = options
        options.checkpoints.isBackground = false
        return options
    }

    /// Makes the files.
    func prepare() throws {
        let store = try UntypedStore.create(at: list, options: withPromptCheckpoints)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: EditPlan.section, title: "Today")) }
        for start in stride(from: 0, to: rowCount, by: 10_000) {
            let items = (start..<min(start + 10_000, rowCount)).map { EditPlan.item(Int64($0)) }
            try store.edit("Import") { try $0.insert(items, at: .end(ofSection: EditPlan.section)) }
        }
        var plan = EditPlan(rowCount: rowCount)
        // Each checkpoint indexes a part of the import, so that none of it is left for what is counted.
        let edits = plan.mixed(rowCount / 200)
        for (index, edit) in edits.enumerated() {
            try store.edit("Edit") { try edit.make(&$0) }
            if index % (edits.count / 8 + 1) == 0 { try store.checkpoint() }
        }
        try store.checkpoint()
        try store.copy(to: indexed)
        try store.close()
        let long = try UntypedStore.create(at: log, options: withoutCheckpoints)
        try long.edit("Begin") { try $0.insertSection(NewSection(id: EditPlan.section, title: "Today")) }
        try EditPlan.forEachOfLog(eventCount) { edit in try long.edit("Edit") { try edit.make(&$0) } }
        try long.close()
    }

    /// Counts everything.
    func count() throws {
        try countOpening()
        try countReplay()
        try countCheckpoints()
    }

    private func countOpening() throws {
        var opened: UntypedStore?
        try counting("open", 1) { opened = try UntypedStore.open(at: list, options: withoutCheckpoints) }
        let store = opened!
        try counting("open/first 50 rows", 1) {
            for row in try store.snapshot.sections[0].items.prefix(50) {
                use(try store.source.withContent(of: row.content) { $0.count })
            }
        }
        // The ids of new rows must not be those of `prepare`.
        var plan = EditPlan(rowCount: rowCount, firstFresh: 1 << 41)
        let edits = plan.edits("toggle", rowCount / 2_000) + plan.edits("insert", rowCount / 2_000)
        for (index, edit) in edits.enumerated() where index % 2 == 0 { try store.edit("Edit") { try edit.make(&$0) } }
        let rest = edits.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        try counting("store/edit", rest.count) {
            for edit in rest { try store.edit("Edit") { try edit.make(&$0) } }
        }
        // Before the background flush has written a record, it is read from another place. A store that is closed has
        // written all of them.
        try store.close()
        let reopened = try UntypedStore.open(at: list, options: withoutCheckpoints)
        try counting("store/undo", rest.count) { for _ in rest { _ = try reopened.undo() } }
        try counting("store/redo", rest.count) { for _ in rest { _ = try reopened.redo() } }
        try reopened.close()
    }

    /// Counts edits and the checkpoints that they make due, which extend the index of touches. `count` finds the share of the
    /// index in the profile: two runs, with the index and without, differ by more than it takes, because the journal is
    /// drained by this thread or by another one.
    private func countCheckpoints() throws {
        let store = try UntypedStore.open(at: indexed, options: withPromptCheckpoints)
        var plan = EditPlan(rowCount: rowCount, firstFresh: 1 << 42)
        // As many whatever the list, because what the index costs depends on how often its segments are merged: a single one may
        // cost as much as all edits of a short run. So many edits make 40 segments or more, which are merged several times.
        let editCount = 100_000
        let kinds = ["toggle", "insert", "update", "move"].map { plan.edits($0, editCount / 4) }
        let edits = (0..<editCount / 4).flatMap { index in kinds.map { $0[index] } }
        try counting("checkpoints", edits.count) {
            for edit in edits { try store.edit("Edit") { try edit.make(&$0) } }
        }
        try store.close()
    }

    private func countReplay() throws {
        var store: UntypedStore?
        try counting("open/replay, an event", eventCount) {
            store = try UntypedStore.open(at: log, options: withoutCheckpoints)
        }
        use(Int(store!.recovery.eventCount))
        try store!.close()
    }
}
