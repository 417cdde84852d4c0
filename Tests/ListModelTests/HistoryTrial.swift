// A list with random edits, undos and checkouts, and its model.
//
// Always holds: after each commit, the rows and everything in the history equal the model.

@testable import ListModel
import TestSupport
import Testing

/// A list and its model.
struct HistoryTrial: ~Copyable {
    /// The histories; nil is the shared one.
    let scopes: [String?]
    /// Whether untracked commits are made as well. If not, and if there is only one scope, each checkout is exact.
    let isMixed: Bool
    let seed: UInt64
    /// After how many commits all branches are compared, and not only the first few.
    let branchInterval: Int

    var list: KeptList
    var model = ReferenceHistory()
    var coalescing = ReferenceCoalescing()
    var edits: RandomEdits
    /// The rows, their hash and the histories of every version.
    var rows = [ReferenceList()]
    var hashes = [UntypedSnapshot.empty.stateHash]
    var tables = [HistoryTable()]
    /// The undos that a redo takes back: nothing but undos and redos of their scope has happened since the first of them.
    var undos: [(scope: HistoryScope?, last: Version, before: ReferenceList)] = []
    /// The last action, for messages.
    var action = "nothing"
    /// How often each action was made, so that a test can check that all were.
    var counts: [String: Int] = [:]

    init(seed: UInt64, scopes: [String?] = [nil], isMixed: Bool = false, branchInterval: Int = 1) {
        self.seed = seed
        self.scopes = scopes
        self.isMixed = isMixed
        self.branchInterval = branchInterval
        list = KeptList(limits: seed % 3 == 0 ? TreeLimits() : TreeLimits(leafCapacity: 4, innerCapacity: 4))
        edits = RandomEdits(seed: seed, targetCount: 24, maximumSections: 4)
        setUpEditor()
    }

    /// How many commits since a step a merge asks what they have moved.
    var othersLimit: UInt64 { seed % 4 == 0 ? 10 : 200 }

    private mutating func setUpEditor() {
        list.editor.coalescingPolicy = .standard
        list.editor.othersLimit = othersLimit
    }

    var comment: Comment { "seed \(seed), version \(list.log.head): \(action)" }
    var now: ReferenceList { rows[rows.count - 1] }
    var tree: HistoryTree { HistoryTree(list.log, oldest: .empty) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &edits.generator) }
    mutating func anyScope() -> HistoryScope { KeptList.scope(scopes[number(0..<scopes.count)]) }
    mutating func anyPolicy() -> ConflictPolicy { [.refuse, .skip, .mine][number(0..<3)] }

    /// The time of the next commit: mostly a little later, sometimes much later, rarely earlier.
    mutating func tick() -> Timestamp {
        switch number(0..<12) {
        case 0..<8: list.clock += Int64(number(0..<300_000))
        case 8: list.clock += 500_000
        case 9: list.clock += 500_001
        case 10: list.clock += 4_000_000
        default: list.clock -= Int64(number(0..<50))
        }
        return Timestamp(microseconds: list.clock)
    }

    // MARK: What can happen

    /// Makes a random action.
    mutating func step() throws {
        switch number(0..<100) {
        case 0..<36: try edit(edits.next(now))
        case ..<54: try type()
        case ..<64: try undo()
        case ..<73: try redo()
        case ..<79: try goAnywhere()
        case ..<83: try switchBranch()
        case ..<87: try goEarlierOrLater()
        case ..<90: try revert()
        case ..<92: try restore()
        case ..<96: try group()
        case ..<98:
            action = "break"
            list.editor.breakUndoCoalescing()
            coalescing.endStep()
        default: try reopen()
        }
    }

    /// A draft of a random origin.
    private mutating func draft(_ name: String) -> CommitDraft {
        let tracking: Tracking
        var origin = ["", "pen"][edits.generator.oneIn(4) ? 1 : 0]
        if isMixed && edits.generator.oneIn(6) {
            tracking = .untracked
        } else if case .origin(let own) = anyScope() {
            (origin, tracking) = (own, .own)
        } else {
            tracking = .shared
        }
        return CommitDraft(
            name: name, origin: origin, time: tick(), tracking: tracking, isDiscardable: edits.generator.oneIn(9))
    }

    private mutating func edit(_ operation: EditOperation) throws {
        let draft = draft(edits.generator.oneIn(3) ? "other" : "edit")
        action = "\(operation)"
        var after = now
        var expected: ListError?
        do { try after.apply(operation) } catch let error as ListError { expected = error }
        guard let expected else {
            guard let commit = try list.editor.commit(draft, { try $0.apply(operation) }) else {
                return try #require(after == now, comment)
            }
            var isEdit = true
            if case .reload = operation { isEdit = false }
            return try noteNode(commit, draft, after, isEdit: isEdit)
        }
        try expectFailure(expected, isWhole: false) { _ = try $0.editor.commit(draft) { try $0.apply(operation) } }
    }

    /// Continues the last edit, as in typing.
    private mutating func type() throws {
        let paths = now.paths
        guard let any = paths.randomElement(using: &edits.generator), number(0..<20) > 0 else {
            return try edit(edits.next(now))
        }
        var path = any
        let ids = lastIDs()
        if let id = ids.randomElement(using: &edits.generator), let found = now.path(of: id) { path = found }
        let id = now.item(at: path).id
        switch number(0..<4) {
        case 0: try edit(.update(id, [UInt8(number(0..<250)), 1]))
        case 1: try edit(.delete(.at(path)))
        default:
            let new = NewRow(id: .string("typed \(list.log.head)"), content: [7])
            try edit(.insert([new], edits.generator.oneIn(2) ? .after(id) : .before(id)))
        }
    }

    /// The rows that the newest commit changed, or that are beside its deletion.
    private func lastIDs() -> [UntypedID] {
        guard list.log.head > .empty, let event = try? list.log.commit(list.log.head).events().last else { return [] }
        switch event {
        case .itemUpdated(_, let id, _, _): return [id]
        case .itemsInserted(_, let items): return [items.first!.id, items.last!.id]
        case .itemsDeleted(let path, _):
            guard now.sections.indices.contains(path.section) else { return [] }
            let items = now.sections[path.section].items
            return [path.item - 1, path.item].filter { items.indices.contains($0) }.map { items[$0].id }
        default: return []
        }
    }

    private mutating func group() throws {
        let scope = anyScope()
        if edits.generator.oneIn(3) {
            action = "begin a group"
            let name = edits.generator.oneIn(2) ? "group \(number(0..<3))" : nil
            list.editor.beginGroup(in: scope, name: name)
            coalescing.beginGroup(scope, name: name)
        } else if coalescing.endGroup(scope) {
            action = "end a group"
            try list.editor.endGroup(in: scope)
        } else {
            action = "end no group"
            let error = #expect(throws: ListError.self) { try list.editor.endGroup(in: scope) }
            #expect(error?.code == "groupMismatch", comment)
        }
    }

    /// Ends all groups.
    mutating func endGroups() throws {
        for name in scopes {
            while coalescing.endGroup(KeptList.scope(name)) { try list.editor.endGroup(in: KeptList.scope(name)) }
        }
    }

    /// Continues with an editor that replayed the log.
    private mutating func reopen() throws {
        action = "reopen"
        let (hash, histories) = (list.editor.snapshot().stateHash, list.editor.state.histories)
        list.editor = try list.replayed()
        setUpEditor()
        coalescing.forget()
        try #require(list.editor.snapshot().stateHash == hash, comment)
        try #require(list.editor.state.histories == histories, comment)
    }

    // MARK: Noting

    /// Records a revision, or an untracked commit.
    mutating func noteNode(
        _ commit: Commit, _ draft: CommitDraft, _ after: ReferenceList, isEdit: Bool
    ) throws {
        let name = coalescing.name(draft.name, in: draft.scope)
        try #require(commit.name == name && commit.origin == draft.origin && commit.time == draft.time, comment)
        try #require(commit.isDiscardable == draft.isDiscardable && commit.tracking == draft.tracking, comment)
        if let scope = draft.scope {
            let place = model[scope]
            let isAtTip = place.position == place.tip && place.position != .empty
            let continues = coalescing.continues(
                commit, in: scope, isAtTip: isAtTip, before: now, after: after, isEdit: isEdit)
            try #require(commit.continuesStep == continues, comment)
            model.add(commit.version, in: scope, continues: continues, name: name, origin: draft.origin)
            if continues { counts["continued", default: 0] += 1 }
            if place.position != place.tip { counts["branched", default: 0] += 1 }
        } else {
            coalescing.endStep()
            try #require(commit.history == nil && !commit.continuesStep, comment)
        }
        try note(commit, after)
    }

    mutating func note(_ commit: Commit, _ after: ReferenceList) throws {
        list.keep(commit)
        switch commit.cause {
        case .undo(let last):
            if undos.last?.scope != commit.scope { undos = [] }
            undos.append((commit.scope, last, rows[rows.count - 1]))
        case .redo(let last):
            if undos.last?.scope == commit.scope, undos.last?.last == last { undos.removeLast() } else { undos = [] }
        default: undos = []
        }
        rows.append(after)
        hashes.append(commit.stateHash)
        tables.append(list.editor.state.histories)
        counts["commits", default: 0] += 1
        try check()
    }

    /// Expects that `body` throws an error and changes nothing.
    ///
    /// - Parameter isWhole: whether the values of the error are compared as well, and not only its kind.
    mutating func expectFailure(
        _ expected: ListError, isWhole: Bool = true, _ body: (inout KeptList) throws -> Void
    ) throws {
        let (head, histories) = (list.log.head, list.editor.state.histories)
        var found: ListError?
        do {
            try body(&list)
            Issue.record("an error was expected: \(comment)")
        } catch let error as ListError { found = error }
        let isExpected = isWhole ? found == expected : found?.code == expected.code
        try #require(isExpected, "\(comment.rawValue), found \(String(describing: found))")
        try #require(list.log.head == head && list.editor.state.histories == histories, comment)
        try #require(!list.editor.isEditing && list.editor.state.version == head, comment)
        try #require(list.editor.snapshot().stateHash == hashes[hashes.count - 1], comment)
    }
}
