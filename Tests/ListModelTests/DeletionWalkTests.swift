// Tests the walk over deletions with commits that fit no list. `TrashTests` tests it with those that do.

@testable import ListModel
import TestSupport
import Testing

@Suite("The walk over deletions")
struct DeletionWalkTests {
    /// The depths of the rows that a walk finds in a commit that indents row 7, and then deletes it at a depth.
    private func depths(indentedBy change: Int, deletedAt depth: Int) throws -> [Int] {
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(id: "s")) }
        let content = ContentReference(version: Version(1), offset: 0, length: 0, hash: 0)
        let row = UntypedRow(id: 7, isChecked: false, content: content, depth: depth)
        let path = ListIndexPath(section: 0, item: 0)
        let record = TestRecords.record(
            of: [.itemsIndented(at: path, .one(7), by: change), .itemsDeleted(at: path, .one(row))],
            version: Version(2))
        var walk = DeletionWalk(from: list.snapshot())
        return try walk.step(over: Commit(record: record, version: Version(2))).deleted.map(\.row.depth)
    }

    @Test("A row that had an impossible depth before the commit is a mismatch, not a crash or a wrong depth")
    func impossibleDepths() throws {
        for (change, depth) in [(60, 0), (-63, 63), (1, 0), (-1, 63)] {
            let error = #expect(throws: ListError.self) { try depths(indentedBy: change, deletedAt: depth) }
            #expect(error?.code == "eventMismatch", "\(change), \(depth)")
        }
        // The control: depths that are just possible.
        #expect(try depths(indentedBy: 60, deletedAt: 60) == [0])
        #expect(try depths(indentedBy: -63, deletedAt: 0) == [63])
    }
}
