// Batches whose verdicts by real list views were published.

import ListModel
import ListoryTestSupport
import Testing

@Suite("Published vectors")
struct PublishedVectorTests {
    private static func path(_ section: Int, _ item: Int) -> ListIndexPath {
        ListIndexPath(section: section, item: item)
    }

    private func expectRejected(
        _ message: String, _ operations: [TableOperation], _ before: [Int], _ after: [Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let verdict = TableSimulator.verdict(of: operations, before: before, after: after)
        guard case .rejected(let found) = verdict else {
            Issue.record("\(verdict)", sourceLocation: sourceLocation)
            return
        }
        #expect(found.contains(message), sourceLocation: sourceLocation)
    }

    @Test("A reload whose new place is the target of a move is rejected")
    func reloadMeetsMove() {
        expectRejected(
            "insert and a move to the same index path [0, 1]",
            [
                .deleteItem(Self.path(0, 1)), .moveItem(from: Self.path(0, 0), to: Self.path(0, 1)),
                .moveItem(from: Self.path(0, 3), to: Self.path(0, 0)), .reloadItem(Self.path(0, 2)),
            ], [4], [3])
    }

    @Test("A reload of a section whose new place is the target of a move is rejected")
    func sectionReloadMeetsMove() {
        expectRejected(
            "insert and a move to the same section 4",
            [.moveSection(from: 2, to: 4), .reloadSection(3), .deleteSection(4), .insertSection(2)],
            [1, 1, 1, 1, 1], [1, 1, 1, 1, 1])
    }

    @Test("A reload in a section that moves is counted in the wrong one")
    func reloadInMovedSection() {
        expectRejected(
            "invalid number of rows in section 0",
            [.reloadItem(Self.path(1, 0)), .moveSection(from: 1, to: 0)], [3, 3], [3, 3])
    }

    @Test("As many insertions as deletions do not change the number of rows")
    func countsDoNotAddUp() {
        expectRejected(
            "invalid number of rows in section 0",
            [.deleteItem(Self.path(0, 27_384)), .insertItem(Self.path(0, 27_384))], [27_386], [27_385])
    }

    @Test("Insertions, a reload and a deletion in three sections are accepted")
    func accepted() {
        let verdict = TableSimulator.verdict(
            of: [
                .insertItem(Self.path(0, 0)), .insertItem(Self.path(1, 2)), .reloadItem(Self.path(1, 1)),
                .deleteItem(Self.path(2, 1)),
            ], before: [10, 20, 30], after: [11, 21, 29])
        #expect(verdict == .accepted)
    }

    @Test("A reload is a position before the update")
    func reloadOutOfRange() {
        expectRejected(
            "attempt to delete item 20 from section 0 which only contains 20 items before the update",
            (0..<20).map { .insertItem(Self.path(0, $0)) } + [.reloadItem(Self.path(0, 20))], [20], [40])
    }

    @Test("A row is not deleted and reloaded")
    func deleteAndReload() {
        expectRejected(
            "attempt to delete and reload the same index path [0, 1]",
            [.deleteItem(Self.path(0, 0)), .deleteItem(Self.path(0, 1)), .reloadItem(Self.path(0, 1))], [3], [1])
    }

    @Test("A row does not move into a section that is inserted")
    func moveIntoInsertedSection() {
        expectRejected(
            "cannot move a row into a newly inserted section",
            [.insertSection(1), .moveItem(from: Self.path(0, 0), to: Self.path(1, 0))], [2], [1, 1])
    }
}
