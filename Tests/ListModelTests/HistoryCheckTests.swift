// Tests the fold that verification uses: it accepts exactly the histories that an editor writes.

@testable import ListModel
import TestSupport
import Testing

@Suite("Verifying the histories of a log")
struct HistoryCheckTests {
    private func commits(_ log: KeptLog) throws -> [Commit] {
        try (1...log.head.rawValue).map { try log.commit(Version($0)) }
    }

    /// Whether the fold of some commits rejects another after them.
    private func isRejected(_ commit: Commit, after commits: ArraySlice<Commit>, _ log: KeptLog) throws -> Bool {
        var check = HistoryCheck(of: log, after: .empty, HistoryTable())
        for commit in commits { try #require(try check.check(commit) == nil) }
        do { return try check.check(commit) != nil } catch { return error is ListError || error is RecordError }
    }

    // MARK: Tampering

    private func tampered(_ commit: Commit, cause: Commit.Cause? = nil, _ entry: HistoryEntry? = nil) -> Commit {
        Commit(
            version: commit.version, cause: cause ?? commit.cause, name: commit.name, origin: commit.origin,
            time: commit.time, tracking: commit.tracking, entry: entry ?? commit.entry,
            isDiscardable: commit.isDiscardable, stateHash: commit.stateHash, eventCount: commit.eventCount,
            record: commit.record, eventsOffset: commit.eventsOffset)
    }

    /// Versions other than a given one, before a commit.
    private func others(_ version: Version, before commit: Version) -> [Version] {
        let all = [version.rawValue &- 1, version.rawValue + 1, 0, commit.rawValue - 1]
        return Set(all).filter { $0 < commit.rawValue && $0 != version.rawValue }.map { Version($0) }
    }

    private func switches(_ found: HistorySwitch?, at version: Version) -> [HistorySwitch?] {
        guard let found else { return [HistorySwitch(left: version.previous, previous: .empty)] }
        return [nil] + others(found.left, before: version).map { HistorySwitch(left: $0, previous: found.previous) }
            + others(found.previous, before: version).map { HistorySwitch(left: found.left, previous: $0) }
    }

    private func entries(_ node: HistoryRevision) -> [HistoryEntry] {
        func other(
            parent: Version? = nil, jump: Version? = nil, depth: Int = 0, steps: Int = 0, continues: Bool? = nil,
            previous: Version? = nil, switched: Version? = nil, _ branchSwitch: HistorySwitch?? = nil
        ) -> HistoryEntry {
            .node(
                HistoryRevision(
                    version: node.version, parent: parent ?? node.parent, jump: jump ?? node.jump,
                    depth: node.depth + depth, steps: node.steps + steps, continues: continues ?? node.continues,
                    previous: previous ?? node.previous, switched: switched ?? node.switched,
                    branchSwitch: branchSwitch ?? node.branchSwitch))
        }
        let version = node.version
        var entries = [
            other(depth: 1), other(depth: -1), other(steps: 1), other(steps: -1), other(continues: !node.continues),
            .move(node.history, node.branchSwitch),
        ]
        entries += others(node.parent, before: version).map { other(parent: $0) }
        // A jump to the parent is always sound.
        entries += others(node.jump, before: version).filter { $0 != node.parent }.map { other(jump: $0) }
        entries += others(node.previous, before: version).map { other(previous: $0) }
        entries += others(node.switched, before: version.next).map { other(switched: $0) }
        entries += switches(node.branchSwitch, at: version).map { other(.some($0)) }
        // A commit can continue a step only at its end.
        if node.branchSwitch != nil { entries.append(.node(node.continuing)) }
        if node.steps == 1 { entries.append(.node(node.continuing)) }
        return entries
    }

    private func entries(_ history: ListHistory, _ branchSwitch: HistorySwitch?, at version: Version) -> [HistoryEntry]
    {
        func move(
            position: Version? = nil, tip: Version? = nil, newest: Version? = nil, switched: Version? = nil,
            undo: Int = 0,
            redo: Int = 0, depth: Int = 0, _ other: HistorySwitch?? = nil
        ) -> HistoryEntry {
            .move(
                ListHistory(
                    position: position ?? history.position, tip: tip ?? history.tip, newest: newest ?? history.newest,
                    switched: switched ?? history.switched, undoCount: history.undoCount + undo,
                    redoCount: history.redoCount + redo, depth: history.depth + depth), other ?? branchSwitch)
        }
        var entries = [
            move(undo: 1), move(undo: -1), move(redo: 1), move(redo: -1), move(depth: 1), move(depth: -1),
            move(undo: 1, redo: -1), .untracked,
        ]
        entries += others(history.position, before: version).map { move(position: $0) }
        entries += others(history.tip, before: version).map { move(tip: $0) }
        entries += others(history.newest, before: version).map { move(newest: $0) }
        entries += others(history.switched, before: version.next).map { move(switched: $0) }
        entries += switches(branchSwitch, at: version).map { move(.some($0)) }
        return entries
    }

    // MARK: Tests

    @Test(
        "An entry that differs from the fold in any part is rejected, in every commit",
        arguments: 1...4 as ClosedRange<UInt64>)
    func tampering(seed: UInt64) throws {
        let scopes: [[String?]] = [[nil], [nil, "a", "b"], ["a"], [nil, "a"]]
        var trial = HistoryTrial(seed: 500 + seed, scopes: scopes[Int(seed) % 4], isMixed: seed % 2 == 1)
        while trial.list.log.head < Version(45) { try trial.step() }
        try trial.endGroups()
        try trial.checkLog()
        let commits = try commits(trial.list.log)
        var count = 0
        for (index, commit) in commits.enumerated() {
            let variants: [HistoryEntry] =
                switch commit.entry {
                case .untracked: []
                case .node(let node): entries(node)
                case .move(let history, let branchSwitch): entries(history, branchSwitch, at: commit.version)
                }
            for entry in variants where entry != commit.entry {
                let isRejected = try isRejected(tampered(commit, entry), after: commits[..<index], trial.list.log)
                #expect(isRejected, "seed \(seed), commit \(commit.version): \(entry), not \(commit.entry)")
                count += 1
            }
        }
        #expect(count > 400)
    }

    @Test("A jump to the parent is accepted: whoever has a later beginning of the log may not know a longer one")
    func shortJumps() throws {
        var trial = HistoryTrial(seed: 700)
        while trial.list.log.head < Version(80) { try trial.step() }
        try trial.endGroups()
        let commits = try commits(trial.list.log)
        var count = 0
        for (index, commit) in commits.enumerated() {
            guard case .node(let node) = commit.entry, node.jump != node.parent else { continue }
            let short = tampered(commit, .node(node.jumping(to: node.parent)))
            #expect(try !isRejected(short, after: commits[..<index], trial.list.log), "commit \(commit.version)")
            count += 1
        }
        #expect(count > 5)
    }

    @Test("A checkout with a wrong cause is rejected", arguments: 1...4 as ClosedRange<UInt64>)
    func causes(seed: UInt64) throws {
        var trial = HistoryTrial(seed: 600 + seed)
        while trial.list.log.head < Version(60) { try trial.step() }
        try trial.endGroups()
        let commits = try commits(trial.list.log)
        for (index, commit) in commits.enumerated() where commit.cause.isMove {
            guard let target = commit.cause.target, let after = commit.history else { continue }
            let before = try trial.tree.history(at: commit.version.previous, in: .shared)
            var causes: [Commit.Cause] = [.edit, .revert(of: Version(1)), .restore(of: .empty)]
            for other in others(target, before: commit.version) {
                causes += [.undo(of: other), .redo(of: other), .go(to: other)]
            }
            if before.position != target { causes.append(.undo(of: target)) }
            if after.position != target || before.redoCount == 0 { causes.append(.redo(of: target)) }
            for cause in causes where cause != commit.cause {
                // A checkout of a step may also be a go, besides undo and redo.
                switch cause {
                case .go(let target) where target == after.position: continue
                case .undo(before.position): if try trial.tree.undoing(before)?.entry == commit.entry { continue }
                case .redo(after.position): if try trial.tree.redoing(before)?.entry == commit.entry { continue }
                default: break
                }
                let found = tampered(commit, cause: cause)
                let isRejected = try isRejected(found, after: commits[..<index], trial.list.log)
                #expect(isRejected, "seed \(seed), commit \(commit.version): \(cause), not \(commit.cause)")
            }
        }
    }

    @Test("An undo at the root and a redo at the tip are rejected, whatever history they state")
    func nothingToDo() throws {
        var list = KeptList()
        for number in 0..<3 { try list.commit { try $0.insertSection(NewSection(number)) } }
        for _ in 0..<3 { try list.undo() }
        let commits = try commits(list.log)
        let history = list.editor.state.history
        let undo = commits[5]
        #expect(undo.entry == .move(history, nil))
        // The position is the root, so nothing is before it.
        let again = Commit(
            version: Version(7), cause: .undo(of: .empty), name: "", origin: "", time: undo.time, tracking: .shared,
            entry: .move(history, nil), isDiscardable: false, stateHash: undo.stateHash, eventCount: 0, record: [],
            eventsOffset: 0)
        #expect(try isRejected(again, after: commits[...], list.log))
        // The position is the tip, so nothing is after it.
        let tip = ListHistory(
            position: Version(3), tip: Version(3), newest: Version(3), switched: .empty, undoCount: 3, redoCount: 0,
            depth: 3)
        let redo = Commit(
            version: Version(4), cause: .redo(of: Version(3)), name: "", origin: "", time: undo.time, tracking: .shared,
            entry: .move(tip, nil), isDiscardable: false, stateHash: undo.stateHash, eventCount: 0, record: [],
            eventsOffset: 0)
        #expect(try isRejected(redo, after: commits[..<3], list.log))
    }
}
