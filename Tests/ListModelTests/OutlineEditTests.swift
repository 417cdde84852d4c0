// Tests edits of outlines by examples and their events, and reading outlines exhaustively.

import ListModel
import TestSupport
import Testing

@Suite("Outline edits")
struct OutlineEditTests {
    /// Rows of these depths, numbered from 0, in the section "s0"; section "s1" is empty.
    static func list(_ depths: [Int], collapsed: Set<Int> = []) throws -> MemoryList {
        var list = try MemoryList([[], []])
        let items = depths.enumerated().map { index, depth in
            NewRow(
                id: .integer(Int64(index)), content: [UInt8(index)], depth: depth,
                isCollapsed: collapsed.contains(index))
        }
        if !items.isEmpty { try list.commit("rows") { try $0.insert(items, at: .end(ofSection: "s0")) } }
        return list
    }

    /// The rows of a section as text: one dot for each level of depth, the id, a minus if collapsed.
    static func text(_ list: inout MemoryList, _ section: Int = 0) -> String {
        list.snapshot().sections[section].items.map { item in
            String(repeating: ".", count: item.depth) + item.id.description + (item.isCollapsed ? "-" : "")
        }.joined(separator: " ")
    }

    private static let depths = [0, 1, 2, 1, 0, 1]

    @Test("A subtree moves as a unit, to another parent, place or section; an undo moves it back")
    func moving() throws {
        let moves: [(UntypedID, OutlineDestination, String, String)] = [
            (1, .lastChild(of: 4), "0 .3 4 .5 .1 ..2", ""), (1, .firstChild(of: 4), "0 .3 4 .1 ..2 .5", ""),
            (1, .before(4), "0 .3 1 .2 4 .5", ""), (1, .after(4), "0 .3 4 .5 1 .2", ""),
            (1, .after(3), "0 .3 .1 ..2 4 .5", ""), (3, .firstChild(of: 2), "0 .1 ..2 ...3 4 .5", ""),
            (0, .root(ofSection: "s1"), "4 .5", "0 .1 ..2 .3"), (2, .root(ofSection: "s0"), "0 .1 .3 4 .5 2", ""),
            (4, .firstChild(of: 0), "0 .4 ..5 .1 ..2 .3", ""), (4, .lastChild(of: 2), "0 .1 ..2 ...4 ....5 .3", ""),
        ]
        for (id, destination, first, second) in moves {
            var list = try Self.list(Self.depths)
            let before = list.snapshot().stateHash
            let events = try list.events { try $0.moveSubtree(id, to: destination) }
            #expect(events.count <= 2)
            #expect(Self.text(&list) == first && Self.text(&list, 1) == second, "\(id) to \(destination)")
            try list.editor.checkInvariants()
            try list.undo()
            #expect(list.snapshot().stateHash == before)
        }
    }

    @Test("A move of a subtree to its own place is no event")
    func movingNowhere() throws {
        let places: [(UntypedID, OutlineDestination)] = [
            (1, .firstChild(of: 0)), (3, .lastChild(of: 0)), (3, .after(1)), (1, .before(3)), (0, .before(4)),
        ]
        for (id, destination) in places {
            var list = try Self.list(Self.depths)
            #expect(try list.events { try $0.moveSubtree(id, to: destination) }.isEmpty, "\(id) to \(destination)")
        }
    }

    @Test("Inserted rows are children of the destination, with their own children")
    func inserting() throws {
        let new = [NewRow(id: 90, content: []), NewRow(id: 91, content: [], depth: 1)]
        let places: [(OutlineDestination, String)] = [
            (.lastChild(of: 0), "0 .1 ..2 .3 .90 ..91 4 .5"), (.firstChild(of: 1), "0 .1 ..90 ...91 ..2 .3 4 .5"),
            (.before(1), "0 .90 ..91 .1 ..2 .3 4 .5"), (.after(1), "0 .1 ..2 .90 ..91 .3 4 .5"),
            (.root(ofSection: "s0"), "0 .1 ..2 .3 4 .5 90 .91"),
        ]
        for (place, expected) in places {
            var list = try Self.list(Self.depths)
            #expect(try list.events { try $0.insert(new, in: place) }.count == 1)
            #expect(Self.text(&list) == expected)
        }
    }

    @Test("Indenting makes a row a child of the sibling before it, outdenting a sibling of its parent")
    func indenting() throws {
        var list = try Self.list(Self.depths)
        #expect(try list.events { try $0.indent(4) }.count == 1)
        #expect(Self.text(&list) == "0 .1 ..2 .3 .4 ..5")
        try list.commit { try $0.indent(3) }
        #expect(Self.text(&list) == "0 .1 ..2 ..3 .4 ..5")
        // The sibling after it stays with the parent.
        try list.commit { try $0.outdent(2) }
        #expect(Self.text(&list) == "0 .1 ..3 .2 .4 ..5")
        #expect(try list.events { try $0.outdent(4) }.count == 1)
        #expect(Self.text(&list) == "0 .1 ..3 .2 4 .5")
        for _ in 0..<4 { try list.undo() }
        #expect(Self.text(&list) == "0 .1 ..2 .3 4 .5")
    }

    @Test("A subtree is deleted as a unit, also if some of its rows are named as well")
    func deleting() throws {
        var list = try Self.list(Self.depths)
        #expect(try list.events { try $0.deleteSubtrees([1, 2, 5]) }.count == 2)
        #expect(Self.text(&list) == "0 .3 4")
        try list.undo()
        #expect(try list.events { try $0.deleteSubtrees([4, 0, 4]) }.count == 1)
        #expect(Self.text(&list) == "")
        try list.undo()
        #expect(Self.text(&list) == "0 .1 ..2 .3 4 .5")
    }

    @Test("If a row is deleted or moved alone, its children belong to the row before them that is less deep")
    func aloneWithoutChildren() throws {
        var list = try Self.list(Self.depths)
        try list.commit { try $0.delete(.item(1)) }
        #expect(Self.text(&list) == "0 ..2 .3 4 .5")
        #expect(list.snapshot().sections[0].outline.parent(of: 1) == 0)
        #expect(list.snapshot().sections[0].outline.level(of: 1) == 1)
        try list.commit { try $0.move(.item(4), to: .at(ListIndexPath(0, 0))) }
        #expect(Self.text(&list) == "4 0 ..2 .3 .5")
    }

    @Test("Collapsing is an event for each row that changes, and an undo expands exactly those")
    func collapsing() throws {
        var list = try Self.list(Self.depths)
        #expect(try list.events { try $0.collapse(0) }.count == 1)
        #expect(try list.events { try $0.collapse(0) }.isEmpty)
        #expect(try list.events { try $0.collapse(0, recursively: true) }.count == 1)
        #expect(Self.text(&list) == "0- .1- ..2 .3 4 .5")
        #expect(try list.events { try $0.expand(0, recursively: true) }.count == 2)
        try list.undo()
        #expect(Self.text(&list) == "0- .1- ..2 .3 4 .5")
        // A row without children can be collapsed too, on its own.
        #expect(try list.events { try $0.collapse(5) }.count == 1)
    }

    @Test("A change of depth and of collapsed is an update of the row in a changeset")
    func changeset() throws {
        var list = try Self.list(Self.depths)
        let before = list.snapshot()
        try list.commit { editor in
            try editor.indent(4)
            try editor.collapse(1)
        }
        var expected = Changeset()
        expected.items.updated = [1, 4, 5].map { ListIndexPath(0, $0) }
        #expect(Changeset(from: before, to: list.snapshot()) == expected)
    }

    @Test("Bad input is a typed error, and the rows do not change")
    func errors() throws {
        var list = try Self.list(Self.depths)
        try list.expectError(.movedOntoItself(1)) { try $0.moveSubtree(1, to: .after(1)) }
        try list.expectError(.movedOntoItself(0)) { try $0.moveSubtree(0, to: .lastChild(of: 2)) }
        try list.expectError(.unknownItem(99)) { try $0.moveSubtree(99, to: .after(1)) }
        try list.expectError(.unknownItem(99)) { try $0.moveSubtree(1, to: .after(99)) }
        try list.expectError(.unknownSection("x")) { try $0.moveSubtree(1, to: .root(ofSection: "x")) }
        try list.expectError(.unknownItem(99)) { try $0.deleteSubtrees([1, 99]) }
        try list.expectError(.cannotIndent(0)) { try $0.indent(0) }
        try list.expectError(.cannotIndent(1)) { try $0.indent(1) }
        try list.expectError(.cannotOutdent(4)) { try $0.outdent(4) }
        try list.expectError(.unknownItem(99)) { try $0.indent(99) }
        try list.expectError(.unknownItem(99)) { try $0.outdent(99) }
        try list.expectError(.unknownItem(99)) { try $0.collapse(99) }
        try list.expectError(.depthOutOfRange(2, depth: 64)) { try $0.changeDepth(of: .item(2), by: 62) }
        try list.expectError(.depthOutOfRange(0, depth: -1)) { try $0.changeDepth(of: .items([0, 1]), by: -1) }
        try list.expectError(.depthOutOfRange(0, depth: .max)) { try $0.changeDepth(of: .items([0]), by: .max) }
        for depth in [-1, 64, Int.min, .max] {
            let item = NewRow(id: 90, content: [], depth: depth)
            try list.expectError(.depthOutOfRange(90, depth: depth)) { try $0.insert(item, at: .end(ofSection: "s0")) }
            try list.expectError(.depthOutOfRange(90, depth: depth)) { try $0.insert([item], in: .after(0)) }
        }
        let deep = NewRow(id: 90, content: [], depth: 63)
        try list.expectError(.depthOutOfRange(90, depth: 64)) { try $0.insert([deep], in: .lastChild(of: 0)) }
        try list.expectError(.duplicateItem(2)) { try $0.insert([NewRow(2)], in: .lastChild(of: 0)) }
        #expect(Self.text(&list) == "0 .1 ..2 .3 4 .5")
    }

    // MARK: Reading

    @Test("Parents, levels, subtrees, children and visible rows of every outline of up to five rows")
    func everySmallOutline() throws {
        for count in 1...5 {
            var number = 0
            let outlines = 1 << (2 * count)
            while number < outlines {
                let depths = (0..<count).map { (number >> (2 * $0)) & 3 }
                // Other rows are collapsed in each outline.
                let collapsed = Set((0..<count).filter { (number &* 2_654_435_761 >> ($0 + 7)) & 3 == 0 })
                number += count < 5 ? 1 : 3
                var list = try Self.list(depths, collapsed: collapsed)
                let reference = try list.contents()
                let outline = list.snapshot().sections[0].outline
                let comment: Comment = "\(depths), collapsed \(collapsed)"
                for row in 0..<count {
                    let path = ListIndexPath(0, row)
                    let ancestors = reference.ancestors(of: path)
                    try #require(outline.parent(of: row) == ancestors.first?.item, comment)
                    try #require(outline.level(of: row) == ancestors.count, comment)
                    let below = (0..<count).filter { reference.ancestors(of: ListIndexPath(0, $0)).contains(path) }
                    try #require(Array(outline.subtree(of: row).dropFirst()) == below, comment)
                    try #require(outline.hasChildren(row) == !below.isEmpty, comment)
                    let children = reference.children(of: path, inSection: 0).map(\.item)
                    try #require(Array(outline.children(of: row)) == children, comment)
                    let siblings = reference.children(of: ancestors.first, inSection: 0).map(\.item)
                    let before = siblings.last { $0 < row }
                    try #require(outline.previousSibling(of: row) == before, comment)
                    try #require(outline.isVisible(row) == reference.isVisible(path), comment)
                }
                try #require(Array(outline.roots) == reference.children(of: nil, inSection: 0).map(\.item), comment)
                let visible = (0..<count).filter { reference.isVisible(ListIndexPath(0, $0)) }
                try #require(Array(outline.visibleRows) == visible, comment)
            }
        }
    }
}
