// Undo, redo and go: computes the history after a checkout from the history before it and the tree.
//
// The editor and the verification of a log both compute it here.

/// A checkout in a history.
package struct HistoryMove {
    /// The revisions of the step: the last one first if it is undone, the first one first if it is redone.
    let step: HistoryStep
    /// The history after the checkout.
    let after: ListHistory
    /// The branch that is left, if any.
    let branchSwitch: HistorySwitch?

    /// The commits of the step.
    package var stepVersions: ListRun<Version> { step.versions }

    /// The entry for the record of the checkout.
    package var entry: HistoryEntry { .move(after, branchSwitch) }
}

extension HistoryTree {
    /// The checkout of an undo; nil if there is nothing to undo, or it was compacted away.
    ///
    /// - Complexity: O(commits of the step) records.
    package func undoing(_ history: ListHistory) throws -> HistoryMove? {
        guard history.position > oldest else { return nil }
        let step = try step(endingWith: node(history.position))
        return step.isEmpty ? nil : try undoing(history, step, tipSteps: nil)
    }

    /// The checkout of undoing a step.
    ///
    /// - Parameters:
    ///   - step: its revisions, the last one first, which is the position.
    ///   - tipSteps: how many steps undo can go back from the tip; nil to compute it.
    func undoing(_ history: ListHistory, _ step: HistoryStep, tipSteps: Int?) throws -> HistoryMove {
        let (last, first) = (step[0], step[step.count - 1])
        let tipSteps = try tipSteps ?? (history.tip == last.version ? last.steps : node(history.tip).steps)
        let undoCount = last.steps - 1
        let after = history.moved(
            to: first.parent, depth: first.depth - 1, undoCount: undoCount, redoCount: tipSteps - undoCount)
        return try HistoryMove(step: step, after: checked(after), branchSwitch: nil)
    }

    /// The checkout of a redo; nil if there is nothing to redo, or it was compacted away.
    ///
    /// - Complexity: O(log n + commits of the step) records.
    package func redoing(_ history: ListHistory) throws -> HistoryMove? {
        guard let step = try nextStep(history), let last = step.last else { return nil }
        let tipSteps = try history.tip == last.version ? last.steps : node(history.tip).steps
        let after = history.moved(
            to: last.version, depth: last.depth, undoCount: last.steps, redoCount: tipSteps - last.steps)
        return try HistoryMove(step: step, after: checked(after), branchSwitch: nil)
    }

    /// The checkout of any revision.
    ///
    /// - Parameters:
    ///   - target: a revision of this history, or the root.
    ///   - version: the version of the new commit.
    /// - Throws: ``ListError/notInHistory(_:)``, or an error of the log.
    /// - Complexity: O(log n) records if the target is on the present branch; for each change of the branch, if not.
    package func going(
        to target: Version, _ history: ListHistory, in scope: HistoryScope, at version: Version
    ) throws -> HistoryMove {
        if target <= oldest { return try goingToRoot(target, history) }
        guard target < version else { throw ListError.notInHistory(target) }
        let mark = try source.historyMark(of: target)
        guard mark.scope == scope, case .node(let node) = mark.entry else { throw ListError.notInHistory(target) }
        let tip = try tip(of: node, history)
        var redoCount = tip.steps - node.steps
        // In the middle of a step, the rest of it counts as one more.
        if tip.version != target, try ancestor(of: tip, where: { $0.depth <= node.depth + 1 })?.continues == true {
            redoCount += 1
        }
        let isSwitch = tip.version != history.tip
        let after = ListHistory(
            position: target, tip: tip.version, newest: history.newest,
            switched: isSwitch ? version : history.switched, undoCount: node.steps, redoCount: redoCount,
            depth: node.depth)
        return try HistoryMove(
            step: .none, after: checked(after),
            branchSwitch: isSwitch ? HistorySwitch(left: history.tip, previous: history.switched) : nil)
    }

    /// The numbers in damaged records may contradict each other.
    private func checked(_ history: ListHistory) throws -> ListHistory {
        if history.redoCount >= 0 { return history }
        throw RecordError(
            version: history.tip, offset: RecordLayout.steps,
            problem: .invalid(
                what: "number of steps", expected: "at least \(history.undoCount), as on the way to it",
                found: String(history.undoCount + history.redoCount)))
    }

    /// Where a compacted log begins, the position is the parent of the oldest revision that is left.
    private func goingToRoot(_ target: Version, _ history: ListHistory) throws -> HistoryMove {
        guard history.tip > oldest else {
            guard target == oldest || target == history.position else { throw ListError.notInHistory(target) }
            return HistoryMove(step: .none, after: history, branchSwitch: nil)
        }
        let tip = try node(history.tip)
        guard let first = try ancestor(of: tip, where: { $0.parent <= oldest }),
            target == oldest || target == first.parent
        else { throw ListError.notInHistory(target) }
        let after = history.moved(
            to: first.parent, depth: first.depth - 1, undoCount: first.continues ? first.steps : first.steps - 1,
            redoCount: tip.steps - first.steps + 1)
        return try HistoryMove(step: .none, after: checked(after), branchSwitch: nil)
    }
}

extension ListHistory {
    /// The same branch, at another position.
    func moved(to position: Version, depth: Int, undoCount: Int, redoCount: Int) -> ListHistory {
        ListHistory(
            position: position, tip: tip, newest: newest, switched: switched, undoCount: undoCount,
            redoCount: redoCount, depth: depth)
    }
}
