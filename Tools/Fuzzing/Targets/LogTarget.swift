// Inputs of `listory import --format log`: what `export` printed, as somebody may have changed it.
//
// Always holds, and is checked: of an input that is refused, no file is left; a store that was made is exported and imported
// again to the same lines.

import Foundation
import ListModel
import Listory
@testable import ToolSupport
import TestSupport

enum LogTarget {
    static func run(_ input: [UInt8]) throws {
        let folder = try TemporaryFolder(in: StoreTarget.scratch)
        let paths = (first: folder.file("first.store"), second: folder.file("second.store"))
        var isMade = false
        try ImportTarget.typed {
            _ = try LogImport(ImportInput(name: "input", bytes: input)).write(to: paths.first)
            isMade = true
        }
        let isThere = FileManager.default.fileExists(atPath: paths.first)
        try BrokenPromise.check(isThere == isMade, "a store is there: \(isThere), it was made: \(isMade)")
        guard isMade else { return }
        let lines = try export(paths.first)
        _ = try LogImport(ImportInput(name: "lines", bytes: lines)).write(to: paths.second)
        let again = try export(paths.second)
        try BrokenPromise.check(again == lines, "the lines of the second store are others")
    }

    private static func export(_ path: String) throws -> [UInt8] {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try UntypedStore.open(at: path, options: options)
        var bytes: [UInt8] = []
        try ExportReport(store).print(progress: { _ in }, send: { bytes += $0 })
        try store.close()
        return bytes
    }

    /// Logs of a store with every kind of event and of commit, and of the same store without its first commits.
    static func seeds() throws -> [[UInt8]] {
        let folder = try TemporaryFolder(in: StoreTarget.scratch)
        let path = folder.file("seed.store")
        let store = try UntypedStore.create(at: path)
        var time: Int64 = 1_772_366_400_000_000
        func edit(_ name: String, origin: String = "", _ body: (inout UntypedEditor) throws -> Void) throws {
            time += 60_000_000
            try store.edit(name, origin: origin, time: Timestamp(microseconds: time), body)
        }
        func row(_ id: UntypedID, _ text: String, depth: Int = 0) -> NewRow {
            NewRow(id: id, content: Array(text.utf8), depth: depth)
        }
        try edit("Set up") { list in
            try list.insertSection(NewSection(id: "a", title: "A", items: [row(1, "1"), row(2, #"{"title":"2"}"#)]))
            try list.insertSection(NewSection(id: 7))
            list.annotate("why", with: [0xFF, 1])
        }
        try edit("Add", origin: "anna") { try $0.insert([row("x", "text"), row(3, "", depth: 1)], at: .after(1)) }
        try edit("Change") { list in
            try list.move(.item(2), to: .section(7, at: 0))
            try list.setChecked(true, for: .item("x"))
            try list.update(2, content: ContentEnvelope(version: 2, content: [0x32]).bytes)
            try list.changeDepth(of: .item(3), by: -1)
            try list.setCollapsed(true, for: 1)
        }
        try store.undo()
        try store.redo()
        try store.go(to: 1)
        try edit("Sections") { list in
            try list.moveSection(.section("a"), to: .at(1))
            try list.renameSection(.section(7), to: "Seven")
            try list.deleteSection(.section("a"))
        }
        try store.revert(5, onConflict: .skip)
        try store.restore(3)
        try edit("Reload") { try $0.reload([NewSection(id: "b", items: [row(.uuid(UUID()), "[1]")])]) }
        try edit("Delete") { try $0.delete(.at(ListIndexPath(section: 0, item: 0))) }
        try store.close()
        let whole = try export(path)
        try UntypedStore.compact(at: path, Compaction(keeping: .from(4)))
        return [whole, try export(path)]
    }
}
