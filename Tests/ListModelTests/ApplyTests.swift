// Tests `apply`: it leads to the wanted rows by few events, keeps rows that stay, and one undo takes it back.

@testable import ListModel
import TestSupport
import Testing

@Suite("Applying whole lists")
struct ApplyTests {
    private static func sections(_ rows: ReferenceList) -> [NewSection] {
        rows.sections.map { section in
            NewSection(
                id: section.id, title: section.title,
                items: section.items.map {
                    NewRow(
                        id: $0.id, isChecked: $0.isChecked, content: $0.content, depth: $0.depth,
                        isCollapsed: $0.isCollapsed)
                })
        }
    }

    @Test(
        "From any list to any other: the rows are the wanted ones, rows that stay are not deleted, and undo leads back",
        arguments: 1...30 as ClosedRange<UInt64>)
    func anyToAny(seed: UInt64) throws {
        var list = MemoryList(limits: seed % 3 == 0 ? TreeLimits() : RandomEditTests.narrow)
        var edits = RandomEdits(seed: seed, targetCount: 40)
        var reference = ReferenceList()
        for step in 0..<60 {
            // A target that is some edits away, or very different.
            var target = reference
            for _ in 0..<(step % 4 == 0 ? 80 : 4) { try? target.apply(edits.next(target)) }
            let before = list.snapshot()
            let wanted = Self.sections(target)
            let events = try list.events { try $0.apply(wanted) }
            let comment: Comment = "seed \(seed), step \(step)"
            try #require(try list.contents() == target, comment)
            try #require(events.isEmpty == (reference == target), comment)
            try #require(!events.contains { if case .listReloaded = $0 { true } else { false } }, comment)
            try Self.checkEvents(events, from: reference, to: target, comment)
            try list.editor.checkInvariants()
            if !events.isEmpty {
                try list.undo()
                try #require(list.snapshot().stateHash == before.stateHash, comment)
                try list.redo()
            }
            #expect(try list.events { try $0.apply(wanted) }.isEmpty, comment)
            reference = target
        }
    }

    /// Checks that only rows that are not wanted are deleted, only new rows are inserted, and no more rows move than in
    /// the changeset.
    private static func checkEvents(
        _ events: [ListEvent], from old: ReferenceList, to new: ReferenceList, _ comment: Comment
    ) throws {
        let oldIDs = Set(old.paths.map { old.item(at: $0).id })
        let newIDs = Set(new.paths.map { new.item(at: $0).id })
        for event in events {
            switch event {
            case .itemsInserted(_, let items):
                try #require(items.allSatisfy { !oldIDs.contains($0.id) }, comment)
            case .itemsDeleted(_, let items):
                try #require(items.allSatisfy { !newIDs.contains($0.id) }, comment)
            case .sectionDeleted(_, let section):
                try #require(section.items.allSatisfy { !newIDs.contains($0.id) }, comment)
                try #require(new.indexOfSection(section.id) == nil, comment)
            case .sectionInserted(_, let section): try #require(old.indexOfSection(section.id) == nil, comment)
            default: break
            }
        }
        var moved = 0
        for case .itemsMoved(_, _, let ids) in events { moved += ids.count }
        var list = MemoryList()
        try list.commit { try $0.reload(sections(old)) }
        let before = list.snapshot()
        try list.commit { try $0.reload(sections(new)) }
        let changes = Changeset(from: before, to: list.snapshot())
        try #require(moved <= changes.items.moved.count, comment)
    }

    @Test("The rows of one section are applied alone")
    func oneSection() throws {
        var list = try MemoryList([[1, 2, 3, 4], [5]])
        let rows = [NewRow(4), NewRow(1), NewRow(9), NewRow(2, content: 77), NewRow(10)]
        let events = try list.events { try $0.apply(rows, toSection: "s0") }
        #expect(list.ids() == [[4, 1, 9, 2, 10], [5]])
        // Deleted: 3; moved: 4; inserted: 9, and 10; updated: 2.
        #expect(events.count == 5)
        try list.undo()
        #expect(list.ids() == [[1, 2, 3, 4], [5]])
        try list.expectError(.duplicateItem(5)) { try $0.apply([NewRow(5)], toSection: "s0") }
        try list.expectError(.duplicateItem(1)) { try $0.apply([NewRow(1), NewRow(1)], toSection: "s0") }
        try list.expectError(.unknownSection("s9")) { try $0.apply([NewRow(1)], toSection: "s9") }
        #expect(try list.events { try $0.apply([], toSection: "s0") }.count == 1)
    }

    @Test("Duplicate ids and impossible depths are typed errors, and the rows do not change")
    func errors() throws {
        var list = try MemoryList([[1, 2], [3]])
        try list.expectError(.duplicateItem(1)) { try $0.apply([NewSection(0, [1]), NewSection(1, [2, 1])]) }
        try list.expectError(.duplicateSection("s0")) { try $0.apply([NewSection(0, [1]), NewSection(0, [2])]) }
        let deep = NewRow(id: 7, content: [], depth: 64)
        try list.expectError(.depthOutOfRange(7, depth: 64)) {
            try $0.apply([NewSection(id: "s0", items: [deep])])
        }
        try list.expectError(.duplicateItem(1)) { try $0.reload([NewSection(0, [1, 1])]) }
    }

    @Test("A row moves into a section that is inserted, and out of one that is deleted")
    func sectionsComeAndGo() throws {
        var list = try MemoryList([[1, 2], [3, 4]])
        let events = try list.events { try $0.apply([NewSection(2, [4, 9, 1]), NewSection(0, [2])]) }
        #expect(list.ids() == [[4, 9, 1], [2]])
        #expect(list.sectionIDs() == ["s2", "s0"])
        for event in events {
            if case .itemsDeleted = event { Issue.record("\(event)") }
            if case .sectionDeleted(_, let section) = event { #expect(section.items.map(\.id) == [3]) }
        }
        try list.commit { try $0.deleteAll() }
        #expect(list.snapshot().sectionCount == 0)
        try list.undo()
        #expect(list.ids() == [[4, 9, 1], [2]])
    }

    // MARK: Looking up

    @Test(
        "Lookups by id give the same results at the head, in an indexed snapshot and in the reference",
        arguments: 1...8 as ClosedRange<UInt64>)
    func lookups(seed: UInt64) throws {
        var list = MemoryList(limits: RandomEditTests.narrow)
        var edits = RandomEdits(seed: seed, targetCount: 50)
        var reference = ReferenceList()
        for step in 0..<300 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            try list.commit { try $0.apply(operation) }
            guard step % 15 == 0 else { continue }
            let indexed = list.snapshot().indexed()
            try Self.check(indexed, reference, "seed \(seed), step \(step), indexed")
            try Self.check(list.editor.state, reference, "seed \(seed), step \(step), head")
        }
    }

    private static func check<Rows: RowLookup & ~Copyable>(
        _ rows: borrowing Rows, _ reference: ReferenceList, _ comment: Comment
    ) throws {
        let ids = reference.paths.map { reference.item(at: $0).id }
        #expect(rows.itemIDs == ids, comment)
        #expect(rows.sectionIDs == reference.sections.map(\.id), comment)
        #expect(rows.itemCount == ids.count && rows.sectionCount == reference.sections.count, comment)
        for (offset, path) in reference.paths.enumerated() {
            let id = ids[offset]
            let idOf = { (path: ListIndexPath) in reference.item(at: path).id }
            #expect(rows.indexPath(of: id) == path, comment)
            #expect(rows.offset(of: id) == offset, comment)
            #expect(rows.row(id)?.id == id, comment)
            #expect(rows.sectionID(containing: id) == reference.sections[path.section].id, comment)
            let ancestors = reference.ancestors(of: path)
            #expect(try rows.level(of: id) == ancestors.count, comment)
            #expect(try rows.parent(of: id) == ancestors.first.map(idOf), comment)
            #expect(
                try rows.children(of: id) == reference.children(of: path, inSection: path.section).map(idOf), comment)
            #expect(try rows.subtree(of: id) == reference.subtree(of: path).map(idOf), comment)
            #expect(try rows.isExpanded(id) == !reference.item(at: path).isCollapsed, comment)
            #expect(try rows.isVisible(id) == reference.isVisible(path), comment)
        }
        for (index, section) in reference.sections.enumerated() {
            #expect(rows.indexOfSection(section.id) == index && rows.sectionID(at: index) == section.id, comment)
            for (item, row) in section.items.enumerated() {
                #expect(rows.itemID(at: ListIndexPath(index, item)) == row.id, comment)
            }
            #expect(rows.itemID(at: ListIndexPath(index, section.items.count)) == nil, comment)
            #expect(rows.itemID(at: ListIndexPath(index, -1)) == nil, comment)
            #expect(try rows.itemCount(inSection: section.id) == section.items.count, comment)
            #expect(try rows.itemIDs(inSection: section.id) == section.items.map(\.id), comment)
            let roots = reference.children(of: nil, inSection: index).map { reference.item(at: $0).id }
            #expect(try rows.rootItems(inSection: section.id) == roots, comment)
            let visible = section.items.indices.filter { reference.isVisible(ListIndexPath(index, $0)) }
            #expect(try rows.visibleItems(inSection: section.id) == visible.map { section.items[$0].id }, comment)
        }
        let count = reference.sections.count
        #expect(rows.sectionID(at: count) == nil && rows.sectionID(at: -1) == nil, comment)
        #expect(
            rows.itemID(at: ListIndexPath(count, 0)) == nil && rows.itemID(at: ListIndexPath(-1, 0)) == nil, comment)
        let nobody: UntypedID = "nobody"
        #expect(rows.indexPath(of: nobody) == nil && rows.indexOfSection(nobody) == nil, comment)
        #expect(rows.row(nobody) == nil && rows.offset(of: nobody) == nil, comment)
        #expect(rows.sectionID(containing: nobody) == nil, comment)
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.level(of: nobody) }
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.parent(of: nobody) }
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.children(of: nobody) }
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.subtree(of: nobody) }
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.isExpanded(nobody) }
        expectError(.unknownItem(nobody)) { () throws(ListError) in _ = try rows.isVisible(nobody) }
        expectError(.unknownSection(nobody)) { () throws(ListError) in _ = try rows.itemIDs(inSection: nobody) }
        expectError(.unknownSection(nobody)) { () throws(ListError) in _ = try rows.itemCount(inSection: nobody) }
        expectError(.unknownSection(nobody)) { () throws(ListError) in _ = try rows.rootItems(inSection: nobody) }
        expectError(.unknownSection(nobody)) { () throws(ListError) in _ = try rows.visibleItems(inSection: nobody) }
    }

    private static func expectError(_ expected: ListError, _ body: () throws(ListError) -> Void) {
        do throws(ListError) {
            try body()
            Issue.record("\(expected) was not thrown")
        } catch { #expect(error == expected) }
    }
}
