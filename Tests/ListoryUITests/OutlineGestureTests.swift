// Tests gestures in an outline: their commits, where subtrees land, and that the table accepts the batches.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("Gestures in an outline")
struct OutlineGestureTests {
    typealias View = LiveList<String, Todo>
    typealias Fixture = (fixture: DriverFixture<View>, table: FakeTable<View>)

    /// A table of the visible rows of a list: a dot for each level of depth, a minus after a collapsed row.
    static func fixture(_ rows: [String], isOutline: Bool = true) throws -> Fixture {
        let fixture = try DriverFixture([["x"]]) { try $0.view { $0.visibleRows() } }
        try fixture.store.edit("Outline") { list in
            try list.delete(1)
            let items = rows.enumerated().map { index, text in
                ListEdit<String, Todo>.Row(
                    Todo(id: index + 1, title: text.trimmed), depth: text.prefix { $0 == "." }.count,
                    isCollapsed: text.hasSuffix("-"))
            }
            try list.insert(items, in: .root(of: "A"))
        }
        fixture.driver.isOutline = isOutline
        let table = FakeTable(fixture.driver)
        table.isInstant = true
        fixture.driver.refresh()
        fixture.driver.drive(table)
        return (fixture, table)
    }

    /// The rows in the format of `fixture`.
    static func text(_ snapshot: ListSnapshot<String, Todo>) throws -> [String] {
        snapshot.section(at: 0)!.rows.map { row in
            String(repeating: ".", count: row.depth) + row.item!.title + (row.isCollapsed ? "-" : "")
        }
    }

    private func rows(_ fixture: Fixture) throws -> [String] { try Self.text(fixture.fixture.store.snapshot) }

    private func expectQuiet(_ fixture: Fixture, sourceLocation: SourceLocation = #_sourceLocation) {
        fixture.fixture.pause.run()
        #expect(fixture.table.problems.isEmpty && fixture.table.isUpToDate, sourceLocation: sourceLocation)
        #expect(fixture.fixture.failures.all.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("Each gesture is a commit with a name, and undo takes it back")
    func names() throws {
        let start = ["a", ".b", "..c", ".d", "e"]
        let outline = try Self.fixture(start)
        let driver = outline.fixture.driver
        func check(_ name: String, _ expected: [String], _ isCommitted: Bool) throws {
            #expect(try isCommitted && outline.fixture.newestName == name && rows(outline) == expected, "\(name)")
            expectQuiet(outline)
            #expect(driver.undoName == name && driver.undo())
            #expect(try rows(outline) == start)
        }
        try check("Collapse a", ["a-", ".b", "..c", ".d", "e"], driver.toggleCollapsed(1))
        try check("Indent e", ["a", ".b", "..c", ".d", ".e"], driver.indent([5]))
        try check("Outdent b", ["a", ".d", "b", ".c", "e"], driver.outdent([2]))
        try check("Delete b", ["a", ".d", "e"], driver.delete(2))
        try check("Delete 2 Rows", ["e"], driver.delete([3, 1]))
        try check("Move b", ["a", ".d", "e", "b", ".c"], driver.move([2], toGap: at(0, 5), depth: 0))
        try check("Move e", ["a", ".b", "..c", "..e", ".d"], driver.move([5], into: 2))
        try check("Add f", ["a", ".b", "..c", "..f", ".d", "e"], driver.insert(Todo(id: 9, title: "f"), into: 2))
        // Several rows: a row below another one goes with it, siblings keep their order.
        try check("Outdent 3 Rows", ["a", "b", ".c", "d", "e"], driver.outdent([4, 3, 2]))
        #expect(driver.outdent([2]) && driver.indent([2]))
    }

    @Test("All rows below are collapsed and expanded on demand")
    func recursively() throws {
        let outline = try Self.fixture(["a", ".b", "..c", ".d"])
        #expect(outline.fixture.driver.toggleCollapsed(1, recursively: true))
        #expect(try rows(outline) == ["a-", ".b-", "..c", ".d"])
        #expect(outline.fixture.driver.setCollapsed(false, for: 1))
        #expect(try Self.text(outline.fixture.driver.shown) == ["a", ".b-", ".d"])
        expectQuiet(outline)
    }

    @Test("Indenting a row below a collapsed one expands that one in the same commit, so the row stays visible")
    func indentBelowCollapsed() throws {
        let outline = try Self.fixture(["a-", ".b", "c"])
        #expect(outline.fixture.driver.indent([3]))
        #expect(try Self.text(outline.fixture.driver.shown) == ["a", ".b", ".c"])
        #expect(outline.fixture.driver.undo())
        #expect(try rows(outline) == ["a-", ".b", "c"])
        expectQuiet(outline)
    }

    @Test("A row that cannot be indented or moved is one failure, and nothing changes")
    func refused() throws {
        let outline = try Self.fixture(["a", ".b", "c"])
        let driver = outline.fixture.driver
        #expect(!driver.indent([1]) && !driver.outdent([3]))
        #expect(!driver.move([1], into: 2) && !driver.toggleCollapsed(77))
        #expect(
            outline.fixture.failures.take() == [
                "Indent a: \(ListError.cannotIndent(1))", "Outdent c: \(ListError.cannotOutdent(3))",
                "Move a: \(ListError.movedOntoItself(1))", "Collapse 77: \(ListError.unknownItem(77))",
            ])
        #expect(try rows(outline) == ["a", ".b", "c"])
        #expect(!driver.canIndent(at: at(0, 0)) && driver.canIndent(at: at(0, 2)))
        #expect(driver.canOutdent(at: at(0, 1)) && !driver.canOutdent(at: at(0, 2)))
        driver.rules.canMove = { _ in false }
        #expect(!driver.canIndent(at: at(0, 2)) && !driver.canOutdent(at: at(0, 1)))
    }

    @Test("A gesture deletes no row that has a protected one below it, shown or hidden")
    func protectedBelow() throws {
        let outline = try Self.fixture(["a", ".b-", "..c", ".d", "e"])
        let driver = outline.fixture.driver
        driver.rules.editing = { $0.item?.title == "c" ? .none : .delete }
        // All that is shown; c is hidden.
        #expect(driver.delete(at: [at(0, 0), at(0, 1), at(0, 2), at(0, 3)]))
        #expect(try rows(outline) == ["a", ".b-", "..c"])
        let list = try ObservableList(outline.fixture.source, names: ActionNames { $0.title })
        list.driver.isOutline = true
        list.driver.rules = driver.rules
        #expect(!driver.delete(at: [at(0, 0)]) && !driver.deleteUnprotected([2]))
        #expect(!list.delete([0], in: list.sections[0]))
        let failure = RowProtected(action: .delete, id: 3)
        #expect(outline.fixture.failures.take() == ["Delete a: \(failure)", "Delete b: \(failure)"])
        #expect((list.failure?.cause as? RowProtected) == failure)
        #expect(try rows(outline) == ["a", ".b-", "..c"])
        // The app's own command is not a gesture.
        #expect(driver.delete(1))
        #expect(try rows(outline) == [])
        expectQuiet(outline)
    }

    @Test("A dragged row takes its subtree along, shown or not, and the table plays the rest")
    func drag() throws {
        let outline = try Self.fixture(["a", ".b-", "..c", ".d", "e"])
        let (fixture, table) = outline
        #expect(try Self.text(fixture.driver.shown) == ["a", ".b-", ".d", "e"])
        table.beginDrag(at(0, 1))
        table.drop(at(0, 3))
        expectQuiet(outline)
        #expect(try rows(outline) == ["a", ".d", "e", "b-", ".c"])
        // A subtree with shown rows: on screen, only the row itself was dragged.
        fixture.driver.setCollapsed(false, for: 2)
        table.beginDrag(at(0, 0))
        table.drop(at(0, 4))
        expectQuiet(outline)
        #expect(try rows(outline) == ["e", "b", ".c", "a", ".d"])
        #expect(table.batchCount > 0)
        // Dropped between rows of its own subtree, it stays where it is.
        table.beginDrag(at(0, 1))
        table.drop(at(0, 2))
        expectQuiet(outline)
        #expect(try rows(outline) == ["e", "b", ".c", "a", ".d"])
    }

    @Test("A dropped row keeps its depth as far as the rows around it allow, or gets a given depth")
    func depths() throws {
        /// Where c lands if it is dropped above a row, with or without a given depth.
        func landing(_ rows: [String], _ gap: Int, _ depth: Int? = nil) throws -> [String] {
            let outline = try Self.fixture(rows)
            let index = try #require(rows.firstIndex { $0.trimmed == "c" })
            #expect(outline.fixture.driver.move([.integer(Int64(index + 1))], toGap: at(0, gap), depth: depth))
            expectQuiet(outline)
            return try self.rows(outline)
        }
        // Between a row and its first child, it lands among the children; after a collapsed row, after the rows that it
        // hides.
        #expect(try landing(["c", "a", ".b"], 2) == ["a", ".c", ".b"])
        #expect(try landing(["c", "a-", ".b"], 2) == ["a-", ".b", "c"])
        // A root that is dropped at the end stays a root; a child becomes a sibling, not a child of a root.
        #expect(try landing(["c", "a", ".b"], 3) == ["a", ".b", "c"])
        #expect(try landing(["a", ".c", "b"], 3) == ["a", "b", "c"])
        #expect(try landing(["a", ".c", "b", ".d"], 4) == ["a", "b", ".d", ".c"])
        // Between two children it must be a child.
        #expect(try landing(["c", "a", ".b", ".d"], 3) == ["a", ".b", ".c", ".d"])
        // Dropped where it was, it stays.
        for gap in 1...2 { #expect(try landing(["a", ".c", "b"], gap) == ["a", ".c", "b"]) }
        for gap in 2...3 { #expect(try landing(["a", ".b", "..c", ".d"], gap) == ["a", ".b", "..c", ".d"]) }
        // Beside one of two rows that are moved, they land as anywhere else.
        for gap in 4...5 {
            let outline = try Self.fixture(["p", ".q", "..c", "a", "e", "b"])
            #expect(outline.fixture.driver.move([3, 5], toGap: at(0, gap)))
            #expect(try rows(outline) == ["p", ".q", "a", "c", "e", "b"])
        }
        // Where depths skip a level, not behind the row that it was dropped above.
        #expect(try landing(["a", "..b", ".d", "c"], 2) == ["a", "..b", ".c", ".d"])
        // Given depths, and depths that are not possible there.
        #expect(try landing(["c", "a", ".b"], 3, 2) == ["a", ".b", "..c"])
        #expect(try landing(["c", "a", ".b"], 3, 1) == ["a", ".b", ".c"])
        #expect(try landing(["c", "a", ".b"], 3, 40) == ["a", ".b", "..c"])
        #expect(try landing(["c", "a", ".b", ".d"], 3, 0) == ["a", ".b", ".c", ".d"])
        // Into a collapsed row, it lands after the rows that this row hides.
        #expect(try landing(["c", "a-", ".b"], 2, 1) == ["a-", ".b", ".c"])
        #expect(try landing(["a", ".b", "c"], 0) == ["c", "a", ".b"])
    }

    @Test("New rows are inserted among the children above the first of them, and as siblings elsewhere")
    func insertion() throws {
        let outline = try Self.fixture(["a", ".b-", "..c"])
        #expect(outline.fixture.driver.insert(Todo(id: 8, title: "first"), at: at(0, 1)))
        #expect(outline.fixture.driver.insert(Todo(id: 9, title: "last"), at: at(0, 3)))
        #expect(try rows(outline) == ["a", ".first", ".b-", "..c", ".last"])
        expectQuiet(outline)
        let empty = try Self.fixture([])
        #expect(empty.fixture.driver.insert(Todo(id: 8, title: "only"), at: at(0, 0)))
        #expect(try rows(empty) == ["only"])
    }

    @Test("In another order than the store's, new rows become siblings of a neighbour, and no row gets another parent")
    func insertingIntoSortedRows() throws {
        let fixture = try DriverFixture([["x"]]) { try $0.view { $0.visibleRows().sorted(by: \.title) } }
        try fixture.store.edit("Outline") { list in
            try list.delete(1)
            try list.insert(
                [(1, "p", 0), (2, "c", 1), (3, "d", 2), (4, "q", 0)].map {
                    ListEdit<String, Todo>.Row(Todo(id: $0.0, title: $0.1), depth: $0.2, isCollapsed: false)
                }, in: .root(of: "A"))
        }
        fixture.driver.isOutline = true
        fixture.driver.refresh()
        let shown = (0..<4).map { fixture.driver.row(at: ListIndexPath(section: 0, item: $0))?.item?.title }
        let place = try #require(shown.firstIndex(of: "p"))
        #expect(fixture.driver.insert(Todo(id: 5, title: "n"), at: ListIndexPath(section: 0, item: place + 1)))
        #expect(try Self.text(fixture.store.snapshot) == ["p", ".c", "..d", "n", "q"])
    }

    @Test("If a list is not shown as an outline, gestures edit single rows, whatever their depths")
    func noOutline() throws {
        let outline = try Self.fixture(["a", ".b", "c"], isOutline: false)
        #expect(outline.fixture.driver.move([1], toGap: at(0, 3)))
        #expect(try rows(outline) == [".b", "c", "a"])
        #expect(outline.fixture.driver.delete(3))
        #expect(try rows(outline) == [".b", "a"])
        expectQuiet(outline)
    }

    @Test("The triangle of a row says whether it has rows below it, and whether they are hidden")
    func disclosure() throws {
        let outline = try Self.fixture(["a", ".b-", "..c", ".d-", "e"])
        let driver = outline.fixture.driver
        #expect((0..<5).map { driver.disclosure(at: at(0, $0)) } == [.expanded, .collapsed, .none, .none, .none])
        driver.toggleCollapsed(1)
        #expect(driver.disclosure(at: at(0, 0)) == .collapsed)
        try outline.fixture.store.close()
        #expect(driver.disclosure(at: at(0, 0)) == .none)
    }

    @Test("The triangle of a row of the past says whether rows were below it then")
    func disclosureInThePast() throws {
        let outline = try Self.fixture(["a", ".b-", "..c", "d-"])
        let (driver, store) = (outline.fixture.driver, outline.fixture.store)
        let past = try store.version
        try store.edit("Others") { editor in
            try editor.delete(3)
            try editor.insert(Todo(id: 9, title: "e"), in: .lastChild(of: 4))
        }
        driver.refresh()
        func triangles() -> [RowDisclosure] { (0..<3).map { driver.disclosure(at: at(0, $0)) } }
        #expect(triangles() == [.expanded, .none, .collapsed])
        #expect(driver.preview(past))
        #expect(triangles() == [.expanded, .collapsed, .none])
        driver.endPreview()
        #expect(triangles() == [.expanded, .none, .collapsed])
    }

    @Test("The offset of a triangle refers to the rows that the user saw, although others edited meanwhile")
    func disclosureInOldRows() throws {
        let fixture = try Self.fixture(["a", "b", ".c"]).fixture
        let list = try ObservableList(fixture.source, names: ActionNames { $0.title })
        let section = list.sections[0]
        try fixture.store.edit("Others") { try $0.delete(1) }
        list.driver.refresh()
        #expect(list.disclosure(of: 1, in: section) == .expanded)
        // The control: in the rows that are shown now, the same offset is another row.
        #expect(list.disclosure(of: 1, in: list.sections[0]) == .none)
    }

    @Test("An observable list forwards the gestures of an outline, and shows their results at once")
    func observable() throws {
        let fixture = try Self.fixture(["a", ".b", "c"]).fixture
        let list = try ObservableList(fixture.source, names: ActionNames { $0.title })
        list.driver.isOutline = true
        func row(_ offset: Int) -> ObservableRow<View> { list.sections[0].rows[offset] }
        #expect(list.showsChildren(row(0)) && list.disclosure(of: 0, in: list.sections[0]) == .expanded)
        #expect(list.toggleCollapsed(row(0)) && !list.showsChildren(row(0)) && list.sections[0].rows.count == 2)
        #expect(list.disclosure(of: 1) == .collapsed && list.disclosure(of: 2) == .none)
        #expect(list.setExpanded(true, for: row(0)) && list.indent(row(2)) && row(2).depth == 1)
        #expect(list.outdent(row(1)))
        #expect(try Self.text(list.snapshot) == ["a", ".c", "b"])
        #expect(list.move([0], to: 3, in: list.sections[0]))
        #expect(try Self.text(list.snapshot) == ["b", "a", ".c"])
        #expect(list.failure == nil)
    }

    @Test("Rows of an outline can be dropped into others, but not into their own subtrees")
    func dropInto() throws {
        let outline = try Self.fixture(["a", ".b", "c"])
        let driver = outline.fixture.driver
        let rows = driver.items(atRows: [0], in: .rows)
        #expect(driver.canMove(rows, into: at(0, 2)))
        #expect(!driver.canMove(rows, into: at(0, 0)) && !driver.canMove(rows, into: at(0, 1)))
        #expect(!driver.canMove(rows, into: at(0, 3)) && !driver.canMove(rows, into: at(1, 0)))
        driver.isOutline = false
        #expect(!driver.canMove(rows, into: at(0, 2)))
    }

    @Test("No table rejects a batch of an outline under random gestures, drags and edits of others", arguments: 0..<8)
    func random(seed: Int) throws {
        for round in 0..<Soak.factor {
            let seed = UInt64(4 * seed + 1 + 1_000 * round)
            let fixture = try DriverFixture(reloadAbove: nil) { try $0.view { $0.visibleRows() } }
            fixture.driver.isOutline = true
            let table = FakeTable(fixture.driver)
            fixture.driver.drive(table)
            var user = RandomUser(seed: seed, store: fixture.store)
            for _ in 0..<250 {
                if user.oneIn(3) {
                    user.outlineGesture(fixture.driver)
                } else {
                    try RandomDriverTests.step(&user, fixture, table)
                }
            }
            RandomDriverTests.settle(fixture, table)
            #expect(table.problems.first == nil, "seed \(seed)")
            #expect(try table.cells.shows(fixture.source.snapshot.core), "seed \(seed)")
            let anew = try DerivedView([.visibleRows], of: fixture.store.core.snapshot).snapshot
            #expect(fixture.driver.player.shown.stateHash == anew.stateHash, "seed \(seed)")
        }
    }
}

extension String {
    /// The title of a row, without depth and fold.
    fileprivate var trimmed: String { filter { $0 != "." && $0 != "-" } }
}
