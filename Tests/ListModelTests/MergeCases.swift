// The cases of the table of merges.

@testable import ListModel
import TestSupport

extension MergeCase {
    static let all = deletions + insertions + fields + moves + sectionDeletions + sectionInsertions + sectionChanges

    private static func insert(_ numbers: Int..., after id: UntypedID) -> Edit {
        { try $0.insert(numbers.map { NewRow($0) }, at: .after(id)) }
    }
    private static func delete(_ ids: UntypedID...) -> Edit { { try $0.delete(.items(ids)) } }
    private static func update(_ id: UntypedID, _ content: UInt8) -> Edit { { try $0.update(id, content: [content]) } }
    private static func toggle(_ id: UntypedID) -> Edit { { try $0.toggle(.item(id)) } }
    private static func indent(_ id: UntypedID, _ change: Int = 1) -> Edit {
        { try $0.changeDepth(of: .item(id), by: change) }
    }
    private static func collapse(_ id: UntypedID) -> Edit { { try $0.setCollapsed(true, for: id) } }
    private static func move(_ ids: UntypedID..., to place: ItemDestination) -> Edit {
        { try $0.move(.items(ids), to: place) }
    }
    private static func both(_ first: @escaping Edit, _ second: @escaping Edit) -> Edit {
        {
            try first(&$0)
            try second(&$0)
        }
    }

    // MARK: Rows that come and go

    static let deletions = [
        MergeCase(
            "An inserted row is deleted", insert(9, after: 2), others: toggle(4),
            gives: "s0[1 2 3 4* 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "An inserted row that others moved is deleted", insert(9, after: 2), others: move(9, to: .before(12)),
            gives: "s0[1 2 3 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "An inserted row that is gone needs nothing", insert(9, after: 2), others: delete(9), gives: start,
            isEmpty: true),
        MergeCase(
            "An inserted row with other content stays", insert(9, after: 2), others: update(9, 90),
            gives: "s0[1 2 9=90 3 4 5] s1[11 12] s2[21 22] s3[]", .item(9, .changed), isEmpty: true),
        MergeCase(
            "An inserted row that was checked stays", insert(9, after: 2), others: toggle(9),
            gives: "s0[1 2 9* 3 4 5] s1[11 12] s2[21 22] s3[]", .item(9, .changed), isEmpty: true),
        MergeCase(
            "An inserted row at another depth stays", insert(9, after: 2), others: indent(9),
            gives: "s0[1 2 9>1 3 4 5] s1[11 12] s2[21 22] s3[]", .item(9, .changed), isEmpty: true),
        MergeCase(
            "An inserted row that was collapsed stays", insert(9, after: 2), others: collapse(9),
            gives: "s0[1 2 9- 3 4 5] s1[11 12] s2[21 22] s3[]", .item(9, .changed), isEmpty: true),
        MergeCase(
            "Of several inserted rows those that can be are deleted", insert(7, 8, 9, after: 2),
            others: both(update(8, 90), delete(7)),
            gives: "s0[1 2 8=90 3 4 5] s1[11 12] s2[21 22] s3[]", .item(8, .changed)),
    ]

    static let insertions = [
        MergeCase(
            "A deleted row comes back behind the row before it", delete(3), others: toggle(5),
            gives: "s0[1 2 3 4 5*] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "The first row comes back at the beginning", delete(1), others: delete(2),
            gives: "s0[1 3 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "If the row before it moved away, behind the one before that", delete(3), others: move(2, to: .after(12)),
            gives: "s0[1 3 4 5] s1[11 12 2] s2[21 22] s3[]"),
        MergeCase(
            "If the row before it moved within its section, behind the one before that", delete(3),
            others: move(2, to: .after(5)), gives: "s0[1 3 4 5 2] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "If the row before it is gone, behind the one before that", delete(3), others: delete(2),
            gives: "s0[1 3 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "If no row before it is in its place, at the beginning", delete(3),
            others: both(delete(1), move(2, to: .after(5))), gives: "s0[3 4 5 2] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "Before rows that others inserted at the same place", delete(3), others: insert(8, 9, after: 2),
            gives: "s0[1 2 3 8 9 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row whose section is gone stays away", delete(12), others: { try $0.deleteSection(.section("s1")) },
            gives: "s0[1 2 3 4 5] s2[21 22] s3[]", .item(12, .sectionGone), isEmpty: true),
        MergeCase(
            "A row that is there again needs nothing", delete(3), others: insert(3, after: 5),
            gives: "s0[1 2 4 5 3] s1[11 12] s2[21 22] s3[]", isEmpty: true),
        MergeCase(
            "A row that is there again and differs stays as it is", delete(3),
            others: { try $0.insert(NewRow(3, isChecked: true), at: .after(12)) },
            gives: "s0[1 2 4 5] s1[11 12 3*] s2[21 22] s3[]", .item(3, .alreadyThere), isEmpty: true),
        MergeCase(
            "Of several rows those that can come back do, in their order", delete(2, 3, 4),
            others: { try $0.insert(NewRow(3, content: 90), at: .after(11)) },
            gives: "s0[1 2 4 5] s1[11 3=90 12] s2[21 22] s3[]", .item(3, .alreadyThere)),
    ]

    // MARK: Fields

    static let fields = [
        MergeCase(
            "Content is as it was left: taken back", update(3, 90), others: move(3, to: .after(12)),
            gives: "s0[1 2 4 5] s1[11 12 3] s2[21 22] s3[]"),
        MergeCase(
            "Content is taken back already", update(3, 90), others: update(3, 3), gives: start, isEmpty: true),
        MergeCase(
            "Content is another", update(3, 90), others: update(3, 91),
            gives: "s0[1 2 3=91 4 5] s1[11 12] s2[21 22] s3[]", .item(3, .changed), isEmpty: true),
        MergeCase(
            "Content of a row that is gone", update(3, 90), others: delete(3),
            gives: "s0[1 2 4 5] s1[11 12] s2[21 22] s3[]", .item(3, .gone), isEmpty: true),
        MergeCase(
            "A checkmark is as it was left: taken back", toggle(3), others: update(3, 90),
            gives: "s0[1 2 3=90 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase("A checkmark is taken back already", toggle(3), others: toggle(3), gives: start, isEmpty: true),
        MergeCase(
            "The checkmark of a row that is gone", toggle(3), others: delete(3),
            gives: "s0[1 2 4 5] s1[11 12] s2[21 22] s3[]", .item(3, .gone), isEmpty: true),
        MergeCase(
            "A depth is as it was left: taken back", indent(3), others: toggle(3),
            gives: "s0[1 2 3* 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase("A depth is taken back already", indent(3), others: indent(3, -1), gives: start, isEmpty: true),
        MergeCase(
            "A depth is another", indent(3), others: indent(3),
            gives: "s0[1 2 3>2 4 5] s1[11 12] s2[21 22] s3[]", .item(3, .changed), isEmpty: true),
        MergeCase(
            "A row was collapsed, and is expanded again", collapse(3), others: update(3, 90),
            gives: "s0[1 2 3=90 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row was collapsed, and others expanded it", collapse(3), others: { try $0.setCollapsed(false, for: 3) },
            gives: start, isEmpty: true),
        MergeCase(
            "Of several fields only the one that is another stays", both(update(3, 90), both(toggle(3), indent(3))),
            others: update(3, 91), gives: "s0[1 2 3=91 4 5] s1[11 12] s2[21 22] s3[]", .item(3, .changed)),
    ]

    // MARK: Moves

    static let moves = [
        MergeCase(
            "A moved row goes back", move(1, to: .after(4)), others: toggle(1),
            gives: "s0[1* 2 3 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row goes back to its section", move(4, to: .after(12)), others: insert(9, after: 3),
            gives: "s0[1 2 3 4 9 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row goes back behind the nearest one in its place", move(4, to: .after(12)),
            others: both(delete(3), move(2, to: .after(22))), gives: "s0[1 4 5] s1[11 12] s2[21 22 2] s3[]"),
        MergeCase(
            "A row that others moved stays there", move(1, to: .after(4)), others: move(1, to: .after(12)),
            gives: "s0[2 3 4 5] s1[11 12 1] s2[21 22] s3[]", .item(1, .moved), isEmpty: true),
        MergeCase(
            "A moved row that is gone", move(1, to: .after(4)), others: delete(1),
            gives: "s0[2 3 4 5] s1[11 12] s2[21 22] s3[]", .item(1, .gone), isEmpty: true),
        MergeCase(
            "A row whose old section is gone stays where it is", move(11, to: .after(4)),
            others: { try $0.deleteSection(.section("s1")) },
            gives: "s0[1 2 3 4 11 5] s2[21 22] s3[]", .item(11, .sectionGone), isEmpty: true),
        MergeCase(
            "Of several rows those that can go back do", move(1, 2, to: .after(12)), others: move(1, to: .after(22)),
            gives: "s0[2 3 4 5] s1[11 12] s2[21 22 1] s3[]", .item(1, .moved)),
        // A row that is dragged across its neighbour: each of both may be the one that moved.
        MergeCase(
            "A row goes back although its neighbour is gone", move(2, to: .after(3)),
            others: both(delete(3), insert(9, after: 1)), gives: "s0[1 2 9 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row goes back although others moved its neighbour", move(2, to: .after(3)),
            others: both(move(3, to: .after(12)), insert(9, after: 1)),
            gives: "s0[1 2 9 4 5] s1[11 12 3] s2[21 22] s3[]"),
        MergeCase(
            "Rows go back although the one that they were dragged across is gone", move(2, 3, to: .after(4)),
            others: both(delete(4), insert(9, after: 1)), gives: "s0[1 2 3 9 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A row that others moved is one that was moved", move(3, to: .before(2)), others: move(3, to: .after(12)),
            gives: "s0[1 2 4 5] s1[11 12 3] s2[21 22] s3[]", .item(3, .moved), isEmpty: true),
        MergeCase(
            "The same if it was dragged the other way", move(2, to: .after(3)), others: move(2, to: .after(12)),
            gives: "s0[1 3 4 5] s1[11 12 2] s2[21 22] s3[]", .item(2, .moved), isEmpty: true),
        MergeCase(
            "The row that was dragged goes back, not the one that it was dragged across", move(2, to: .after(3)),
            others: move(1, to: .after(3)), gives: "s0[2 3 1 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "The same for the other of both", move(3, to: .before(2)), others: move(1, to: .after(3)), gives: start),
        MergeCase(
            "A row goes back although others dragged its neighbour across it", move(12, to: .after(1)),
            others: move(2, to: .before(12)), gives: start),
        MergeCase(
            "A row that others dragged across its neighbour stays there", move(12, to: .after(2)),
            others: move(12, to: .before(2)),
            gives: "s0[1 12 2 3 4 5] s1[11] s2[21 22] s3[]", .item(12, .moved), isEmpty: true),
        MergeCase(
            "A move that others have taken back needs nothing", move(1, to: .after(4)), others: move(1, to: .before(2)),
            gives: start, isEmpty: true),
        MergeCase(
            "The same if others have put another row before it", move(1, to: .after(4)),
            others: both(move(1, to: .before(2)), { try $0.insert(NewRow(9), at: .before(1)) }),
            gives: "s0[9 1 2 3 4 5] s1[11 12] s2[21 22] s3[]", isEmpty: true),
        MergeCase(
            "A row that others dragged stays, also if they have brought its neighbour back", move(12, to: .after(2)),
            others: both(both(delete(2), { try $0.insert(NewRow(2), at: .before(12)) }), move(12, to: .before(2))),
            gives: "s0[1 12 2 3 4 5] s1[11] s2[21 22] s3[]", .item(12, .moved), isEmpty: true),
        MergeCase(
            "A row that others have put back is in its place", both(move(1, to: .after(4)), delete(2)),
            others: move(1, to: .before(3)), gives: start),
        MergeCase(
            "A section goes back although its neighbour is gone",
            { try $0.moveSection(.section("s1"), to: .after("s2")) },
            others: both({ try $0.deleteSection(.section("s2")) }, { try $0.moveSection(.section("s3"), to: .at(1)) }),
            gives: "s0[1 2 3 4 5] s1[11 12] s3[]"),
    ]

    // MARK: Sections

    private static let insertSection: Edit = { try $0.insertSection(NewSection(9, [91, 92]), at: .after("s1")) }
    private static let deleteSection: Edit = { try $0.deleteSection(.section("s1")) }
    private static let insertAgain: Edit = { try $0.insertSection(NewSection(1, [11, 12]), at: .after("s0")) }

    static let sectionDeletions = [
        MergeCase(
            "An inserted section is deleted with its rows", insertSection, others: toggle(3),
            gives: "s0[1 2 3* 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "An inserted section with a row of others stays, without its own", insertSection,
            others: insert(8, after: 91),
            gives: "s0[1 2 3 4 5] s1[11 12] s9[8] s2[21 22] s3[]", .section("s9", .notEmpty)),
        MergeCase(
            "An inserted section to which a row was moved stays", insertSection, others: move(3, to: .after(92)),
            gives: "s0[1 2 4 5] s1[11 12] s9[3] s2[21 22] s3[]", .section("s9", .notEmpty)),
        MergeCase(
            "An inserted section with a changed row stays, with that row", insertSection, others: update(91, 90),
            gives: "s0[1 2 3 4 5] s1[11 12] s9[91=90] s2[21 22] s3[]", .item(91, .changed), .section("s9", .notEmpty)),
        MergeCase(
            "An inserted section with another title stays", insertSection,
            others: { try $0.renameSection(.section("s9"), to: "x") },
            gives: "s0[1 2 3 4 5] s1[11 12] s9(x)[] s2[21 22] s3[]", .section("s9", .changed)),
        MergeCase(
            "An inserted section that others moved is deleted", insertSection,
            others: { try $0.moveSection(.section("s9"), to: .at(0)) }, gives: start),
        MergeCase(
            "An inserted section from which others moved a row is deleted, and the row", insertSection,
            others: move(91, to: .after(5)), gives: start),
        MergeCase(
            "An inserted section that is gone needs nothing", insertSection,
            others: { try $0.deleteSection(.section("s9")) }, gives: start, isEmpty: true),
    ]

    static let sectionInsertions = [
        MergeCase(
            "A deleted section comes back behind the one before it, with its rows", deleteSection, others: toggle(3),
            gives: "s0[1 2 3* 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A deleted section comes back at the beginning if those before it are gone", deleteSection,
            others: { try $0.deleteSection(.section("s0")) }, gives: "s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A deleted section comes back before those that others inserted at its place", deleteSection,
            others: { try $0.insertSection(NewSection(8), at: .after("s0")) },
            gives: "s0[1 2 3 4 5] s1[11 12] s8[] s2[21 22] s3[]"),
        MergeCase(
            "A deleted section whose id is there again stays as it is, and gets its rows", deleteSection,
            others: { try $0.insertSection(NewSection(1, [81]), at: .end) },
            gives: "s0[1 2 3 4 5] s2[21 22] s3[] s1[11 12 81]", .section("s1", .alreadyThere)),
        MergeCase(
            "A deleted section that others have brought back needs nothing", deleteSection, others: insertAgain,
            gives: start, isEmpty: true),
        MergeCase(
            "A deleted section that others have brought back with another title stays as it is", deleteSection,
            others: both(insertAgain, rename),
            gives: "s0[1 2 3 4 5] s1(x)[11 12] s2[21 22] s3[]", .section("s1", .alreadyThere), isEmpty: true),
        MergeCase(
            "A row of a deleted section that is there again stays there", deleteSection, others: insert(11, after: 5),
            gives: "s0[1 2 3 4 5 11] s1[12] s2[21 22] s3[]"),
        MergeCase(
            "A row of a deleted section that is there again and differs stays there", deleteSection,
            others: { try $0.insert(NewRow(12, content: 90), at: .after(5)) },
            gives: "s0[1 2 3 4 5 12=90] s1[11] s2[21 22] s3[]", .item(12, .alreadyThere)),
    ]

    private static let rename: Edit = { try $0.renameSection(.section("s1"), to: "x") }
    private static let moveFirst: Edit = { try $0.moveSection(.section("s0"), to: .end) }

    static let sectionChanges = [
        MergeCase(
            "A title is as it was left: taken back", rename, others: toggle(3),
            gives: "s0[1 2 3* 4 5] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A title is taken back already", rename, others: { try $0.renameSection(.section("s1"), to: "s1") },
            gives: start, isEmpty: true),
        MergeCase(
            "A title is another", rename, others: { try $0.renameSection(.section("s1"), to: "y") },
            gives: "s0[1 2 3 4 5] s1(y)[11 12] s2[21 22] s3[]", .section("s1", .changed), isEmpty: true),
        MergeCase(
            "The title of a section that is gone", rename, others: deleteSection,
            gives: "s0[1 2 3 4 5] s2[21 22] s3[]", .section("s1", .gone), isEmpty: true),
        MergeCase(
            "A moved section goes back", moveFirst, others: insert(9, after: 5),
            gives: "s0[1 2 3 4 5 9] s1[11 12] s2[21 22] s3[]"),
        MergeCase(
            "A moved section goes back behind the nearest one in its place",
            { try $0.moveSection(.section("s2"), to: .at(0)) }, others: deleteSection,
            gives: "s0[1 2 3 4 5] s2[21 22] s3[]"),
        MergeCase(
            "A section that others moved stays there", moveFirst,
            others: { try $0.moveSection(.section("s0"), to: .at(1)) },
            gives: "s1[11 12] s0[1 2 3 4 5] s2[21 22] s3[]", .section("s0", .moved), isEmpty: true),
        MergeCase(
            "A move of a section that others have taken back needs nothing", moveFirst,
            others: { try $0.moveSection(.section("s0"), to: .at(0)) }, gives: start, isEmpty: true),
        MergeCase(
            "A moved section that is gone", moveFirst, others: { try $0.deleteSection(.section("s0")) },
            gives: "s1[11 12] s2[21 22] s3[]", .section("s0", .gone), isEmpty: true),
    ]
}
