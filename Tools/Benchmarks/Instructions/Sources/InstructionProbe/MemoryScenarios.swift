// Counts operations on a list in memory.

import ListModel

/// A list in memory with so many rows in one section.
struct MemoryScenarios: ~Copyable {
    private var editor: UntypedEditor
    private let log = ProbeLog()
    private var plan: EditPlan
    private static let draft = CommitDraft(name: "Edit", time: Timestamp(microseconds: 1))
    /// How many edits of a kind are made: few compared with the rows.
    private var editCount: Int { min(1_000, plan.rowCount / 100) }

    init(rowCount: Int) throws {
        editor = UntypedEditor(ListState(), source: log)
        plan = EditPlan(rowCount: rowCount)
        try commit { try $0.insertSection(NewSection(id: EditPlan.section, title: "Today")) }
        for start in stride(from: 0, to: rowCount, by: 10_000) {
            let items = (start..<min(start + 10_000, rowCount)).map { EditPlan.item(Int64($0)) }
            try commit { try $0.insert(items, at: .end(ofSection: EditPlan.section)) }
        }
        // Edits first, so that not all nodes are full as after an import.
        for edit in plan.mixed(rowCount / 50) { try commit { try edit.make(&$0) } }
    }

    private mutating func commit(_ body: (inout UntypedEditor) throws -> Void) throws {
        log.append(try editor.commit(MemoryScenarios.draft, body))
    }

    /// Counts everything.
    mutating func count() throws {
        for kind in Edit.rowKinds + Edit.sectionKinds { try countEdits(kind, keepsSnapshots: false) }
        for kind in Edit.rowKinds { try countEdits(kind, keepsSnapshots: true) }
        try countUndo()
        try countChangesets()
        try countReload()
    }

    private mutating func countEdits(_ kind: String, keepsSnapshots: Bool) throws {
        let edits = plan.edits(kind, editCount)
        var commits: [Commit?] = []
        commits.reserveCapacity(edits.count)
        var kept: UntypedSnapshot?
        try counting("edit/\(kind)" + (keepsSnapshots ? "/snapshots" : ""), edits.count) {
            for edit in edits {
                try editor.begin(MemoryScenarios.draft)
                try edit.make(&editor)
                commits.append(try editor.finish())
                if keepsSnapshots { kept = editor.snapshot() }
            }
        }
        use(kept?.itemCount ?? 0)
        commits.forEach(log.append)
    }

    private mutating func countUndo() throws {
        let edits = plan.mixed(editCount)
        for edit in edits { try commit { try edit.make(&$0) } }
        try counting("undo", edits.count) {
            for _ in edits { log.append(try editor.undo(time: MemoryScenarios.draft.time).commit) }
        }
        try counting("redo", edits.count) {
            for _ in edits { log.append(try editor.redo(time: MemoryScenarios.draft.time).commit) }
        }
    }

    /// Counts changesets of versions that are one edit apart, each compared once.
    private mutating func countChangesets() throws {
        for kind in Edit.rowKinds {
            var snapshots = [editor.snapshot()]
            for edit in plan.edits(kind, editCount / 5) {
                try commit { try edit.make(&$0) }
                snapshots.append(editor.snapshot())
            }
            counting("changeset/\(kind)", snapshots.count - 1) {
                for (old, new) in zip(snapshots, snapshots.dropFirst()) {
                    use(Changeset(from: old, to: new).items.inserted.count)
                }
            }
        }
    }

    /// Counts a reload of all rows, of which few differ; the figure is per row.
    private mutating func countReload() throws {
        let items = (0..<min(100_000, plan.rowCount)).map { EditPlan.item(Int64($0 * 3 / 2)) }
        try editor.begin(MemoryScenarios.draft)
        try counting("reload, a row", items.count) {
            try editor.reload([NewSection(id: EditPlan.section, title: "Today", items: items)])
            log.append(try editor.finish())
        }
    }

    /// Counts the replay of a log of single edits; the figure is per event.
    static func countReplay(eventCount: Int) throws {
        let log = ProbeLog()
        var editor = UntypedEditor(ListState(), source: log)
        log.append(try editor.commit(draft) { try $0.insertSection(NewSection(id: EditPlan.section, title: "Today")) })
        try EditPlan.forEachOfLog(eventCount) { edit in
            log.append(try editor.commit(draft) { try edit.make(&$0) })
        }
        var state = ListState()
        try counting("replay, an event", log.records.count) {
            var checksum: UInt64 = 0
            for record in log.records {
                checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
            }
        }
        use(state.snapshot().itemCount)
    }
}
