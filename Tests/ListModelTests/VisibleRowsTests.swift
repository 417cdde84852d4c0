// Compares the stage of visible rows with the reference: after every edit it equals a rebuilt stage, and its changeset
// leads there. `DerivedViewRandomTests` combines it with the other stages.

@testable import ListModel
import TestSupport
import Testing

@Suite("Visible rows")
struct VisibleRowsTests {
    private static func view(of source: UntypedSnapshot) throws -> DerivedView {
        try DerivedView([.visibleRows], of: source)
    }

    private static let seeds: [UInt64] = (1...(16 * UInt64(Soak.factor))).map { $0 }

    @Test("They follow every edit, undo and jump to another version", arguments: seeds)
    func following(seed: UInt64) throws {
        var list = MemoryList(limits: seed % 3 == 0 ? TreeLimits() : RandomEditTests.narrow)
        var edits = RandomEdits(seed: seed, targetCount: seed % 5 == 0 ? 250 : 40)
        var reference = ReferenceList()
        var view = try DerivedView([.visibleRows], of: list.snapshot(), limits(seed))
        var shown = ReferenceList()
        var kept: [(UntypedSnapshot, ReferenceList)] = []
        for step in 0..<1_000 {
            let count = edits.generator.oneIn(4) ? Int.random(in: 2...8, using: &edits.generator) : 1
            try list.commit { editor in
                for _ in 0..<count {
                    let operation = edits.next(reference)
                    if (try? reference.apply(operation)) != nil { try editor.apply(operation) }
                }
            }
            if edits.generator.oneIn(12), list.editor.state.history.undoCount > 0 {
                try list.undo()
                reference = try list.contents()
            }
            var target = (list.snapshot(), reference)
            if edits.generator.oneIn(20) { kept.append(target) }
            if edits.generator.oneIn(25), let other = kept.randomElement(using: &edits.generator) { target = other }
            let comment: Comment = "seed \(seed), step \(step), version \(target.0.version)"
            // A copy shows another version, which does not change this stage.
            if edits.generator.oneIn(20) {
                var copy = view
                try copy.advance(to: kept.first?.0 ?? .empty)
            }
            let changes = try view.advance(to: target.0).changeset
            let expected = target.1.visibleRows()
            let found = try ReferenceList(view.snapshot, list.log)
            try #require(found == expected, comment)
            try #require(changes.applied(to: shown, giving: found) == found, comment)
            #expect(view.snapshot.version == target.0.version && view.source.stateHash == target.0.stateHash, comment)
            let anew = try Self.view(of: target.0).snapshot
            try #require(view.snapshot.stateHash == anew.stateHash, comment)
            if step % 10 == 0 { try view.checkInvariants() }
            shown = found
        }
    }

    @Test("Collapsing deletes exactly the rows below, expanding inserts those that no other row hides")
    func collapsing() throws {
        var list = try OutlineEditTests.list([0, 1, 2, 2, 1, 0, 1], collapsed: [1])
        var view = try Self.view(of: list.snapshot())
        #expect(view.snapshot.ids[0] == [0, 1, 4, 5, 6])
        var expected = Changeset()
        try list.commit { try $0.collapse(0) }
        expected.items.deleted = [1, 2].map { ListIndexPath(0, $0) }
        expected.items.updated = [ListIndexPath(0, 0)]
        #expect(try view.advance(to: list.snapshot()).changeset == expected)
        // Changes of hidden rows have no effect.
        try list.commit { editor in
            try editor.update(2, content: [99])
            try editor.expand(1)
            try editor.insert([NewRow(77)], in: .lastChild(of: 1))
        }
        #expect(try view.advance(to: list.snapshot()).isEmpty)
        try list.commit { try $0.expand(0) }
        expected = Changeset()
        expected.items.inserted = (1...5).map { ListIndexPath(0, $0) }
        expected.items.updated = [ListIndexPath(0, 0)]
        #expect(try view.advance(to: list.snapshot()).changeset == expected)
        #expect(view.snapshot.ids[0] == [0, 1, 2, 3, 77, 4, 5, 6])
    }

    @Test("A subtree that moves below a collapsed row disappears, and appears again when it is moved out")
    func moving() throws {
        var list = try OutlineEditTests.list([0, 1, 0, 1, 1], collapsed: [0])
        var view = try Self.view(of: list.snapshot())
        #expect(view.snapshot.ids[0] == [0, 2, 3, 4])
        try list.commit { try $0.moveSubtree(2, to: .lastChild(of: 0)) }
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.ids[0] == [0])
        try list.commit { try $0.moveSubtree(2, to: .root(ofSection: "s1")) }
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.ids == [[0], [2, 3, 4]])
    }

    @Test("Expanding a row of a large outline takes work only for the rows that appear")
    func proportional() throws {
        var list = MemoryList()
        let rows = (0..<20_000).map { (number: Int) -> NewRow in
            let isTop = number % 10 == 0
            return NewRow(id: .integer(Int64(number)), content: [], depth: isTop ? 0 : 1, isCollapsed: isTop)
        }
        try list.commit { try $0.insertSection(NewSection(id: "s", items: rows)) }
        var view = try Self.view(of: list.snapshot())
        #expect(view.snapshot.itemCount == 2_000)
        let top = try #require(view.snapshot.tree[0].rows.node)
        try list.commit { try $0.expand(9_990) }
        let changes = try view.advance(to: list.snapshot()).changeset
        #expect(changes.items.inserted.count == 9 && changes.items.updated.count == 1 && changes.items.deleted.isEmpty)
        // All nodes but those on the path to the row are shared with the view before.
        let now = try #require(view.snapshot.tree[0].rows.node)
        let before = Set((0..<top.count).compactMap { top.children[$0].node.map { ObjectIdentifier($0) } })
        let shared = (0..<now.count).filter { slot in
            now.children[slot].node.map { before.contains(ObjectIdentifier($0)) } ?? false
        }
        #expect(shared.count >= top.count - 1 && top.count > 1)
    }

    @Test("Collapsing a row takes work only for the rows that disappear, however many are already hidden")
    func collapsingCosts() throws {
        var list = MemoryList()
        var rows = [NewRow(id: 0, content: []), NewRow(id: 1, content: [], depth: 1, isCollapsed: true)]
        rows += (2..<20_000).map { NewRow(id: .integer(Int64($0)), content: [], depth: 2) }
        rows += (20_000..<25_000).map { NewRow(id: .integer(Int64($0)), content: []) }
        try list.commit { try $0.insertSection(NewSection(id: "s", items: rows)) }
        var view = try Self.view(of: list.snapshot())
        #expect(view.snapshot.itemCount == 5_002)
        guard case .visible(let before) = view.levels[0].stage else { return }
        try list.commit { try $0.collapse(0) }
        #expect(try view.advance(to: list.snapshot()).changeset.items.deleted == [ListIndexPath(0, 1)])
        guard case .visible(let after) = view.levels[0].stage else { return }
        // The entries are the same tree except for one leaf: that of the row that is now hidden.
        let leaves = [before, after].map { (visible: VisibleRows) -> [ObjectIdentifier] in
            let top = visible.rows.sources[0].slots.node!
            return (0..<top.count).map { top.children[$0].node! }.flatMap { node in
                (0..<node.count).compactMap { node.children[$0].node.map { ObjectIdentifier($0) } }
            }
        }
        #expect(leaves[0].count > 10 && Set(leaves[1]).subtracting(leaves[0]).count == 1)
    }

    @Test("The control: the checks detect a stage that missed a change")
    func missedChanges() throws {
        let kinds: [(inout UntypedEditor) throws -> Void] = [
            { try $0.toggle(.item(3)) }, { try $0.collapse(0) }, { try $0.delete(.item(1)) }, { try $0.outdent(2) },
            { try $0.insert([NewRow(99)], in: .firstChild(of: 3)) }, { try $0.insertSection(NewSection(9)) },
        ]
        for edit in kinds {
            var list = try OutlineEditTests.list([0, 1, 2, 0, 1], collapsed: [3])
            let before = list.snapshot()
            var view = try Self.view(of: before)
            try view.checkInvariants()
            try list.commit("edit", edit)
            try view.advance(ListTransition(old: before, new: list.snapshot(), changeset: Changeset()))
            #expect(throws: InvariantViolation.self) { try view.checkInvariants() }
        }
    }

    @Test(
        "Rows that cannot be read have the same id, and changes among them give the same rows as a rebuild",
        arguments: 0...3)
    func equalIDs(visibleCount: Int) throws {
        func row(_ number: Int, depth: Int) -> UntypedRow {
            let id: UntypedID = number % 4 == 0 ? "unreadable" : .integer(Int64(number))
            let content = ContentReference(version: Version(1), offset: 0, length: 0, hash: 7)
            return UntypedRow(id: id, isChecked: false, content: content, depth: depth, isCollapsed: number % 7 == 1)
        }
        var generator = SeededGenerator(seed: 4)
        for round in 0..<50 {
            var state = ListState(NodePool(limits: RandomEditTests.narrow), isTracking: false)
            // The wanted number of them is shown; most others are hidden.
            let shown = (0..<visibleCount).map { _ in row(4, depth: 0) } + [row(1, depth: 0)]
            let rows = shown + (1...30).map { row($0, depth: Int.random(in: 1...4, using: &generator)) }
            try state.apply(.sectionInserted(at: 0, ListSection(id: "s", title: "", items: rows)))
            var view = try DerivedView([.visibleRows], of: state.snapshot(), limits(UInt64(round)))
            for number in 100..<110 {
                let place = ListIndexPath(0, Int.random(in: 0...30, using: &generator))
                let gone = state.items(inSectionAt: 0, place.item..<place.item + 1)
                try state.apply(.itemsDeleted(at: place, gone))
                let new = row(number, depth: Int.random(in: 0...2, using: &generator))
                let other = ListIndexPath(0, Int.random(in: 0...30, using: &generator))
                try state.apply(.itemsInserted(at: other, .one(new)))
                try view.advance(to: state.snapshot())
                let expected = try Self.view(of: state.snapshot()).snapshot
                try #require(view.snapshot.ids == expected.ids, "round \(round), row \(number)")
                try #require(view.snapshot.stateHash == expected.stateHash)
            }
        }
    }

    @Test("Rows that cannot be read are shown as such, and the view stays usable")
    func damage() throws {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { list in
            let rows = (1...60).map { (number: Int64) in
                NewRow(id: .integer(number), content: [1], depth: Int(number) % 3)
            }
            try list.insertSection(NewSection(id: 1, title: "", items: rows))
        }
        try stored.checkpoint()
        for number in stored.nodes.numbers {
            try stored.reopen()
            let bytes = stored.nodes[number]!
            stored.nodes[number] = nil
            var view = try Self.view(of: stored.list.snapshot())
            try view.advance(to: .empty)
            try view.advance(to: stored.list.snapshot())
            #expect(view.snapshot.itemCount <= 60)
            stored.nodes[number] = bytes
        }
        try stored.reopen()
        #expect(try Self.view(of: stored.list.snapshot()).snapshot.itemCount == 60)
    }

    @Test("A stage that is filled again keeps its kind")
    func clearing() {
        var outline = ArrangedRows(outlineWith: ArrangedRows.Limits())
        outline.clear()
        #expect(outline.isOutline)
        var other = ArrangedRows(Arrangement { _ in RowPlacement() }, SearchWords(), ArrangedRows.Limits())
        other.clear()
        #expect(!other.isOutline)
    }

    /// Narrow nodes, labels that run out, and stages that are rebuilt for any change or for none.
    private func limits(_ seed: UInt64) -> ArrangedRows.Limits {
        ArrangedRows.Limits(
            tree: seed % 3 == 0 ? TreeLimits() : RandomEditTests.narrow,
            space: seed % 2 == 0 ? LabelSpace() : LabelSpace(maximum: 1 << 24, step: 4),
            rebuildShare: [1, 4, 1_000][Int(seed % 3)], rebuildMinimum: [1_000, 6, 0][Int(seed % 3)])
    }
}
