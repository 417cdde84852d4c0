// Random commits of all kinds, for the tests of histories.

import ListModel
import TestSupport
import Testing

@testable import Listory

extension EditedStore {
    /// A store to ``change(_:)``, whose undo scope the seed decides.
    init(
        changing seed: UInt64, targetCount: Int = 60,
        _ change: (inout StoreOptions) -> Void = CheckpointTests.eager
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let undoScope: UndoScope = Bool.random(using: &generator) ? .shared : .origin
        try self.init(seed: seed, targetCount: targetCount) { options in
            change(&options)
            options.undoScope = undoScope
        }
    }

    /// Makes commits of several origins, of which some are undone, redone, reverted, or left for another branch. It does
    /// not keep the rows of their versions.
    ///
    /// - Parameter count: how many it tries. Not all of them change anything, and some need several commits.
    mutating func change(_ count: Int) throws {
        for _ in 0..<count {
            let newest = try store.version
            let origin = ["", "anna", "ben"].randomElement(using: &edits.generator)!
            let version = Version(
                UInt64.random(in: store.oldestVersion.rawValue...newest.rawValue, using: &edits.generator))
            switch Int.random(in: 0..<40, using: &edits.generator) {
            case 0..<4: _ = try? store.undo(origin: origin, onConflict: .skip)
            case 4..<6: _ = try? store.redo(origin: origin, onConflict: .skip)
            case 6: _ = try? store.revert(version, origin: origin, onConflict: .skip)
            case 7: _ = try? store.go(to: version, origin: origin, onConflict: .skip)
            case 8: _ = try? store.restore(version, origin: origin)
            case 9..<11:
                guard let row = try store.trash(limit: 20).randomElement(using: &edits.generator) else { break }
                try checkRestoring(row)
            case 11:
                guard let row = try store.trash(limit: 20).randomElement(using: &edits.generator) else { break }
                try store.restoreSection(row.sectionID, from: row.lastVersion)
                #expect(try store.indexPath(of: row.row.id) != nil)
            case 12: try changeSeveral(origin)
            default:
                let operation = edits.next(try ReferenceList(store.snapshot, GroupSource(base: store.source)))
                _ = try? store.edit("Edit", origin: origin) { try $0.apply(operation) }
            }
        }
    }

    /// Makes one commit, within which rows come and go, and change before they go.
    private mutating func changeSeveral(_ origin: String) throws {
        var list = try ReferenceList(store.snapshot, GroupSource(base: store.source))
        var operations: [EditOperation] = []
        for _ in 0..<6 {
            let operation = edits.next(list)
            var next = list
            guard (try? next.apply(operation)) != nil else { continue }
            list = next
            operations.append(operation)
        }
        try store.edit("Several", origin: origin) { editor in
            for operation in operations { try editor.apply(operation) }
        }
    }

    /// Brings a row back, and checks that it is as it was, and that nothing else has changed.
    private func checkRestoring(_ trashed: UntypedTrashedRow) throws {
        let before = try store.snapshot
        let commit = try #require(try store.restoreRow(trashed.row.id, from: trashed.lastVersion))
        #expect(commit.name == "Restore Row" && commit.eventCount <= 2)
        let after = try store.snapshot
        let path = try #require(try store.indexPath(of: trashed.row.id))
        #expect(after.item(at: path) == trashed.row && after.sections[path.section].id == trashed.sectionID)
        var rows = after.sections.map { (id: $0.id, items: Array($0.items)) }
        rows[path.section].items.remove(at: path.item)
        if before.sectionCount < after.sectionCount {
            #expect(after.sections[path.section].title == trashed.sectionTitle)
            #expect(rows.remove(at: path.section).items.isEmpty)
        }
        #expect(rows.map(\.id) == before.sections.map(\.id))
        #expect(rows.map(\.items) == before.sections.map { Array($0.items) })
        try store.undo()
        #expect(try store.snapshot.stateHash == before.stateHash)
        if trashed.row.id.hash64 % 2 == 0 { try store.redo() }
    }
}
