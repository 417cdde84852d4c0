// Random histories with everything that a log can have: undo, redo, go, revert, restore, groups, several origins, outlines,
// annotations, contents of any bytes.
//
// Always holds: the same seed makes the same history.

import Foundation
import ListModel
import Listory
import TestSupport

/// Makes a store with a random history.
struct RandomHistory {
    private var random: SeededGenerator
    private var nextID: Int64 = 1
    private var time: Int64 = 1_772_366_400_000_000

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Makes a store of so many edits.
    mutating func make(at path: String, edits: Int, undoScope: UndoScope) throws {
        var options = StoreOptions()
        options.coalescing = .never
        options.undoScope = undoScope
        let store = try UntypedStore.create(at: path, options: options)
        for index in 0..<edits {
            // What is refused (nothing to undo, a conflict) makes no commit.
            do { try step(store, index) } catch let error as ListError where error.isRejection {}
        }
        try store.close()
    }

    private mutating func step(_ store: UntypedStore, _ index: Int) throws {
        let origin = pick(["", "anna", "bén \u{202E}"])
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: try store.undo(Int.random(in: 1...2, using: &random), origin: origin, onConflict: .skip)
        case 2: try store.redo(origin: origin, onConflict: .skip)
        case 3: try store.go(to: version(store), origin: origin, onConflict: .skip)
        case 4: try store.revert(version(store), origin: origin, onConflict: .skip)
        case 5: try store.restore(version(store), origin: origin)
        case 6:
            try store.group("Group \(index)", origin: origin) {
                for _ in 0..<3 { try edit(store, "Part", origin) }
            }
        default: try edit(store, pick(["Edit \(index)", "", "a\nb \u{1B}[31m"]), origin)
        }
    }

    private mutating func edit(_ store: UntypedStore, _ name: String, _ origin: String) throws {
        time += Int64.random(in: -1_000_000...600_000_000, using: &random)
        let tracking: Tracking? = Int.random(in: 0..<10, using: &random) == 0 ? .untracked : nil
        let snapshot = try store.snapshot
        var copy = self
        defer { self = copy }
        try store.edit(
            name, origin: origin, time: Timestamp(microseconds: time), tracking: tracking,
            isDiscardable: Bool.random(using: &copy.random)
        ) { list in
            for _ in 0..<Int.random(in: 1...3, using: &copy.random) {
                do { try copy.change(&list, snapshot) } catch let error as ListError where error.isRejection {}
            }
        }
    }

    private mutating func change(_ list: inout UntypedEditor, _ rows: UntypedSnapshot) throws {
        let sections = Array(rows.sections)
        guard let section = sections.randomElement(using: &random) else {
            return try list.insertSection(NewSection(id: id(), title: "First", items: [row()]))
        }
        let known = section.items.randomElement(using: &random)?.id ?? .integer(0)
        let other = sections.randomElement(using: &random)!.id
        switch Int.random(in: 0..<16, using: &random) {
        case 0: try list.insertSection(NewSection(id: id(), title: "Title \u{7}", items: [row(), row()]), at: .at(0))
        case 1: try list.deleteSection(.section(section.id))
        case 2: try list.moveSection(.section(section.id), to: .end)
        case 3: try list.renameSection(.section(section.id), to: "Renamed")
        case 4:
            try list.reload([NewSection(id: id(), title: "", items: [row()]), NewSection(id: id(), items: [row()])])
        case 5: try list.delete(.item(known))
        case 6: try list.move(.item(known), to: .section(other, at: 0))
        case 7: try list.toggle(.item(known))
        case 8: try list.update(known, content: content())
        case 9: try list.indent(known)
        case 10: try list.collapse(known)
        case 11: list.annotate(pick(["selection", ""]), with: content())
        default:
            try list.insert(
                (0..<Int.random(in: 1...4, using: &random)).map { _ in row() }, at: .end(ofSection: section.id))
        }
    }

    private mutating func row() -> NewRow {
        NewRow(id: id(), isChecked: Bool.random(using: &random), content: content())
    }

    private mutating func id() -> UntypedID {
        nextID += 1
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .string("\(nextID)")
        case 1: .string(UUID(uuid: bytes()).uuidString)
        case 2: .uuid(UUID(uuid: bytes()))
        default: .integer(nextID * (Bool.random(using: &random) ? 1 : -1))
        }
    }

    private mutating func bytes() -> uuid_t {
        let (low, high) = (random.next(), random.next())
        return withUnsafeBytes(of: (low, high)) { $0.loadUnaligned(as: uuid_t.self) }
    }

    private mutating func content() -> [UInt8] {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 1: Array(#"{ "title" : "spaced", "a":1.0 }"#.utf8)
        case 2: Array(#"{"$base64":"AAE="}"#.utf8)
        case 3: Array(#"{"$utf8":"x"}"#.utf8)
        case 4: Array(#""é\#u{202E}<script>""#.utf8)
        case 5: ContentEnvelope(version: 2, content: Array(#"{"title":"new"}"#.utf8)).bytes
        default: Array(#"{"title":"Row \#(nextID)"}"#.utf8)
        }
    }

    private mutating func version(_ store: UntypedStore) throws -> Version {
        Version(UInt64.random(in: 0...(try store.version.rawValue), using: &random))
    }

    private mutating func pick(_ names: [String]) -> String { names.randomElement(using: &random)! }
}
