// Tests the history of a store: what survives a restart, what is one step, and the state for menus.

import ListModel
@testable import Listory
import TestSupport
import Testing

/// A store with a clock that the test advances.
struct TimedStore {
    let folder: TemporaryFolder
    let path: String
    private(set) var store: UntypedStore
    let time = TestTime()

    init(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        var options = StoreOptions()
        CheckpointTests.eager(&options)
        options.coalescing = .standard
        change(&options)
        options.now = { [time] in time.now }
        let fixture = try StoreFixture(options: options)
        (folder, path, store) = (fixture.folder, fixture.path, fixture.store)
    }

    /// One commit, a second after the one before.
    @discardableResult
    func edit(
        _ name: String = "Edit", by origin: String = "", after milliseconds: Int64 = 1_000,
        tracking: Tracking? = nil, isDiscardable: Bool = false, _ body: (inout UntypedEditor) throws -> Void
    ) throws -> Version {
        time.advance(milliseconds: milliseconds)
        let commit = try store.edit(
            name, origin: origin, tracking: tracking, isDiscardable: isDiscardable, body)
        return try #require(commit).version
    }

    mutating func reopen(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        try store.close()
        var options = store.options
        change(&options)
        store = try UntypedStore.open(at: path, options: options)
    }

    /// The ids of the rows of each section.
    var ids: [[UntypedID]] {
        get throws { try store.snapshot.sections.map { $0.items.map(\.id) } }
    }
}

@Suite("The history of a store")
struct StoreHistoryTests {
    private func start(_ fixture: TimedStore, _ rows: [Int] = [1, 2, 3]) throws {
        try fixture.edit("Start") { try $0.insertSection(NewSection(0, rows)) }
    }

    @Test(
        "As many redos as undos restore every hash, on every branch, with a reopening at every step",
        arguments: 1...3 as ClosedRange<UInt64>)
    func branchesAcrossRestarts(seed: UInt64) throws {
        var fixture = try TimedStore { $0.coalescing = .never }
        var edits = RandomEdits(seed: seed)
        func edit(_ count: Int) throws {
            var made = 0
            while made < count {
                let rows = try ReferenceList(fixture.store.snapshot, GroupSource(base: fixture.store.source))
                let operation = edits.next(rows)
                fixture.time.advance(milliseconds: 1_000)
                if (try? fixture.store.edit("Edit", { try $0.apply(operation) })) ?? nil != nil { made += 1 }
            }
        }
        try edit(12)
        for round in 0..<4 {
            try fixture.store.undo(3 + round)
            try edit(4)
        }
        let branches = try fixture.store.branches()
        #expect(branches.count == 5 && branches.filter(\.isCurrent).count == 1)
        for branch in branches {
            try fixture.store.go(to: branch.tip)
            var hashes = [try fixture.store.snapshot.stateHash]
            #expect(hashes[0] == (try fixture.store.commit(branch.tip).stateHash))
            let depth = try fixture.store.history.undoCount
            #expect(depth == branch.stepCount)
            for _ in 0..<depth {
                try fixture.store.undo()
                try fixture.reopen()
                hashes.append(try fixture.store.snapshot.stateHash)
            }
            #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) { try fixture.store.undo() }
            #expect(hashes.last == UntypedSnapshot.empty.stateHash)
            for hash in hashes.dropLast().reversed() {
                try fixture.store.redo()
                try fixture.reopen()
                try #require(try fixture.store.snapshot.stateHash == hash, "seed \(seed)")
            }
            #expect(throws: ListError.nothingToRedo(requested: 1, available: 0)) { try fixture.store.redo() }
            #expect(Set(try fixture.store.branches().map(\.tip)) == Set(branches.map(\.tip)))
        }
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version > Version(100))
    }

    @Test("Typing is one step until a pause, a barrier, or the next time the store is opened")
    func typing() throws {
        var fixture = try TimedStore()
        try start(fixture)
        func type(_ byte: UInt8, after milliseconds: Int64 = 100) throws {
            try fixture.edit("Type", after: milliseconds) { try $0.update(1, content: [byte]) }
        }
        func content() throws -> [UInt8] { try fixture.store.content(of: 1) }
        for byte in 10...14 as ClosedRange<UInt8> { try type(byte) }
        #expect(try fixture.store.history.undoCount == 2)
        try type(20, after: 501)
        try fixture.store.breakUndoCoalescing()
        try type(30)
        try fixture.reopen()
        try type(40)
        try type(41, after: 500)
        #expect(try fixture.store.history.undoCount == 5)
        for expected in [30, 20, 14, 1] as [UInt8] {
            #expect(try fixture.store.undo().versions.isEmpty == false)
            #expect(try content() == [expected])
            try fixture.reopen()
        }
        #expect(try fixture.store.undoState().redoTitle() == "Redo Type")
        try fixture.store.redo(4)
        #expect(try content() == [41])
    }

    @Test("A group is one step with one name, across calls; if a crash ends it, its commits so far are a step")
    func groups() throws {
        var fixture = try TimedStore()
        try start(fixture)
        try fixture.store.group("Tidy up") {
            try fixture.edit("Delete") { try $0.delete(.item(1)) }
            try fixture.store.group("Inner") { try fixture.edit("Move") { try $0.move(.item(3), to: .before(2)) } }
            #expect(throws: ListError.self) { try fixture.store.undo() }
            try fixture.edit("Check") { try $0.toggle(.item(2)) }
        }
        #expect(try fixture.store.undoState().undoTitle() == "Undo Tidy up")
        #expect(try fixture.store.undo().versions == [Version(4), Version(3), Version(2)])
        #expect(try fixture.ids == [[1, 2, 3]])
        #expect(try fixture.store.redo().versions == [Version(2), Version(3), Version(4)])
        try fixture.store.beginGroup("Never ended")
        try fixture.edit { try $0.delete(.item(2)) }
        try fixture.edit { try $0.delete(.item(3)) }
        try fixture.reopen()
        try fixture.store.undo()
        #expect(try fixture.ids == [[3, 2]])
        #expect(throws: ListError.self) { try fixture.store.endGroup() }
        #expect(throws: CancellationError.self) {
            try fixture.store.group("Fails") {
                try fixture.edit { try $0.toggle(.item(3)) }
                throw CancellationError()
            }
        }
        // The group has ended nevertheless.
        try fixture.store.undo()
        #expect(try fixture.store.history.redoCount == 1)
    }

    @Test("The state for menus has the next undo and redo and their counts, within the limit")
    func menus() throws {
        var fixture = try TimedStore { $0.undoLimit = 2 }
        #expect(try fixture.store.undoState() == .nothing)
        #expect(try fixture.store.undoState().undoTitle() == "Undo")
        try start(fixture)
        try fixture.edit("Check Milk", by: "phone", isDiscardable: true) { try $0.toggle(.item(1)) }
        let newest = try fixture.edit("Move Milk") { try $0.move(.item(1), to: .end(ofSection: "s0")) }
        var state = try fixture.store.undoState()
        #expect(state.canUndo && !state.canRedo && state.undoCount == 2)
        #expect(state.undoTitle() == "Undo Move Milk" && state.undo?.version == newest)
        #expect(state.undo?.isDiscardable == false)
        try fixture.store.undo()
        state = try fixture.store.undoState()
        #expect(state.redoTitle("Wiederholen:") == "Wiederholen: Move Milk" && state.undoCount == 1)
        #expect(state.undo?.isDiscardable == true && state.undo?.origin == "phone")
        try fixture.store.undo()
        #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) { try fixture.store.undo() }
        #expect(try !fixture.store.undoState().canUndo)
        // Revisions beyond the limit can be checked out, and another limit can be chosen.
        try fixture.store.go(to: .empty)
        #expect(try fixture.ids == [])
        try fixture.store.redo(3)
        try fixture.reopen { $0.undoLimit = .max }
        try fixture.store.undo(3)
        #expect(try fixture.ids == [])
    }

    @Test("The sequence of undo states has every change of the next undo and redo")
    func observation() async throws {
        let fixture = try TimedStore()
        var states = try fixture.store.undoStates().makeAsyncIterator()
        #expect(await states.next() == .nothing)
        try start(fixture)
        #expect(await states.next()?.undo?.name == "Start")
        try fixture.store.undo()
        let undone = await states.next()
        #expect(undone?.redo?.name == "Start" && undone?.canUndo == false)
        try fixture.edit("Other", tracking: .untracked) { try $0.insertSection(NewSection(1)) }
        try fixture.edit("Again") { try $0.insertSection(NewSection(2)) }
        #expect(await states.next()?.undo?.name == "Again")
        try fixture.store.close()
        #expect(await states.next() == nil)
    }

    @Test("Selections are restored by undo, redo and go")
    func selections() throws {
        let fixture = try TimedStore()
        try start(fixture)
        for byte in 1...3 as ClosedRange<UInt8> {
            try fixture.edit("Type", after: 100) { list in
                try list.update(1, content: [50 + byte])
                list.attachSelection(before: [byte - 1], after: [byte])
            }
        }
        try fixture.edit("Other") { try $0.toggle(.item(2)) }
        #expect(try fixture.store.selection(after: fixture.store.undo()) == nil)
        #expect(try fixture.store.selection(after: fixture.store.undo()) == [0])
        #expect(try fixture.store.selection(after: fixture.store.redo()) == [3])
        #expect(try fixture.store.selection(after: fixture.store.go(to: Version(1))) == nil)
        #expect(try fixture.store.selection(after: fixture.store.go(to: Version(3))) == [2])
        #expect(try fixture.store.selection(after: fixture.store.go(to: .empty)) == nil)
        // The root has no selection.
        #expect(try fixture.store.selection(after: fixture.store.go(to: .empty)) == nil)
        #expect(try fixture.store.selection(after: fixture.store.redo(2)) == [3])
    }

    @Test("Each origin undoes its own edits, also after a restart; conflicts are refused or reported")
    func origins() throws {
        var fixture = try TimedStore { $0.undoScope = .origin }
        try start(fixture)
        try fixture.edit("Add", by: "ann") { try $0.insert(NewRow(10), at: .before(1)) }
        try fixture.edit("Check", by: "bob") { try $0.toggle(.item(10)) }
        try fixture.edit("Sync", by: "sync", tracking: .untracked) { try $0.insert(NewRow(20), at: .after(10)) }
        try fixture.reopen()
        #expect(try fixture.store.history(of: "ann").undoCount == 1 && fixture.store.history(of: "sync").undoCount == 0)
        let version = try fixture.store.version
        #expect(throws: ListError.conflicts([MergeConflict(.item(10), .changed)])) {
            try fixture.store.undo(origin: "ann")
        }
        #expect(try fixture.store.version == version)
        try fixture.store.undo(origin: "bob")
        try fixture.store.undo(origin: "ann")
        #expect(try fixture.ids == [[20, 1, 2, 3]])
        #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) { try fixture.store.undo(origin: "ann") }
        try fixture.store.redo(origin: "ann")
        try fixture.edit("Delete", by: "bob") { try $0.delete(.item(10)) }
        // Others have already deleted it: nothing is left to do, and that is no conflict.
        let undo = try fixture.store.undo(origin: "ann")
        #expect(undo.conflicts.isEmpty && undo.commit?.eventCount == 0)
        let redo = try fixture.store.undo(origin: "bob", onConflict: .skip)
        #expect(redo.conflicts.isEmpty)
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("Any single commit can be reverted and any version restored, each by a commit that can be undone")
    func revertAndRestore() throws {
        let fixture = try TimedStore()
        try start(fixture)
        let move = try fixture.edit("Move") { try $0.move(.item(3), to: .before(1)) }
        let update = try fixture.edit("Rename") { try $0.update(2, content: [99]) }
        try fixture.edit("Delete") { try $0.delete(.item(1)) }
        let before = try fixture.store.snapshot
        let reverted = try #require(try fixture.store.revert(move, origin: "me").commit)
        #expect(reverted.name == "Move" && reverted.cause == .revert(of: move) && reverted.origin == "me")
        #expect(try fixture.ids == [[2, 3]])
        try fixture.edit("Again") { try $0.update(2, content: [100]) }
        #expect(throws: ListError.conflicts([MergeConflict(.item(2), .changed)])) { try fixture.store.revert(update) }
        let skipped = try fixture.store.revert(update, onConflict: .skip)
        #expect(skipped.commit == nil && skipped.conflicts == [MergeConflict(.item(2), .changed)])
        #expect(throws: ListError.notInHistory(Version(99))) { try fixture.store.revert(Version(99)) }
        #expect(throws: ListError.notInHistory(.empty)) { try fixture.store.revert(.empty) }
        try fixture.store.undo(2)
        #expect(try fixture.store.snapshot.stateHash == before.stateHash)

        let updates = try fixture.store.updates()
        let restored = try #require(try fixture.store.restore(Version(1), origin: "me"))
        #expect(restored.cause == .restore(of: Version(1)) && restored.name == "Restore")
        #expect(try fixture.store.snapshot.stateHash == fixture.store.commit(Version(1)).stateHash)
        #expect(try fixture.store.content(of: 2) == [2])
        let changes = Changeset(from: updates.initial, to: try fixture.store.snapshot)
        #expect(!changes.isEmpty)
        #expect(try fixture.store.restore(Version(1)) == nil)
        try fixture.store.undo()
        #expect(try fixture.store.snapshot.stateHash == before.stateHash)
        #expect(throws: ListError.notInHistory(Version(99))) { try fixture.store.restore(Version(99)) }
    }
}

extension UntypedStore {
    /// The content of the row of an id.
    func content(of id: UntypedID) throws -> [UInt8] {
        let row = try #require(try item(id))
        return try source.withContent(of: row.content) { Array($0) }
    }
}
