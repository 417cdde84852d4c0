// Tests edits of sections, and the reload that replaces everything.

import ListModel
import TestSupport
import Testing

@Suite("Edits of sections")
struct SectionEditTests {
    private static let start = [[1, 2], [], [3, 4, 5]]

    private func expect(
        _ expected: [UntypedID], rows: [[UntypedID]], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout UntypedEditor) throws -> Void
    ) throws {
        var list = try MemoryList(Self.start)
        let before = list.snapshot()
        let events = try list.events(body)
        #expect(list.sectionIDs() == expected, sourceLocation: sourceLocation)
        #expect(list.ids() == rows, sourceLocation: sourceLocation)
        #expect(events.count == 1, sourceLocation: sourceLocation)
        try list.editor.checkInvariants()
        for (index, id) in expected.enumerated() {
            #expect(list.editor.state.indexOfSection(id) == index, sourceLocation: sourceLocation)
        }
        try list.undo()
        #expect(list.snapshot().stateHash == before.stateHash, sourceLocation: sourceLocation)
        try list.editor.checkInvariants()
    }

    @Test("A section can be inserted at an index, at the end and beside another, with its rows")
    func insert() throws {
        let new = NewSection(9, [6, 7])
        let (first, last): ([[UntypedID]], [[UntypedID]]) = (
            [[6, 7], [1, 2], [], [3, 4, 5]], [[1, 2], [], [3, 4, 5], [6, 7]]
        )
        try expect(["s9", "s0", "s1", "s2"], rows: first) { try $0.insertSection(new, at: .at(0)) }
        try expect(["s9", "s0", "s1", "s2"], rows: first) { try $0.insertSection(new, at: .before("s0")) }
        try expect(["s0", "s1", "s2", "s9"], rows: last) { try $0.insertSection(new) }
        try expect(["s0", "s1", "s2", "s9"], rows: last) { try $0.insertSection(new, at: .at(3)) }
        try expect(["s0", "s9", "s1", "s2"], rows: [[1, 2], [6, 7], [], [3, 4, 5]]) {
            try $0.insertSection(new, at: .after("s0"))
        }
    }

    @Test("A section is deleted with its rows")
    func delete() throws {
        try expect(["s1", "s2"], rows: [[], [3, 4, 5]]) { try $0.deleteSection(.section("s0")) }
        try expect(["s0", "s1"], rows: [[1, 2], []]) { try $0.deleteSection(.at(2)) }
        var list = try MemoryList(Self.start)
        try list.commit { try $0.deleteSection(.section("s2")) }
        #expect(list.editor.state.itemCount == 2)
        for id in [3, 4, 5] as [UntypedID] { #expect(list.editor.state.indexPath(of: id) == nil) }
        // Its id and those of its rows can be used again.
        try list.commit { try $0.insertSection(NewSection(2, [5]), at: .at(0)) }
        #expect(list.editor.state.indexPath(of: 5) == ListIndexPath(0, 0))
    }

    @Test("A section moves with its rows, to an index that does not count it")
    func move() throws {
        let last: [[UntypedID]] = [[], [3, 4, 5], [1, 2]]
        try expect(["s1", "s2", "s0"], rows: last) { try $0.moveSection(.at(0), to: .at(2)) }
        try expect(["s1", "s2", "s0"], rows: last) { try $0.moveSection(.section("s0"), to: .end) }
        try expect(["s1", "s2", "s0"], rows: last) { try $0.moveSection(.section("s0"), to: .after("s2")) }
        let first: [[UntypedID]] = [[3, 4, 5], [1, 2], []]
        try expect(["s2", "s0", "s1"], rows: first) { try $0.moveSection(.section("s2"), to: .before("s0")) }
        try expect(["s2", "s0", "s1"], rows: first) { try $0.moveSection(.at(2), to: .at(0)) }
        let second: [[UntypedID]] = [[], [1, 2], [3, 4, 5]]
        try expect(["s1", "s0", "s2"], rows: second) { try $0.moveSection(.at(0), to: .before("s2")) }
        var list = try MemoryList(Self.start)
        try list.commit { try $0.moveSection(.section("s2"), to: .at(0)) }
        #expect(list.editor.state.indexPath(of: 4) == ListIndexPath(0, 1))
        #expect(list.editor.state.indexPath(of: 2) == ListIndexPath(1, 1))
    }

    @Test("Renaming changes the title of a section and not its rows")
    func rename() throws {
        var list = try MemoryList(Self.start)
        let events = try list.events { try $0.renameSection(.section("s2"), to: "Später") }
        #expect(events == [.sectionRenamed(at: 2, "s2", old: "s2", new: "Später")])
        #expect(list.snapshot().sections.map(\.title) == ["s0", "s1", "Später"])
        #expect(list.ids() == [[1, 2], [], [3, 4, 5]])
        try list.commit { try $0.renameSection(.at(0), to: "") }
        #expect(list.snapshot().sections[0].title.isEmpty)
    }

    @Test("A title with other bytes is another title, even if it looks the same")
    func renameByBytes() throws {
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(id: 1, title: "caf\u{E9}")) }
        let events = try list.events { try $0.renameSection(.at(0), to: "cafe\u{301}") }
        #expect(events.count == 1)
        #expect(Array(list.snapshot().sections[0].title.utf8) == Array("cafe\u{301}".utf8))
    }

    @Test("A reload replaces everything as one event; ids of the old list may occur again")
    func reload() throws {
        let new = [NewSection(2, [5, 1]), NewSection(7, [8]), NewSection(1)]
        try expect(["s2", "s7", "s1"], rows: [[5, 1], [8], []]) { try $0.reload(new) }
        try expect([], rows: []) { try $0.reload([]) }
        var list = try MemoryList(Self.start)
        try list.commit { try $0.reload(new) }
        #expect(list.editor.state.indexPath(of: 1) == ListIndexPath(0, 1))
        #expect(list.editor.state.indexPath(of: 4) == nil)
        #expect(list.editor.state.itemCount == 3)
    }

    @Test("Freed section numbers are used again, and lookups stay right")
    func sectionNumbersAreReused() throws {
        var list = try MemoryList([[1], [2], [3]])
        for round in 0..<30 {
            let (gone, back) = (round % 3, 10 + round)
            try list.commit { editor in
                try editor.deleteSection(.at(gone))
                try editor.insertSection(NewSection(back, [100 + round]), at: .at((round * 2) % 3))
            }
            for (section, ids) in list.ids().enumerated() {
                #expect(list.editor.state.indexPath(of: ids[0]) == ListIndexPath(section, 0), "round \(round)")
            }
            try list.editor.checkInvariants()
        }
    }
}
