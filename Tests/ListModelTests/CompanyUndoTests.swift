// Tests undo among the edits of others: who undoes n times and redoes n times, with nothing in between, has the rows as before.

@testable import ListModel
import TestSupport
import Testing

@Suite("Undo in company")
struct CompanyUndoTests {
    /// What a user may do; each edits the same few rows.
    fileprivate enum Action: CaseIterable { case update, delete, move, insert, toggle, undo }

    fileprivate struct Board: ~Copyable {
        let log: MemoryLog
        var editor: UntypedEditor
        var nextID: Int64 = 10

        init() throws {
            log = MemoryLog()
            editor = UntypedEditor(ListState(), source: log)
            try commit("", .untracked) { list in
                let rows = (1...3).map { NewRow(id: .integer($0), content: [UInt8($0)]) }
                try list.insertSection(NewSection(id: "a", title: "", items: rows))
            }
        }

        mutating func commit(
            _ user: String, _ tracking: Tracking = .own, _ body: (inout UntypedEditor) throws -> Void
        ) throws {
            let draft = CommitDraft(name: "", origin: user, time: Timestamp(microseconds: 0), tracking: tracking)
            editor.breakUndoCoalescing()
            if let commit = try editor.commit(draft, body) { log.append(commit) }
        }

        /// - Returns: whether there was something to do.
        @discardableResult
        mutating func undo(_ user: String, isRedo: Bool = false, _ policy: ConflictPolicy) throws -> Bool {
            let time = Timestamp(microseconds: 0)
            do {
                let reversal =
                    try isRedo
                    ? editor.redo(in: .origin(user), time: time, onConflict: policy)
                    : editor.undo(in: .origin(user), time: time, onConflict: policy)
                if let commit = reversal.commit { log.append(commit) }
                return true
            } catch let error as ListError where error.isRejection { return false }
        }

        mutating func act(_ action: Action, _ user: String) throws {
            let mark = UInt8(ascii: user == "anna" ? "A" : "B")
            nextID += 1
            let id = nextID
            do {
                switch action {
                case .update: try commit(user) { try $0.update(1, content: [mark, UInt8(id)]) }
                case .delete: try commit(user) { try $0.delete(.items([1])) }
                case .move: try commit(user) { try $0.move(.items([1]), to: .end(ofSection: "a")) }
                case .toggle: try commit(user) { try $0.toggle(.items([2])) }
                case .insert:
                    try commit(user) { try $0.insert(NewRow(id: .integer(id), content: [mark]), at: .before(2)) }
                case .undo: try undo(user, .mine)
                }
            } catch let error as ListError where error.isRejection {}
        }
    }

    @Test(
        "All sequences of six actions of two users: with any policy, undoing as far as possible and redoing as often ends with the same rows",
        arguments: [ConflictPolicy.mine, .skip, .refuse])
    func exhaustive(policy: ConflictPolicy) throws {
        // All of the first user's actions, and those of the second that get in the way; each sequence of six once.
        let mine: [Action] = [.update, .move, .insert, .undo]
        let theirs: [Action] = [.update, .delete]
        let choices = mine.map { ($0, "anna") } + theirs.map { ($0, "ben") }
        var overridden = 0
        for number in 0..<choices.count.power(6) {
            var board = try Board()
            var rest = number
            for _ in 0..<6 {
                try board.act(choices[rest % choices.count].0, choices[rest % choices.count].1)
                rest /= choices.count
            }
            let before = board.editor.snapshot().stateHash
            var count = 0
            while try board.undo("anna", policy) { count += 1 }
            // As after a restart: nothing is remembered but the log.
            if number % 2 == 0 { try board.reopen() }
            for _ in 0..<count {
                let isRedone = try board.undo("anna", isRedo: true, policy)
                #expect(isRedone, "sequence \(number)")
            }
            let after = board.editor.snapshot().stateHash
            try #require(after == before, "sequence \(number), \(count) steps")
            if count > 0 { overridden += 1 }
        }
        #expect(overridden > 1_000)
    }

    @Test("Whatever an editor remembers of undos, it redoes as one that knows only the log", arguments: [3, 2_048])
    func remembering(count: Int) throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        var redone = 0
        for _ in 0..<200 * Soak.factor {
            var remembering = try Board()
            var forgetful = try Board()
            remembering.editor.standing.maximumCount = count
            for step in 0..<30 {
                let user = generator.oneIn(3) ? "ben" : "anna"
                // Long runs of undos and redos, with few edits between.
                let choice = Int.random(in: 0..<12, using: &generator)
                let policy: ConflictPolicy = generator.oneIn(4) ? .skip : .mine
                switch choice {
                case 0..<2:
                    let action = Action.allCases.randomElement(using: &generator)!
                    try remembering.act(action, user)
                    try forgetful.act(action, user)
                case 2..<4:
                    // The rows are the same, and yet something has happened.
                    for _ in 0..<2 {
                        try remembering.act(.toggle, "ben")
                        try forgetful.act(.toggle, "ben")
                    }
                case 4..<8:
                    try remembering.undo(user, policy)
                    try forgetful.undo(user, policy)
                default:
                    try forgetful.reopen()
                    let isRedone = try remembering.undo(user, isRedo: true, policy)
                    #expect(try forgetful.undo(user, isRedo: true, policy) == isRedone)
                    if isRedone { redone += 1 }
                }
                let (first, second) = (remembering.editor.snapshot(), forgetful.editor.snapshot())
                try #require(
                    first.stateHash == second.stateHash && first.version == second.version, "seed \(seed), step \(step)"
                )
            }
        }
        #expect(redone > 400, "seed \(seed)")
    }

    @Test(
        "After an edit of somebody else, even if the rows are the same again, a redo repeats the change, and does not take the undo back",
        arguments: [false, true], [1, 2])
    func somethingSince(isReopened: Bool, count: Int) throws {
        var board = try Board()
        for number in 1...2 {
            let row = UntypedID.integer(Int64(number))
            try board.commit("anna") { try $0.update(row, content: [65]) }
            try board.commit("ben") { try $0.update(row, content: [66]) }
        }
        // The other edit is right before the redo, or before another undo and its redo.
        try board.undo("anna", .mine)
        for _ in 0..<2 { try board.act(.toggle, "ben") }
        if count == 2 {
            try board.undo("anna", .mine)
            try board.undo("anna", isRedo: true, .mine)
            #expect(try board.content(of: 1) == [66], "nothing was since this undo")
        }
        // What the log alone gives.
        if isReopened { try board.reopen() }
        #expect(try board.content(of: 2) == [2])
        try board.undo("anna", isRedo: true, .mine)
        #expect(try board.content(of: 2) == [65])
    }

    @Test("What an undo of mine overrides comes back with the redo; a row that is gone is a conflict")
    func overriding() throws {
        var board = try Board()
        try board.commit("anna") { try $0.update(1, content: [65]) }
        try board.commit("ben") { try $0.update(1, content: [66]) }
        var isUndone = try board.undo("anna", .refuse)
        #expect(!isUndone)
        isUndone = try board.undo("anna", .mine)
        #expect(try isUndone && board.content(of: 1) == [1])
        try board.undo("anna", isRedo: true, .mine)
        #expect(try board.content(of: 1) == [66])
        try board.commit("ben") { try $0.delete(.items([1])) }
        let time = Timestamp(microseconds: 0)
        let reversal = try board.editor.undo(in: .origin("anna"), time: time, onConflict: .mine)
        #expect(reversal.conflicts == [MergeConflict(.item(1), .gone)])
    }
}

extension CompanyUndoTests.Board {
    fileprivate func content(of id: UntypedID) throws -> [UInt8]? {
        try editor.state.item(id).map { try log.content(of: $0.content) }
    }

    /// Replays the log.
    fileprivate mutating func reopen() throws {
        var state = ListState()
        var checksum: UInt64 = 0
        for number in 0..<log.head.rawValue {
            let record = log.record(of: Version(number + 1))
            checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
        }
        editor = UntypedEditor(state, checksum: checksum, source: log)
    }
}

extension Int {
    fileprivate func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * self } }
}
