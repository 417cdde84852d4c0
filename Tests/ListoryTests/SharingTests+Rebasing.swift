// Tests what becomes of steps and moves when pending commits of a replica are made again behind those of others.

@testable @_spi(Sync) import Listory
@testable import ListModel
import TestSupport
import Testing

extension SharingTests {
    @Test("An open group stays one step if nothing is left of one of its commits", arguments: [0, 1, 2, 3] as [Int64])
    func givenUpInGroup(gone: Int64) throws {
        let (files, a, b, start) = try sent(1..<5)
        var log = start
        try b.receive(log.records)
        try b.edit("Change") { list in
            if gone > 0 { try list.delete(.item(.integer(gone))) } else { try list.toggle(.item(4)) }
        }
        try send(b, &log)
        let rows = try ReferenceList(b.snapshot, b.source)
        try a.group("Write") {
            func write(_ id: Int64) throws { try a.edit("Write") { try $0.update(.integer(id), content: [9]) } }
            for id: Int64 in 1...3 { try write(id) }
            #expect(try a.receive(Array(log.records.dropFirst(4))).count { $0.reason != nil } == (gone > 0 ? 1 : 0))
            try write(4)
        }
        #expect(try ReferenceList(a.snapshot, a.source).sections[0].items.allSatisfy { $0.content == [9] })
        try a.undo()
        #expect(try ReferenceList(a.snapshot, a.source) == rows)
        withExtendedLifetime(files) {}
    }

    @Test("An undo and a redo of a step stay what they are if nothing is left of one of its commits")
    func givenUpBeforeRedo() throws {
        let (files, a, b, start) = try sent(1..<4)
        var log = start
        try b.receive(log.records)
        try b.edit("Delete", tracking: .untracked) { try $0.delete(.item(2)) }
        try send(b, &log)
        try a.group("Write") {
            for id: UntypedID in [1, 2] { try a.edit("Write") { try $0.update(id, content: [9]) } }
        }
        try a.undo()
        try a.redo()
        let causes = try a.receive(Array(log.records.dropFirst(3))).map(\.commit.cause)
        #expect(causes == [.edit, .edit, .undo(of: 5), .redo(of: 5)])
        #expect(try ReferenceList(a.snapshot, a.source).sections[0].items.map(\.content) == [[9], [3]])
        #expect(try a.history.undoCount == 4 && a.history.redoCount == 0)
        withExtendedLifetime(files) {}
    }

    @Test("A commit that another replica has made again is recognised, also if what it undoes has another name now")
    func madeAgainUnderAnotherName() throws {
        let (files, a, b, start) = try sent(1..<4)
        var log = start
        try b.receive(log.records)
        try b.edit("Delete") { try $0.delete(.item(2)) }
        try send(b, &log)
        try a.group {
            for id: UntypedID in [1, 2] { try a.edit("Write \(id)") { try $0.update(id, content: [9]) } }
        }
        let name = try a.undo().commit?.name
        let foreign = Array(log.records.dropFirst(3))
        // Of a device, and of its copy.
        let copy = try UntypedStore.open(at: copy(of: files[0]), options: a.options)
        let again = try a.receive(foreign).map(\.commit.name)
        #expect(again.last != name)
        try send(a, &log)
        #expect(try copy.pendingCount >= 3)
        let rest = Array(log.after(try #require(copy.confirmed).version))
        try copy.receive(Array(rest.dropFirst(try copy.confirm(rest))))
        #expect(try copy.pendingCount == 0 && copy.version == a.version)
        try copy.close()
        withExtendedLifetime(files) {}
    }

    @Test(
        "Of two rows that changed places, what was received says which one the other replica has moved",
        arguments: [1, 2] as [UntypedID])
    func draggedByOthers(_ dragged: UntypedID) throws {
        let (files, a, b, start) = try sent(1..<3)
        var log = start
        try a.edit("Insert") { try $0.insertSection(NewSection(id: 1, title: "")) }
        try send(a, &log)
        try b.receive(log.records)
        try b.edit("Move") { try $0.move(.item(dragged), to: dragged == 1 ? .after(2) : .before(1)) }
        try send(b, &log)
        try a.edit("Move") { try $0.move(.item(1), to: .end(ofSection: 1)) }
        let made = try #require(try a.receive(Array(log.records.dropFirst(3))).first)
        #expect(made.conflicts == (dragged == 1 ? [MergeConflict(.item(1), .moved)] : []))
        let ids = try a.snapshot.sections.map { $0.items.map(\.id) }
        #expect(ids == (dragged == 1 ? [[2, 1], []] : [[2], [1]]))
        withExtendedLifetime(files) {}
    }

    @Test("An own commit that comes back with those of others is not one of others that has moved the same row")
    func draggedByTwin() throws {
        let (files, a, b, start) = try sent(1..<3)
        var log = start
        try a.edit("Insert") { try $0.insertSection(NewSection(id: 1, title: "")) }
        try send(a, &log)
        try a.edit("Move") { try $0.move(.item(1), to: .after(2)) }
        // It arrives, and that it did is not known here.
        log.records += try a.pendingRecords(atMost: .max).records
        try a.edit("Move") { try $0.move(.item(1), to: .end(ofSection: 1)) }
        try b.receive(log.records)
        try b.edit("Move") { try $0.move(.item(2), to: .after(1)) }
        try send(b, &log)
        let made = try a.receive(Array(log.records.dropFirst(3)))
        #expect(made.count == 2 && made.allSatisfy { $0.conflicts.isEmpty })
        #expect(try a.snapshot.sections.map { $0.items.map(\.id) } == [[2], [1]])
        withExtendedLifetime(files) {}
    }
}
