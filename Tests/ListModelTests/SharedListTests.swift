// Tests lists that several writers share, exhaustively: whatever the order in which they exchange, they end with one list.
//
// An edit neither reads nor changes the shared log, nor anything of another writer. So interleavings that differ only in when a writer
// edits between two exchanges of its own are the same, and one is run for each order of the exchanges.

@testable import ListModel
import TestSupport
import Testing

@Suite("Lists that are shared, exhaustively")
struct SharedListTests {
    /// The log of a writer, whose pending records are replaced.
    private final class Log: CommitSource, @unchecked Sendable {
        // @unchecked Sendable: used by one test.
        var records: [[UInt8]] = []

        func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            try records[Int(version.rawValue) - 1].withUnsafeBytes(body)
        }
    }

    /// A writer: its rows, its log, and how much of that is in the shared log.
    private struct Writer: ~Copyable {
        let log = Log()
        var editor: UntypedEditor
        var confirmed = 0
        var histories = HistoryTable()
        var checksum: UInt64 = 0

        init(_ rules: [ListRule]) {
            editor = UntypedEditor(ListState(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4)), source: log)
            editor.rules = rules
        }

        mutating func edit(_ edit: Edit, _ writer: Int) throws {
            let draft = CommitDraft(name: "", origin: "\(writer)", time: Timestamp(microseconds: 0), tracking: .own)
            do {
                let commit =
                    try edit.isUndo
                    ? editor.undo(in: .origin("\(writer)"), time: draft.time, onConflict: .mine).commit
                    : editor.commit(draft) { try $0.apply(edit.operation!) }
                if let commit { log.records.append(commit.record) }
            } catch let error as ListError where error.isRejection {}
        }

        /// Reads what the shared log has, makes the pending commits again behind it, and appends them.
        mutating func exchange(_ shared: inout [[UInt8]]) throws {
            let old = Log()
            old.records = log.records
            let own = try (confirmed..<old.records.count).map { index in
                try Commit(record: old.records[index], version: Version(UInt64(index) + 1))
            }
            if shared.count > confirmed {
                let shift = UInt64(shared.count - confirmed)
                let first = UInt64(confirmed) + 1
                func shifted(_ version: Version) -> Version {
                    version.rawValue < first ? version : Version(version.rawValue + shift)
                }
                var before = histories
                let rows = try editor.takeBack(own, to: histories, checksum: checksum)
                log.records = shared
                for index in confirmed..<shared.count {
                    try shared[index].withUnsafeBytes { try editor.replay($0, isLast: true) }
                }
                let foreign = Version(first)..<Version(UInt64(shared.count) + 1)
                let moved = MovedContents(from: Version(first), behind: Array(foreign)) { try old.content(of: $0) }
                for (index, commit) in own.enumerated() {
                    let scope = try #require(commit.scope)
                    let isUndisturbed = editor.state.histories[scope].position == shifted(before[scope].position)
                    before.note(commit.mark, at: commit.version)
                    let new = try editor.repeating(
                        commit, (rows[index], rows[index + 1]), now: shifted, position: shifted,
                        isUndisturbed: isUndisturbed, moved)
                    log.records.append(new.commit.record)
                }
            }
            shared = log.records
            (confirmed, histories, checksum) = (shared.count, editor.state.histories, editor.checksum)
        }
    }

    struct Edit: Sendable {
        var operation: EditOperation?
        var isUndo: Bool { operation == nil }
    }

    /// What three writers do: four edits each.
    static let plans: [[[Edit]]] = {
        func insert(_ id: Int64, _ content: UInt8, _ place: ItemDestination) -> Edit {
            Edit(operation: .insert([NewRow(id: .integer(id), content: [content])], place))
        }
        func delete(_ id: Int64) -> Edit { Edit(operation: .delete(.items([.integer(id)]))) }
        func move(_ id: Int64, _ section: UntypedID) -> Edit {
            Edit(operation: .move(.items([.integer(id)]), .end(ofSection: section)))
        }
        let undo = Edit(operation: nil)
        return [
            // Rows with equal contents, too many rows, a row that another deletes.
            [
                [insert(10, 5, .end(ofSection: "a")), insert(11, 6, .before(1)), undo, insert(12, 7, .before(1))],
                [insert(20, 5, .before(1)), delete(1), delete(10), undo],
                [
                    move(1, "b"), insert(30, 6, .end(ofSection: "b")), move(20, "b"),
                    insert(31, 5, .end(ofSection: "a")),
                ],
            ],
            // The same row, changed, moved and deleted, and undone.
            [
                [Edit(operation: .update(1, [9])), undo, move(1, "b"), undo],
                [Edit(operation: .update(1, [8])), move(1, "a"), Edit(operation: .toggle(.items([1]))), undo],
                [delete(1), undo, Edit(operation: .update(1, [7])), delete(2)],
            ],
            // Sections and everything at once.
            [
                [
                    Edit(operation: .deleteSection(.section("b"))), insert(10, 7, .end(ofSection: "a")), undo,
                    move(1, "b"),
                ],
                [insert(20, 4, .end(ofSection: "b")), undo, insert(21, 4, .end(ofSection: "b")), delete(2)],
                [
                    Edit(operation: .reload([NewSection(id: "b", title: "", items: [])])), undo,
                    insert(30, 3, .end(ofSection: "b")), undo,
                ],
            ],
        ]
    }()

    /// After which of its edits each writer exchanges, the last time after the last edit that it makes; and how many orders of these
    /// exchanges there are.
    static let schedules: [(edits: [Int], orders: Int)] =
        [([1, 2], 90), ([2, 4], 90), ([1, 4], 90), ([1, 2, 4], 1_680)]
        + (Soak.isEnabled ? [([1, 2, 3, 4], 34_650)] : [])

    @Test(
        "Three writers of up to four edits each end with one list that keeps the rules, in whatever order they exchange",
        arguments: plans, schedules)
    func everyInterleaving(plan: [[Edit]], schedule: (edits: [Int], orders: Int)) throws {
        var count = 0
        func visit(_ order: [Int], _ left: [Int]) throws {
            if left == [0, 0, 0] {
                count += 1
                var turns: [Turn] = []
                var exchanges = [0, 0, 0]
                for writer in order {
                    let first = exchanges[writer] == 0 ? 0 : schedule.edits[exchanges[writer] - 1]
                    turns += plan[writer][first..<schedule.edits[exchanges[writer]]].map { Turn(writer, $0) }
                    turns.append(Turn(writer, nil))
                    exchanges[writer] += 1
                }
                _ = try run(turns, "order \(order) of exchanges")
            }
            for writer in 0..<3 where left[writer] > 0 {
                var rest = left
                rest[writer] -= 1
                try visit(order + [writer], rest)
            }
        }
        try visit([], Array(repeating: schedule.edits.count, count: 3))
        #expect(count == schedule.orders)
    }

    @Test("When a writer edits between two of its exchanges makes no difference to the others", arguments: plans)
    func commutingEdits(plan: [[Edit]]) throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 * Soak.factor {
            var left = plan.enumerated().map { writer, edits in edits.flatMap { [Turn(writer, $0), Turn(writer, nil)] }
            }
            var turns: [Turn] = []
            while let writer = left.indices.filter({ !left[$0].isEmpty }).randomElement(using: &generator) {
                turns.append(left[writer].removeFirst())
            }
            // The edits, each right before the next exchange of its writer.
            var late: [Turn] = []
            var waiting: [[Turn]] = [[], [], []]
            for turn in turns {
                waiting[turn.writer].append(turn)
                if turn.edit == nil {
                    late += waiting[turn.writer]
                    waiting[turn.writer] = []
                }
            }
            #expect(try run(turns, "seed \(seed)") == run(late, "seed \(seed)"), "seed \(seed)")
        }
    }

    @Test("What a commit wrote that is given up is written again where a later one needs it")
    func givenUpContents() throws {
        let rule = ListRule("only the first may insert several") { change, _ in
            change.changes.items.inserted.count > 1 && change.before.itemCount > 0 ? "several" : nil
        }
        var mine = Writer([rule]), other = Writer([])
        var shared: [[UInt8]] = []
        try mine.edit(Edit(operation: .insertSection(NewSection(id: "a", title: ""), .end)), 0)
        try mine.exchange(&shared)
        try other.exchange(&shared)
        let rows = [1, 2].map { NewRow(id: .integer($0), content: [UInt8($0), 7, 7]) }
        try mine.edit(Edit(operation: .insert(rows, .end(ofSection: "a"))), 0)
        try mine.edit(Edit(operation: .delete(.items([2]))), 0)
        try mine.edit(Edit(operation: nil), 0)
        try other.edit(Edit(operation: .insert([NewRow(id: 9, content: [9, 9])], .end(ofSection: "a"))), 1)
        try other.exchange(&shared)
        try mine.exchange(&shared)
        let items = mine.editor.snapshot().sections.flatMap(\.items)
        #expect(Set(items.map(\.id)) == [9, 2])
        #expect(try items.first { $0.id == 2 }.map { try mine.log.content(of: $0.content) } == [2, 7, 7])
    }

    /// What a writer does next: an edit, or an exchange.
    struct Turn {
        let writer: Int
        let edit: Edit?

        init(_ writer: Int, _ edit: Edit?) { (self.writer, self.edit) = (writer, edit) }
    }

    /// Runs the turns, and exchanges until all have everything.
    ///
    /// - Returns: the shared log.
    private func run(_ turns: [Turn], _ comment: Comment) throws -> [[UInt8]] {
        let rules: [ListRule] = [
            .atMost(4), .unique("content") { Array($0) }, .moves("stays") { _, from, _ in from != "b" },
        ]
        var first = Writer(rules), second = Writer(rules), third = Writer(rules)
        var shared: [[UInt8]] = []
        try first.edit(
            Edit(
                operation: .reload([
                    NewSection(
                        id: "a", title: "", items: [1, 2].map { NewRow(id: .integer($0), content: [UInt8($0)]) }),
                    NewSection(id: "b", title: "", items: []),
                ])), 0)
        let exchanges = [0, 1, 2].map { Turn($0, nil) }
        for turn in exchanges + turns + exchanges + exchanges {
            func act(_ state: inout Writer) throws {
                if let edit = turn.edit { try state.edit(edit, turn.writer) } else { try state.exchange(&shared) }
            }
            switch turn.writer {
            case 0: try act(&first)
            case 1: try act(&second)
            default: try act(&third)
            }
        }
        let rows = first.editor.snapshot()
        try #require(second.editor.snapshot().stateHash == rows.stateHash, comment)
        try #require(third.editor.snapshot().stateHash == rows.stateHash, comment)
        let items = rows.sections.flatMap(\.items)
        try #require(items.count <= 4 && Set(items.map(\.content.hash)).count == items.count, comment)
        return shared
    }
}
