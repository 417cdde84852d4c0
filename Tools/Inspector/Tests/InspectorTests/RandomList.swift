// Stores with random histories: edits of all kinds, undo, redo, branches, several origins.
//
// Always holds: the same seed makes the same history.

import Foundation
import ListModel
import Listory
import TestSupport
import ToolSupport

/// A store with a random history.
struct RandomList {
    private var random: SeededGenerator
    private var nextID: Int64 = 1
    private var time: Int64 = 1_772_366_400_000_000

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A store of so many edits.
    static func store(in folder: TemporaryFolder, seed: UInt64, edits: Int) throws -> UntypedStore {
        var options = StoreOptions()
        options.coalescing = .never
        let store = try UntypedStore.create(at: folder.file("random.listory"), options: options)
        var list = RandomList(seed: seed)
        try list.edit(store, edits)
        return store
    }

    /// Makes edits.
    mutating func edit(_ store: UntypedStore, _ count: Int) throws {
        for index in 0..<count {
            // What is refused (nothing to undo, a conflict) makes no commit.
            do { try step(store, index) } catch let error as ListError where error.isRejection {}
        }
        try store.waitUntilDurable()
    }

    private mutating func step(_ store: UntypedStore, _ index: Int) throws {
        let origin = ["", "anna"].randomElement(using: &random)!
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: try store.undo(origin: origin, onConflict: .skip)
        case 2: try store.redo(origin: origin, onConflict: .skip)
        case 3:
            let version = Version(UInt64.random(in: 1...max(1, try store.version.rawValue), using: &random))
            try store.go(to: version, origin: origin, onConflict: .skip)
        default:
            time += Int64.random(in: 0...600_000_000, using: &random)
            let rows = try store.snapshot
            var copy = self
            defer { self = copy }
            try store.edit("Edit \(index)", origin: origin, time: Timestamp(microseconds: time)) { list in
                for _ in 0..<Int.random(in: 1...3, using: &copy.random) {
                    do { try copy.change(&list, rows) } catch let error as ListError where error.isRejection {}
                }
            }
        }
    }

    private mutating func change(_ list: inout UntypedEditor, _ rows: UntypedSnapshot) throws {
        let sections = Array(rows.sections)
        guard let section = sections.randomElement(using: &random), let other = sections.randomElement(using: &random)
        else { return try list.insertSection(NewSection(id: id(), title: "First", items: [row(), row()])) }
        let known = section.items.randomElement(using: &random)?.id ?? .integer(0)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: try list.insertSection(NewSection(id: id(), title: "New", items: [row(), row()]), at: .at(0))
        case 1: try list.deleteSection(.section(section.id))
        case 2: try list.moveSection(.section(section.id), to: .end)
        case 3: try list.renameSection(.section(section.id), to: "Renamed \(nextID)")
        case 4: try list.delete(.item(known))
        case 5, 6, 7: try list.move(.item(known), to: .section(other.id, at: 0))
        case 8: try list.toggle(.item(known))
        case 9, 10, 11: try list.update(known, content: content("changed"))
        default: try list.insert([row(), row()], at: .section(section.id, at: section.items.count / 2))
        }
    }

    private mutating func id() -> UntypedID {
        nextID += 1
        return nextID % 5 == 0 ? .string("id \(nextID)") : .integer(nextID)
    }

    private mutating func content(_ text: String) -> [UInt8] {
        JSONValue.object(["title": .string("\(text) \(Int.random(in: 0..<1000, using: &random))")]).bytes
    }

    private mutating func row() -> NewRow { NewRow(id: id(), content: content("row")) }
}
