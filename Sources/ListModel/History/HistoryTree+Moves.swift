// Where undo, redo and going anywhere lead: the history after the move, from the one before it and the tree.
//
// Both who edits and who verifies a log compute it here.

/// A move in a history.
package struct HistoryMove {
    /// The nodes of the step that is undone, the last one first, or redone, the first one first.
    let step: HistoryStep
    /// The history afterwards.
    let after: History
    /// Which branch is left, if one is.
    let branchSwitch: HistorySwitch?

    /// The commits of the step.
    package var stepVersions: Run<Version> { step.versions }

    /// What the record of the move says.
    package var entry: HistoryEntry { .move(after, branchSwitch) }
}

extension HistoryTree {
    /// What undo does; nil if there is nothing to undo, or it is no longer there.
    ///
    /// - Complexity: O(commits of the step) records.
    package func undoing(_ history: History) throws -> HistoryMove? {
        guard history.position > oldest else { return nil }
        let step = try step(endingWith: node(history.position))
        return step.isEmpty ? nil : try undoing(history, step, tipSteps: nil)
    }

    /// What undoing a step does.
    ///
    /// - Parameters:
    ///   - step: its nodes, the last one first, which is the position.
    ///   - tipSteps: how many steps undo can go back from the tip; nil to find out.
    func undoing(_ history: History, _ step: HistoryStep, tipSteps: Int?) throws -> HistoryMove {
        let (last, first) = (step[0], step[step.count - 1])
        let tipSteps = try tipSteps ?? (history.tip == last.version ? last.steps : node(history.tip).steps)
        let undoCount = last.steps - 1
        let after = history.moved(
            to: first.parent, depth: first.depth - 1, undoCount: undoCount, redoCount: tipSteps - undoCount)
        return try HistoryMove(step: step, after: checked(after), branchSwitch: nil)
    }

    /// What redo does; nil if there is nothing to redo, or it is no longer there.
    ///
    /// - Complexity: O(log n + commits of the step) records.
    package func redoing(_ history: History) throws -> HistoryMove? {
        guard let step = try nextStep(history), let last = step.last else { return nil }
        let tipSteps = try history.tip == last.version ? last.steps : node(history.tip).steps
        let after = history.moved(
            to: last.version, depth: last.depth, undoCount: last.steps, redoCount: tipSteps - last.steps)
        return try HistoryMove(step: step, after: checked(after), branchSwitch: nil)
    }

    /// What going to a node does.
    ///
    /// - Parameters:
    ///   - target: a node of this history, or the root.
    ///   - version: the version that the move makes.
    /// - Throws: ``ListError/notInHistory(_:)``, or an error of the log.
    /// - Complexity: O(log n) records if the target is on the present branch; for each change of the branch, if not.
    package func going(
        to target: Version, _ history: History, in scope: HistoryScope, at version: Version
    ) throws -> HistoryMove {
        if target <= oldest { return try goingToRoot(target, history) }
        guard target < version else { throw ListError.notInHistory(target) }
        let place = try source.historyPlace(of: target)
        guard place.scope == scope, case .node(let node) = place.entry else { throw ListError.notInHistory(target) }
        let tip = try tip(of: node, history)
        var redoCount = tip.steps - node.steps
        // In the middle of a step, what is left of it is one more.
        if tip.version != target, try ancestor(of: tip, where: { $0.depth <= node.depth + 1 })?.continues == true {
            redoCount += 1
        }
        let isSwitch = tip.version != history.tip
        let after = History(
            position: target, tip: tip.version, newest: history.newest,
            switched: isSwitch ? version : history.switched, undoCount: node.steps, redoCount: redoCount,
            depth: node.depth)
        return try HistoryMove(
            step: .none, after: checked(after),
            branchSwitch: isSwitch ? HistorySwitch(left: history.tip, previous: history.switched) : nil)
    }

    /// Whoever wrote the records may have written numbers that do not go together.
    private func checked(_ history: History) throws -> History {
        if history.redoCount >= 0 { return history }
        throw RecordError(
            version: history.tip, offset: RecordLayout.steps,
            problem: .invalid(
                what: "number of steps", expected: "at least \(history.undoCount), as on the way to it",
                found: String(history.undoCount + history.redoCount)))
    }

    /// Where a compacted log begins, the position is the node that the oldest one that is still there was made on.
    private func goingToRoot(_ target: Version, _ history: History) throws -> HistoryMove {
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

extension History {
    /// The same branch, at another position.
    func moved(to position: Version, depth: Int, undoCount: Int, redoCount: Int) -> History {
        History(
            position: position, tip: tip, newest: newest, switched: switched, undoCount: undoCount,
            redoCount: redoCount, depth: depth)
    }
}
