// Tests the context that a projection receives with an event, without a store, from commits in memory.

@testable import ListModel
import TestSupport
import Testing

@Suite("The context of an event")
struct EventContextTests {
    @Test("The rows are those just before each event of random commits", arguments: 0..<6 as Range<UInt64>)
    func rows(seed: UInt64) throws {
        var list = MemoryList()
        var edits = RandomEdits(seed: seed)
        let context = EventContext(CommitInfo(seedOf: .empty), source: list.log, rows: .empty)
        var expected = ListState()
        while list.log.head.rawValue < 80 {
            let reference = try list.contents()
            let (first, second) = (edits.next(reference), edits.next(reference))
            let made = try? list.commit("name") { editor in
                try editor.apply(first)
                try? editor.apply(second)
            }
            guard let commit = made else { continue }
            try context.fold(commit) { _, event in
                let rows = context.rows
                try #require(rows.sectionCount == expected.sectionCount && rows.itemCount == expected.itemCount)
                for index in 0..<expected.sectionCount {
                    try #require(rows.sectionID(at: index) == expected.sectionID(at: index))
                    let count = expected.itemCount(inSectionAt: index)
                    try #require(rows.itemCount(inSectionAt: index) == count)
                    let items = rows.items(at: ListIndexPath(index, 0), count: .max)
                    try #require(items == Array(expected.items(inSectionAt: index, 0..<count)), "seed \(seed)")
                    if count > 0 {
                        try #require(rows.items(at: ListIndexPath(index, count - 1), count: .max) == items.suffix(1))
                        try #require(rows.items(at: ListIndexPath(index, .max), count: .max).isEmpty)
                        try #require(rows.items(at: ListIndexPath(index, 0), count: .min).isEmpty)
                        try #require(rows.item(at: ListIndexPath(index, count - 1)) == items.last)
                        try #require(rows.items(at: ListIndexPath(index, count - 1), count: 1) == items.suffix(1))
                    }
                }
                try expected.apply(event)
            }
            #expect(context.commit == CommitInfo(commit) && !context.commit.isSeed)
            #expect(try context.rowsAfter()?.stateHash == commit.stateHash, "seed \(seed)")
        }
        // Index paths out of range.
        #expect(
            context.rows.item(at: ListIndexPath(99, 0)) == nil && context.rows.item(at: ListIndexPath(0, -1)) == nil)
        #expect(context.rows.item(at: ListIndexPath(-1, 0)) == nil && context.rows.itemCount(inSectionAt: -1) == 0)
        #expect(context.rows.items(at: ListIndexPath(99, 0), count: 1).isEmpty)
        #expect(context.rows.items(at: ListIndexPath(0, 0), count: -1).isEmpty)
        #expect(context.rows.sectionID(at: 99) == nil)
    }

    @Test("A fold changes no node of the list, and what it changes does not count for the list's next checkpoint")
    func ownNodes() throws {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { try $0.insertSection(NewSection(0, Array(0..<40))) }
        try stored.checkpoint()
        var rows: UntypedSnapshot? = stored.list.snapshot()
        let made = try stored.list.commit { try $0.toggle(.item(7)) }
        let commit = try #require(made)
        let touched = stored.store.touched
        let context = EventContext(CommitInfo(seedOf: Version(1)), source: stored.list.log, rows: rows)
        // Then only the context refers to nodes that are in the checkpoint.
        rows = nil
        try context.fold(commit) { _, _ in }
        let (nowTouched, before) = (stored.store.touched, stored.snapshot(at: 0))
        #expect(touched > 0 && nowTouched == touched)
        let after = try #require(context.rowsAfter())
        #expect(after.stateHash == commit.stateHash)
        #expect(Changeset(from: before, to: after).items.updated == [ListIndexPath(0, 7)])
    }

    @Test("A seed is a commit that inserts the sections as they are, one after the other")
    func seed() throws {
        var list = try MemoryList([[1, 2], [], [3]])
        try list.commit { try $0.toggle(.item(3)) }
        let context = EventContext(CommitInfo(seedOf: Version(2)), source: list.log, rows: .empty)
        #expect(context.commit.isSeed && context.commit.version == Version(2) && context.commit.origin.isEmpty)
        var sections: [ListSection] = []
        try context.forEachInsertion(of: list.snapshot()) { event in
            guard case .sectionInserted(let index, let section) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(index == sections.count && context.rows.sectionCount == index)
            sections.append(section)
        }
        #expect(sections.map { $0.items.map(\.id) } == [[1, 2], [], [3]])
        #expect(try context.rowsAfter()?.stateHash == list.snapshot().stateHash)
    }
}
