// Tests when a commit continues the step before it: time, names, origins, commits in between, groups.

@testable import ListModel
import TestSupport
import Testing

@Suite("When commits continue a step")
struct CoalescingTests {
    /// An update of one row; each call has other content.
    private func update(_ content: UInt8) -> (inout UntypedEditor) throws -> Void {
        { try $0.update(1, content: [content]) }
    }

    // MARK: Time

    /// Whether an update a time after another one continues its step.
    private func continues(_ first: Int64, _ second: Int64, _ interval: Duration) throws -> Bool {
        var typing = try TypingList(policy: CoalescingPolicy(interval: interval))
        for (time, content) in [(first, 90), (second, 91)] as [(Int64, UInt8)] {
            let draft = CommitDraft(name: "type", time: Timestamp(microseconds: time))
            typing.list.keep(try typing.list.editor.commit(draft, update(content)))
        }
        return typing.list.editor.state.history.undoCount == 1
    }

    @Test("Commits within the interval, its end included, are one step; if the clock goes back, they are not")
    func bounds() throws {
        let half = Duration.milliseconds(500)
        for (after, merges) in [(0, true), (1, true), (500_000, true), (500_001, false), (-1, false)] as [(Int64, Bool)]
        {
            #expect(try continues(1_000, 1_000 + after, half) == merges, "after \(after) µs")
            #expect(try continues(-700_000, -700_000 + after, half) == merges, "after \(after) µs, before 1970")
        }
        #expect(try continues(0, 0, .zero))
        #expect(try !continues(0, 1, .zero))
        #expect(try !continues(0, 0, .milliseconds(-1)))
        #expect(try continues(0, 3_600_000_000, .seconds(3_600)))
        // Less than a microsecond counts as zero.
        #expect(try !continues(0, 1, .nanoseconds(999)))
        #expect(try continues(0, 1, .nanoseconds(1_000)))
    }

    @Test("All times and intervals can be compared without overflow")
    func extremes() throws {
        let forever = Duration(secondsComponent: .max, attosecondsComponent: 0)
        // The longest interval that fits into microseconds, and the next one.
        let longest = Duration(secondsComponent: 9_223_372_036_854, attosecondsComponent: 775_807_000_000_000_000)
        let longer = Duration(secondsComponent: 9_223_372_036_854, attosecondsComponent: 999_999_000_000_000_000)
        for interval in [forever, longest, longer] {
            #expect(try continues(0, .max, interval), "\(interval)")
            #expect(try continues(.min, -1, interval), "\(interval)")
            #expect(try !continues(1, 0, interval), "\(interval)")
            #expect(try !continues(.max, .min, interval), "\(interval)")
        }
        #expect(try !continues(.min, .max, .milliseconds(500)))
        #expect(try continues(.min, .max, forever))
        #expect(try !continues(.min, .max, longest))
        #expect(try !continues(0, 0, Duration(secondsComponent: .min, attosecondsComponent: 0)))
        #expect(try !continues(0, .max, Duration(secondsComponent: .min, attosecondsComponent: 0)))
    }

    @Test("The interval is measured from commit to commit, not from the first of the step")
    func longStep() throws {
        var typing = try TypingList()
        try typing.commit(doing: update(90))
        for content in 91...110 { #expect(try typing.commit(after: 500, doing: update(UInt8(content)))) }
        #expect(typing.list.editor.state.history.undoCount == 1)
    }

    // MARK: Who and what

    @Test("Another name, another origin or another history begins a step")
    func identity() throws {
        var typing = try TypingList()
        try typing.commit("type", by: "a", doing: update(90))
        #expect(try typing.commit("type", by: "a", doing: update(91)))
        #expect(try !typing.commit("paste", by: "a", doing: update(92)))
        #expect(try typing.commit("paste", by: "a", doing: update(93)))
        #expect(try !typing.commit("paste", by: "b", doing: update(94)))
        #expect(try typing.commit("paste", by: "b", doing: update(95)))
        #expect(try !typing.commit("paste", by: "b", in: .own, doing: update(96)))
        #expect(try typing.commit("paste", by: "b", in: .own, doing: update(97)))
        #expect(try !typing.commit("paste", by: "b", in: .untracked, doing: update(98)))
        #expect(try !typing.commit("paste", by: "b", in: .untracked, doing: update(99)))
    }

    @Test("Only the kinds of the policy coalesce; with an editor's default policy none do")
    func kinds() throws {
        let edits: [(CoalescingPolicy.Kind, TypingEdit, TypingEdit)] = [
            (.updates, .update(3, 90), .update(3, 91)), (.insertions, .insert(20, at: 2), .insert(21, at: 3)),
            (.deletions, .delete(5), .delete(4)),
        ]
        for (kind, first, second) in edits {
            for other in CoalescingPolicy.Kind.allCases {
                var typing = try TypingList(policy: CoalescingPolicy(kinds: [other]))
                try typing.commit { try first.apply(&$0) }
                #expect(try typing.commit { try second.apply(&$0) } == (kind == other), "\(kind), \(other)")
            }
            var never = try TypingList(policy: .never)
            try never.commit { try first.apply(&$0) }
            #expect(try !never.commit { try second.apply(&$0) })
        }
        #expect(KeptList().editor.coalescingPolicy == .never)
        #expect(CoalescingPolicy.never.kinds.isEmpty)
        #expect(CoalescingPolicy.standard.kinds == Set(CoalescingPolicy.Kind.allCases))
        #expect(CoalescingPolicy.standard == CoalescingPolicy(kinds: Set(CoalescingPolicy.Kind.allCases)))
        var one = CoalescingPolicy.standard
        one.kinds = [.deletions]
        #expect(one.kinds == [.deletions])
    }

    @Test("The record says whether a commit is discardable, which does not influence its step")
    func discardable() throws {
        var typing = try TypingList()
        for (isDiscardable, content) in [(false, 90), (true, 91), (false, 92)] as [(Bool, UInt8)] {
            let draft = CommitDraft(
                name: "fold", time: Timestamp(microseconds: Int64(content)), isDiscardable: isDiscardable)
            typing.list.keep(try typing.list.editor.commit(draft, update(content)))
            let read = try typing.list.log.commit(typing.list.log.head)
            #expect(read.isDiscardable == isDiscardable && read.continuesStep == (content > 90))
        }
        let undo = try #require(try typing.list.undo().commit)
        #expect(!undo.isDiscardable)
    }

    // MARK: In between

    /// An action between two commits that would be one step.
    struct Between: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let merges: Bool
        let body: @Sendable (inout TypingList) throws -> Void

        init(_ name: String, _ merges: Bool, _ body: @escaping @Sendable (inout TypingList) throws -> Void) {
            (testDescription, self.merges, self.body) = (name, merges, body)
        }
    }

    static let between: [Between] = [
        Between("nothing", true) { _ in },
        Between("a commit of nothing", true) { try $0.commit { _ in } },
        Between("a commit that fails", true) { typing in
            #expect(throws: ListError.self) { try typing.commit { try $0.delete(.item(99)) } }
        },
        Between("an undo that fails", true) { typing in
            #expect(throws: ListError.self) { try typing.list.undo("nobody") }
        },
        Between("the end of the step", false) { $0.list.editor.breakUndoCoalescing() },
        Between("an undo and a redo", false) {
            try $0.list.undo()
            try $0.list.redo()
        },
        Between("an undo", false) { try $0.list.undo() },
        Between("going to the root and back", false) { typing in
            try typing.list.go(to: .empty)
            try typing.list.go(to: typing.list.editor.state.history.tip)
        },
        Between("an edit of another row", false) { try $0.commit { try $0.update(2, content: [1]) } },
        Between("an edit in the history of an origin", false) { typing in
            try typing.commit(by: "b", in: .own) { try $0.update(2, content: [1]) }
        },
        Between("an undo in the history of an origin", false) { typing in
            try typing.list.undo("c")
        },
        Between("an untracked edit", false) { typing in
            try typing.commit(after: 0, "type", by: "", in: .untracked) { try $0.update(2, content: [1]) }
        },
        Between("opening the log anew", false) { typing in
            typing.list.editor = try typing.list.replayed()
            typing.list.editor.coalescingPolicy = .standard
        },
        Between("an empty group", false) { typing in
            typing.list.editor.beginGroup()
            try typing.list.editor.endGroup()
        },
    ]

    @Test("Between two commits that are one step", arguments: between)
    func inBetween(between: Between) throws {
        var typing = try TypingList()
        try typing.commit(by: "c", in: .own) { try $0.toggle(.item(8)) }
        try typing.commit(doing: update(90))
        let clock = typing.list.clock
        try between.body(&typing)
        // No time has passed, so the interval does not end the step.
        typing.list.clock = clock
        #expect(try typing.commit(after: 0, doing: update(91)) == between.merges)
    }

    @Test("After a checkout into the middle of a step, an edit begins a new step, and the rest stays as a branch")
    func middleOfAStep() throws {
        var typing = try TypingList()
        for content in 90...93 { try typing.commit(doing: update(UInt8(content))) }
        let tip = typing.list.editor.state.history.tip
        try typing.list.go(to: Version(3))
        var history = typing.list.editor.state.history
        #expect(history.undoCount == 1 && history.redoCount == 1)
        #expect(try typing.list.contents().sections[0].items[0].content == [91])
        #expect(try !typing.commit(after: 0, doing: update(95)))
        history = typing.list.editor.state.history
        #expect(history.undoCount == 2 && history.redoCount == 0)
        try typing.list.undo()
        #expect(try typing.list.contents().sections[0].items[0].content == [91])
        try typing.list.undo()
        #expect(try typing.list.contents().sections[0].items[0].content == [1])
        try typing.list.go(to: tip)
        #expect(typing.list.editor.state.history.undoCount == 1)
    }
}
