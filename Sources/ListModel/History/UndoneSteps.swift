// Caches the steps that were undone last, so that redoing them reads no other records.
//
// Always holds: the cache holds facts about the tree, which never change. It does not return a step that begins
// elsewhere than at the position of a history, or is not on its branch.

/// The consecutive undone steps of one history.
struct UndoneSteps: Sendable {
    private struct Step: Sendable {
        /// The position after the undo.
        var position: Version
        /// The revisions, the last one first.
        var nodes: HistoryStep
    }

    private var scope = HistoryScope.shared
    private var tip = Version.empty
    /// How many steps undo can go back from the tip.
    private var tipSteps = 0
    private var steps: [Step] = []
    private var nodeCount = 0

    /// The most revisions to keep. The oldest undo is forgotten first.
    private static let maximumNodeCount = 2_048

    private func isNext(_ history: ListHistory, in scope: HistoryScope) -> Bool {
        steps.last?.position == history.position && tip == history.tip && self.scope == scope
    }

    /// How many steps undo can go back from the tip of a history; nil if unknown.
    func tipSteps(_ history: ListHistory, in scope: HistoryScope) -> Int? {
        isNext(history, in: scope) ? tipSteps : nil
    }

    /// The checkout of a redo; nil if the step is not cached.
    func redoing(_ history: ListHistory, in scope: HistoryScope) -> HistoryMove? {
        guard isNext(history, in: scope), let step = steps.last, let last = step.nodes.first else { return nil }
        let after = history.moved(
            to: last.version, depth: last.depth, undoCount: last.steps, redoCount: tipSteps - last.steps)
        return HistoryMove(step: step.nodes.backwards, after: after, branchSwitch: nil)
    }

    /// Adds the step of an undo.
    mutating func noteUndo(_ move: HistoryMove, from history: ListHistory, in scope: HistoryScope) {
        let tipSteps = move.after.undoCount + move.after.redoCount
        // The position is in the middle of the step, which counts on both sides; redo takes all of it.
        guard history.undoCount + history.redoCount == tipSteps else {
            self = UndoneSteps()
            return
        }
        if !isNext(history, in: scope) {
            self = UndoneSteps()
            self.scope = scope
            tip = history.tip
            self.tipSteps = tipSteps
        }
        steps.append(Step(position: move.after.position, nodes: move.step))
        nodeCount += move.step.count
        if nodeCount > UndoneSteps.maximumNodeCount { forgetFirst() }
    }

    /// Removes the step of a redo.
    mutating func noteRedo(from history: ListHistory, in scope: HistoryScope) {
        guard isNext(history, in: scope), let step = steps.popLast() else { return }
        nodeCount -= step.nodes.count
    }

    /// Forgets half of the steps at once, for amortised O(1).
    private mutating func forgetFirst() {
        var count = 0
        while nodeCount > UndoneSteps.maximumNodeCount / 2, count < steps.count {
            nodeCount -= steps[count].nodes.count
            count += 1
        }
        steps.removeFirst(count)
    }
}
