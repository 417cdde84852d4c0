// The random undos, redos, checkouts, reverts and restores of a trial, with the expectations of the model.

@testable import ListModel
import TestSupport
import Testing

extension HistoryTrial {
    mutating func undo() throws {
        let scope = anyScope()
        action = "undo in \(scope)"
        let (time, policy) = (tick(), anyPolicy())
        let step = model.undoStep(scope)
        guard let first = step.last else {
            return try expectFailure(inGroup(scope) ?? .nothingToUndo(requested: 1, available: 0)) {
                _ = try $0.editor.undo(in: scope, time: time, onConflict: policy)
            }
        }
        // Exact if every commit was made on the rows after the one before it.
        let isWhole = isUninterrupted(step.reversed())
        let isExact = rows[index(step[0])] == now && isWhole
        let expected = Expected(
            exact: isExact ? rows[index(first) - 1] : nil,
            merge: isWhole ? try merge(from: step[0], to: first.previous, policy, placedBy: step, in: scope) : nil)
        try move(to: model.nodes[first]!.parent, in: scope, .undo(of: step[0]), expected, policy) {
            try $0.undo(in: scope, time: time, onConflict: policy)
        }
    }

    mutating func redo() throws {
        let scope = anyScope()
        action = "redo in \(scope)"
        let (time, policy) = (tick(), anyPolicy())
        let step = model.redoStep(scope)
        guard let first = step.first, let last = step.last else {
            return try expectFailure(inGroup(scope) ?? .nothingToRedo(requested: 1, available: 0)) {
                _ = try $0.editor.redo(in: scope, time: time, onConflict: policy)
            }
        }
        let isWhole = isUninterrupted(step)
        let isExact = rows[index(first) - 1] == now && isWhole
        var expected = Expected(
            exact: isExact ? rows[index(last)] : nil,
            merge: isWhole ? try merge(from: first.previous, to: last, policy, placedBy: step, in: scope) : nil)
        // With nothing in between, the undo is taken back, whatever it has done.
        if let undo = undos.last, undo.scope == scope, undo.last == last { expected = Expected(exact: undo.before) }
        try move(to: last, in: scope, .redo(of: last), expected, policy) {
            try $0.redo(in: scope, time: time, onConflict: policy)
        }
    }

    mutating func goAnywhere() throws {
        let scope = anyScope()
        let version = Version(UInt64(number(0..<(Int(list.log.head.rawValue) + 3))))
        if version != .empty && model.nodes[version]?.scope != scope {
            action = "go to \(version), not in \(scope)"
            let time = tick()
            return try expectFailure(inGroup(scope) ?? .notInHistory(version)) {
                _ = try $0.editor.go(to: version, in: scope, time: time)
            }
        }
        try go(to: version, in: scope)
    }

    mutating func switchBranch() throws {
        let scope = anyScope()
        guard let leaf = model.leaves(scope).randomElement(using: &edits.generator) else { return }
        try go(to: leaf, in: scope)
    }

    mutating func goEarlierOrLater() throws {
        let scope = anyScope()
        let count = number(0..<5)
        let history = list.editor.state.histories[scope]
        action = "\(count) earlier"
        let earlier = try tree.earlier(than: history.position, by: count)
        // Earlier by zero steps stays at the position, even in the middle of a step.
        try #require(earlier == (count == 0 ? history.position : model.neighbour(scope, by: -count)), comment)
        action = "\(count) later"
        let later = try tree.later(than: history, in: scope, by: count)
        try #require(later == model.neighbour(scope, by: count), comment)
        try go(to: edits.generator.oneIn(2) ? earlier : later, in: scope)
    }

    private mutating func go(to target: Version, in scope: HistoryScope) throws {
        action = "go to \(target) in \(scope)"
        let (time, policy) = (tick(), anyPolicy())
        if let failure = inGroup(scope) {
            return try expectFailure(failure) { _ = try $0.editor.go(to: target, in: scope, time: time) }
        }
        if target == model[scope].position {
            let reversal = try list.editor.go(to: target, in: scope, time: time)
            return try #require(reversal.commit == nil && reversal.conflicts.isEmpty, comment)
        }
        if model[scope].tip != .empty, !model.isAncestor(target, of: model[scope].tip) {
            counts["switched", default: 0] += 1
        }
        let changes = try tree.changes(from: model[scope].position, to: target)
        let expected = Expected(
            exact: nil, merge: changes.count == 1 ? try merge(from: changes[0].from, to: changes[0].to, policy) : nil)
        try move(to: target, in: scope, .go(to: target), expected, policy) {
            try $0.go(to: target, in: scope, time: time, onConflict: policy)
        }
    }

    /// The expected result of a checkout.
    private struct Expected {
        /// The rows, if conflicts are impossible; nil if they are possible.
        var exact: ReferenceList?
        /// The merge, if it is one.
        var merge: ReferenceMerge?
    }

    /// - Parameters:
    ///   - versions: the commits of the change; nil if nobody asks them what they have moved, nor those of others.
    ///   - scope: the scope whose commits are not those of others.
    private func merge(
        from base: Version, to target: Version, _ policy: ConflictPolicy,
        placedBy versions: [Version]? = nil, in scope: HistoryScope? = nil
    ) throws -> ReferenceMerge {
        func side(_ version: Version) throws -> (rows: ReferenceList, snapshot: UntypedSnapshot) {
            (rows[index(version)], try list.log.snapshot(at: version))
        }
        let placed = try versions.map { try Changeset.Elements(placedBy: $0.map(list.log.commit)) }
        var placedByOthers: Changeset.Elements?
        if versions != nil, list.log.head.rawValue - base.rawValue <= othersLimit {
            let since = try (base.rawValue..<list.log.head.rawValue).map { try list.log.commit(Version($0 + 1)) }
            placedByOthers = try Changeset.Elements(placedBy: since.filter { scope == nil || $0.scope != scope })
        }
        return ReferenceMerge(
            .init(
                base: try side(base), target: try side(target), now: try side(list.log.head), placed: placed,
                placedByOthers: placedByOthers, overrides: policy == .mine))
    }

    /// Makes a checkout that should succeed.
    private mutating func move(
        to target: Version, in scope: HistoryScope, _ cause: Commit.Cause, _ expected: Expected,
        _ policy: ConflictPolicy, _ body: (inout UntypedEditor) throws -> Reversal
    ) throws {
        if let failure = inGroup(scope) { return try expectFailure(failure) { _ = try body(&$0.editor) } }
        // If there is only one history, each revision has its own rows.
        let exact = expected.exact ?? (scopes.count == 1 && !isMixed ? rows[index(target)] : nil)
        let reversal: Reversal
        do { reversal = try body(&list.editor) } catch let error as ListError {
            try #require(exact == nil && policy == .refuse && error.code == "conflicts", comment)
            try #require(expected.merge?.conflicts.isEmpty != true, comment)
            counts["refused", default: 0] += 1
            try check(error, expected.merge)
            return try expectFailure(error) { _ = try body(&$0.editor) }
        }
        let commit = try #require(reversal.commit, comment)
        try #require(reversal.conflicts.isEmpty || (policy != .refuse && exact == nil), comment)
        if !reversal.conflicts.isEmpty { counts["skipped", default: 0] += 1 }
        try #require(commit.cause == cause && !commit.continuesStep && commit.scope == scope, comment)
        try #require(commit.name == (cause.target.flatMap { model.nodes[$0]?.name } ?? ""), comment)
        model.move(to: target, in: scope, at: commit.version)
        coalescing.endStep()
        let after = try ReferenceList(list.editor.snapshot(), list.log)
        if let exact {
            try #require(after == exact, comment)
            counts["exact", default: 0] += 1
        }
        try check(after, reversal.conflicts, expected.merge)
        counts["moves", default: 0] += 1
        try note(commit, after)
    }

    /// Checks that an error lists exactly the conflicts of a merge.
    private func check(_ error: ListError, _ merge: ReferenceMerge?) throws {
        guard let merge, case .conflicts(let conflicts) = error else { return }
        try #require(Set(conflicts) == merge.conflicts, comment)
    }

    /// Checks that rows and conflicts are those of a merge.
    private mutating func check(
        _ after: ReferenceList, _ conflicts: [MergeConflict], _ merge: ReferenceMerge?
    ) throws {
        guard let merge else { return }
        try #require(Set(conflicts) == merge.conflicts && conflicts.count == merge.conflicts.count, comment)
        let difference = "\(MergeRows.text(after)), not \(MergeRows.text(merge.result))"
        try #require(after == merge.result, "\(comment.rawValue): \(difference)")
        counts["merged", default: 0] += 1
    }

    // MARK: Revert and restore

    mutating func revert() throws {
        guard list.log.head > .empty else { return }
        let version = Version(UInt64(number(1..<(Int(list.log.head.rawValue) + 1))))
        let policy = anyPolicy()
        var draft = CommitDraft(name: edits.generator.oneIn(3) ? "undo it" : "", time: tick())
        if case .origin(let origin) = anyScope() { (draft.origin, draft.tracking) = (origin, .own) }
        action = "revert \(version)"
        let isExact = rows[index(version)] == now
        let merge = try merge(from: version, to: version.previous, policy, placedBy: [version])
        let reversal: Reversal
        do { reversal = try list.editor.revert(version, as: draft, onConflict: policy) } catch let error as ListError {
            try #require(!isExact && policy == .refuse && error.code == "conflicts", comment)
            try check(error, merge)
            let again = draft
            return try expectFailure(error) { _ = try $0.editor.revert(version, as: again, onConflict: policy) }
        }
        try #require(reversal.conflicts.isEmpty || (policy != .refuse && !isExact), comment)
        guard let commit = reversal.commit else {
            let unchanged = try ReferenceList(list.editor.snapshot(), list.log)
            try check(unchanged, reversal.conflicts, merge)
            return try #require(unchanged == now && (!isExact || rows[index(version) - 1] == now), comment)
        }
        try #require(commit.cause == .revert(of: version), comment)
        if draft.name.isEmpty { draft.name = try list.log.commit(version).name }
        let after = try ReferenceList(list.editor.snapshot(), list.log)
        if isExact { try #require(after == rows[index(version) - 1], comment) }
        try check(after, reversal.conflicts, merge)
        counts["reverted", default: 0] += 1
        try noteNode(commit, draft, after, isEdit: false)
    }

    mutating func restore() throws {
        let version = Version(UInt64(number(0..<(Int(list.log.head.rawValue) + 1))))
        var draft = CommitDraft(name: "restore", time: tick())
        if case .origin(let origin) = anyScope() { (draft.origin, draft.tracking) = (origin, .own) }
        action = "restore \(version)"
        let commit = try list.editor.restore(version, as: draft)
        let after = try ReferenceList(list.editor.snapshot(), list.log)
        try #require(after == rows[index(version)] && (commit == nil) == (after == now), comment)
        guard let commit else { return }
        try #require(commit.cause == .restore(of: version), comment)
        counts["restored", default: 0] += 1
        try noteNode(commit, draft, after, isEdit: false)
    }

    // MARK: Parts

    private func index(_ version: Version) -> Int { Int(version.rawValue) }

    /// The error of every checkout in a scope while it has an open group.
    private func inGroup(_ scope: HistoryScope) -> ListError? {
        coalescing.isGrouping(scope) ? .groupMismatch(expected: "the end of the group first") : nil
    }

    /// Whether each commit of a step, in order, was made on the rows after the one before it.
    private func isUninterrupted(_ step: [Version]) -> Bool {
        zip(step, step.dropFirst()).allSatisfy { rows[index($0)] == rows[index($1) - 1] }
    }
}
