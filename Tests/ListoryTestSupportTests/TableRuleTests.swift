// For each rule of list views, a batch that breaks it and a batch that differs only in keeping it.

import ListModel
import ListoryTestSupport
import Testing

private func row(_ section: Int, _ item: Int) -> ListIndexPath { ListIndexPath(section: section, item: item) }

@Suite("Rules of list views")
struct TableRuleTests {
    /// A batch that breaks a rule, and one that does not.
    struct Rule: Sendable, CustomTestStringConvertible {
        var name: String
        var message: String
        var wrong: [TableOperation]
        var right: [TableOperation]
        var before: [Int]
        var after: [Int]
        /// The sizes after the right batch, if they differ.
        var rightAfter: [Int]?

        var testDescription: String { name }
    }

    static let rejected = [
        Rule(
            name: "a row deleted and reloaded", message: "attempt to delete and reload the same index path [0, 1]",
            wrong: [.deleteItem(row(0, 1)), .reloadItem(row(0, 1))],
            right: [.deleteItem(row(0, 1)), .reloadItem(row(0, 0))], before: [3], after: [2]),
        Rule(
            name: "a section deleted and reloaded", message: "attempt to delete and reload the same section 0",
            wrong: [.deleteSection(0), .reloadSection(0)], right: [.deleteSection(0), .reloadSection(1)],
            before: [1, 2], after: [2]),
        Rule(
            name: "a deletion out of range",
            message: "attempt to delete item 3 from section 0 which only contains 3 items before the update",
            wrong: [.deleteItem(row(0, 3))], right: [.deleteItem(row(0, 2))], before: [3], after: [2]),
        Rule(
            name: "a deletion in no section", message: "attempt to delete item 0 from section 1",
            wrong: [.deleteItem(row(1, 0))], right: [.deleteItem(row(0, 0))], before: [3], after: [2]),
        Rule(
            name: "a reload out of range",
            message: "attempt to delete item 3 from section 0 which only contains 3 items before the update",
            wrong: [.reloadItem(row(0, 3))], right: [.reloadItem(row(0, 2))], before: [3], after: [3]),
        Rule(
            name: "a section deleted out of range",
            message: "attempt to delete section 2, but there are only 2 sections before the update",
            wrong: [.deleteSection(2)], right: [.deleteSection(1)], before: [1, 1], after: [1]),
        Rule(
            name: "a section inserted out of range",
            message: "attempt to insert section 2, but there are only 2 sections after the update",
            wrong: [.insertSection(2)], right: [.insertSection(1)], before: [1], after: [1, 1]),
        Rule(
            name: "a section reloaded out of range", message: "attempt to delete section 1",
            wrong: [.reloadSection(1)], right: [.reloadSection(0)], before: [1], after: [1]),
        Rule(
            name: "an insertion out of range",
            message: "attempt to insert row 4 into section 0, but there are only 4 rows in section 0 after the update",
            wrong: [.insertItem(row(0, 4))], right: [.insertItem(row(0, 3))], before: [3], after: [4]),
        Rule(
            name: "a row deleted and moved",
            message: "attempt to perform a delete and a move from the same index path [0, 0]",
            wrong: [.deleteItem(row(0, 0)), .moveItem(from: row(0, 0), to: row(0, 1))],
            right: [.deleteItem(row(0, 2)), .moveItem(from: row(0, 0), to: row(0, 1))], before: [3], after: [2]),
        Rule(
            name: "a row reloaded and moved",
            message: "attempt to perform a delete and a move from the same index path [0, 0]",
            wrong: [.reloadItem(row(0, 0)), .moveItem(from: row(0, 0), to: row(0, 1))],
            right: [.reloadItem(row(0, 0)), .moveItem(from: row(0, 1), to: row(0, 2))], before: [3], after: [3]),
        Rule(
            name: "a section deleted and moved",
            message: "attempt to perform a delete and a move from the same section 0",
            wrong: [.deleteSection(0), .moveSection(from: 0, to: 1)],
            right: [.deleteSection(0), .moveSection(from: 2, to: 0)], before: [1, 1, 1], after: [1, 1]),
        Rule(
            name: "a row inserted and moved to",
            message: "attempt to perform an insert and a move to the same index path [0, 2]",
            wrong: [.insertItem(row(0, 2)), .moveItem(from: row(0, 0), to: row(0, 2))],
            right: [.insertItem(row(0, 1)), .moveItem(from: row(0, 0), to: row(0, 2))], before: [3], after: [4]),
        Rule(
            name: "a section inserted and moved to",
            message: "attempt to perform an insert and a move to the same section 2",
            wrong: [.insertSection(2), .moveSection(from: 0, to: 2)],
            right: [.insertSection(0), .moveSection(from: 0, to: 2)], before: [1, 1], after: [1, 1, 1]),
        Rule(
            name: "a row moved out of a deleted section", message: "cannot move an item from a deleted section",
            wrong: [.deleteSection(0), .moveItem(from: row(0, 0), to: row(0, 1))],
            right: [.deleteSection(0), .moveItem(from: row(1, 0), to: row(0, 1))], before: [1, 2], after: [3],
            rightAfter: [2]),
        Rule(
            name: "a row moved out of a reloaded section", message: "cannot move an item from a deleted section",
            wrong: [.reloadSection(0), .moveItem(from: row(0, 0), to: row(1, 0))],
            right: [.reloadSection(0), .moveItem(from: row(1, 1), to: row(1, 0))], before: [1, 2], after: [0, 3],
            rightAfter: [1, 2]),
        Rule(
            name: "a row moved into an inserted section", message: "cannot move a row into a newly inserted section",
            wrong: [.insertSection(1), .moveItem(from: row(0, 0), to: row(1, 0))],
            right: [.insertSection(1), .moveItem(from: row(0, 0), to: row(0, 1))], before: [2], after: [1, 1],
            rightAfter: [2, 1]),
        Rule(
            name: "a move from nowhere", message: "attempt to move index path [0, 3] that does not exist",
            wrong: [.moveItem(from: row(0, 3), to: row(0, 0))], right: [.moveItem(from: row(0, 2), to: row(0, 0))],
            before: [3], after: [3]),
        Rule(
            name: "a move to nowhere", message: "attempt to move index path [0, 0] to [0, 3] that does not exist",
            wrong: [.moveItem(from: row(0, 0), to: row(0, 3))], right: [.moveItem(from: row(0, 0), to: row(0, 2))],
            before: [3], after: [3]),
        Rule(
            name: "a section moved from nowhere", message: "attempt to move section 2 that does not exist",
            wrong: [.moveSection(from: 2, to: 0)], right: [.moveSection(from: 1, to: 0)], before: [1, 1], after: [1, 1]),
        Rule(
            name: "a row moved to two places", message: "attempt to move index path [0, 0] to both [0, 1] and [0, 2]",
            wrong: [.moveItem(from: row(0, 0), to: row(0, 1)), .moveItem(from: row(0, 0), to: row(0, 2))],
            right: [.moveItem(from: row(0, 0), to: row(0, 1)), .moveItem(from: row(0, 1), to: row(0, 2))],
            before: [3], after: [3]),
        Rule(
            name: "two rows moved to one place", message: "attempt to move both [0, 0] and [0, 1] to index path [0, 2]",
            wrong: [.moveItem(from: row(0, 0), to: row(0, 2)), .moveItem(from: row(0, 1), to: row(0, 2))],
            right: [.moveItem(from: row(0, 0), to: row(0, 1)), .moveItem(from: row(0, 1), to: row(0, 2))],
            before: [3], after: [3]),
        Rule(
            name: "sections that do not add up", message: "invalid number of sections", wrong: [.insertSection(0)],
            right: [.insertSection(0), .insertSection(1)], before: [1], after: [1, 1, 1]),
        Rule(
            name: "rows that do not add up", message: "invalid number of rows in section 0",
            wrong: [.insertItem(row(0, 0))], right: [.insertItem(row(0, 0)), .insertItem(row(0, 1))], before: [1],
            after: [3]),
        // A batch whose verdict could not be confirmed counts as rejected.
        Rule(
            name: "a row moved to itself", message: "attempt to move index path [0, 1] to itself",
            wrong: [.moveItem(from: row(0, 1), to: row(0, 1))], right: [.moveItem(from: row(0, 1), to: row(0, 2))],
            before: [3], after: [3]),
        Rule(
            name: "a section moved to itself", message: "attempt to move section 1 to itself",
            wrong: [.moveSection(from: 1, to: 1)], right: [.moveSection(from: 1, to: 0)], before: [1, 1], after: [1, 1]),
        Rule(
            name: "a row reloaded twice", message: "attempt to reload row [0, 1] twice",
            wrong: [.reloadItem(row(0, 1)), .reloadItem(row(0, 1))], right: [.reloadItem(row(0, 1))], before: [3],
            after: [3]),
        Rule(
            name: "a section reloaded twice", message: "attempt to reload section 0 twice",
            wrong: [.reloadSection(0), .reloadSection(0)], right: [.reloadSection(0)], before: [3], after: [3]),
        Rule(
            name: "a row inserted twice", message: "attempt to insert row [0, 0] twice",
            wrong: [.insertItem(row(0, 0)), .insertItem(row(0, 0))],
            right: [.insertItem(row(0, 0)), .insertItem(row(0, 1))], before: [1], after: [3]),
        Rule(
            name: "a section inserted twice", message: "attempt to insert section 0 twice",
            wrong: [.insertSection(0), .insertSection(0)], right: [.insertSection(0), .insertSection(1)], before: [1],
            after: [1, 1, 1]),
        Rule(
            name: "a reload in a deleted section", message: "attempt to reload row [0, 0] of a section that is deleted",
            wrong: [.deleteSection(0), .reloadItem(row(0, 0))], right: [.deleteSection(0), .reloadItem(row(1, 0))],
            before: [1, 1], after: [1]),
        Rule(
            name: "a reload in a reloaded section",
            message: "attempt to reload row [0, 0] of a section that is deleted",
            wrong: [.reloadSection(0), .reloadItem(row(0, 0))], right: [.reloadSection(0), .reloadItem(row(1, 0))],
            before: [1, 1], after: [1, 1]),
        Rule(
            name: "content beside structure", message: "attempt to reconfigure rows in the batch that changes where",
            wrong: [.deleteItem(row(0, 0)), .reconfigureItem(row(0, 1))], right: [.deleteItem(row(0, 0))], before: [3],
            after: [2]),
        Rule(
            name: "content of no row", message: "attempt to reconfigure row [0, 3] that does not exist",
            wrong: [.reconfigureItem(row(0, 3))], right: [.reconfigureItem(row(0, 2))], before: [3], after: [3]),
        Rule(
            name: "content twice", message: "attempt to reconfigure row [0, 1] twice",
            wrong: [.reconfigureItem(row(0, 1)), .reconfigureItem(row(0, 1))], right: [.reconfigureItem(row(0, 1))],
            before: [3], after: [3]),
        Rule(
            name: "a header of no section", message: "attempt to reconfigure the header of section 1",
            wrong: [.reconfigureHeader(1)], right: [.reconfigureHeader(0)], before: [3], after: [3]),
    ]

    @Test("A batch that breaks a rule is rejected, one that does not is not", arguments: rejected)
    func rejects(rule: Rule) {
        for operations in [rule.wrong, rule.wrong.reversed()] {
            guard
                case .rejected(let message) = TableSimulator.verdict(
                    of: operations, before: rule.before, after: rule.after)
            else {
                Issue.record("not rejected: \(operations)")
                continue
            }
            // The message names two calls in the order in which they were made.
            #expect(message.contains(rule.message) || message.contains("both"))
        }
        let right = TableSimulator.verdict(of: rule.right, before: rule.before, after: rule.rightAfter ?? rule.after)
        #expect(right == .accepted)
    }

    static let hazards = [
        Rule(
            name: "a row deleted twice", message: "a row is deleted twice",
            wrong: [.deleteItem(row(0, 1)), .deleteItem(row(0, 1))], right: [.deleteItem(row(0, 1))], before: [3],
            after: [2]),
        Rule(
            name: "a section deleted twice", message: "a section is deleted twice",
            wrong: [.deleteSection(1), .deleteSection(1)], right: [.deleteSection(1)], before: [3, 1], after: [3]),
        Rule(
            name: "an insertion in a moved section", message: "row [0, 0] is inserted in a section that moves",
            wrong: [.moveSection(from: 1, to: 0), .insertItem(row(0, 0))],
            right: [.moveSection(from: 1, to: 0), .insertItem(row(1, 0))], before: [1, 1], after: [2, 1],
            rightAfter: [1, 2]),
        Rule(
            name: "a deletion in a moved section", message: "row [1, 0] is deleted in a section that moves",
            wrong: [.moveSection(from: 1, to: 0), .deleteItem(row(1, 0))],
            right: [.moveSection(from: 1, to: 0), .deleteItem(row(0, 0))], before: [2, 2], after: [1, 2],
            rightAfter: [2, 1]),
        Rule(
            name: "rows and sections that move", message: "rows and sections move in one batch",
            wrong: [.moveSection(from: 1, to: 0), .moveItem(from: row(2, 0), to: row(2, 1))],
            right: [.moveSection(from: 1, to: 0)], before: [1, 1, 2], after: [1, 1, 2]),
    ]

    @Test("A batch that a view accepts although it corrupts the view is a hazard", arguments: hazards)
    func hazard(rule: Rule) {
        let wrong = TableSimulator.verdict(of: rule.wrong, before: rule.before, after: rule.after)
        #expect(wrong == .hazard(rule.message))
        let right = TableSimulator.verdict(of: rule.right, before: rule.before, after: rule.rightAfter ?? rule.after)
        #expect(right == .accepted)
    }

    @Test("Rows of deleted and inserted sections may be listed, and are not counted")
    func swallowed() {
        let verdict = TableSimulator.verdict(
            of: [.deleteSection(0), .deleteItem(row(0, 0)), .insertSection(1), .insertItem(row(1, 2))], before: [2, 1],
            after: [1, 3])
        #expect(verdict == .accepted)
    }

    @Test("A batch whose counts are right may still show the wrong rows")
    func wrongRows() {
        let (before, after) = ([["a", "b", "c"]], [["c", "a", "b"]])
        let right = TableSimulator.verdict(
            of: [.moveItem(from: row(0, 2), to: row(0, 0))], before: before, after: after)
        #expect(right == .accepted)
        let wrong = TableSimulator.verdict(
            of: [.moveItem(from: row(0, 0), to: row(0, 2))], before: before, after: after)
        #expect(wrong == .wrongRows("row [0, 0] is b, and should be c"))
        let nothing = TableSimulator.verdict(of: [], before: before, after: after)
        #expect(nothing == .wrongRows("row [0, 0] is a, and should be c"))
    }

    @Test("Verdicts have descriptions")
    func descriptions() {
        #expect(TableVerdict.accepted.description == "accepted" && TableVerdict.accepted.message == nil)
        #expect(TableVerdict.hazard("x").description == "hazard: x" && !TableVerdict.hazard("x").isAccepted)
        #expect(TableVerdict.rejected("x").description == "rejected: x")
        #expect(TableVerdict.wrongRows("x").description == "wrong rows: x")
        #expect("\([TableOperation.moveItem(from: row(0, 1), to: row(2, 3))])" == "[move row [0, 1] to [2, 3]]")
    }
}
