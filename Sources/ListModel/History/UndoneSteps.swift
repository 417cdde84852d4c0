// The steps that were undone lately: redoing them need not search the log.
//
// Always holds: what is kept are facts about the tree, which never change; a step that does not begin where a history is, or is
// not on its branch, is not given out.

/// The steps that were undone one after another, in one history.
struct UndoneSteps: Sendable {
    private struct Step: Sendable {
        /// Where the history was afterwards.
        var position: Version
        /// The nodes, the last one first.
        var nodes: HistoryStep
    }

    private var scope = HistoryScope.shared
    private var tip = Version.empty
    /// How many steps undo can go back from the tip.
    private var tipSteps = 0
    private var steps: [Step] = []
    private var nodeCount = 0

    /// How many nodes are kept at most; what was undone first is forgotten first.
    private static let maximumNodeCount = 2_048

    private func isNext(_ history: History, in scope: HistoryScope) -> Bool {
        steps.last?.position == history.position && tip == history.tip && self.scope == scope
    }

    /// How many steps undo can go back from the tip of a history; nil if that is not known.
    func tipSteps(_ history: History, in scope: HistoryScope) -> Int? { isNext(history, in: scope) ? tipSteps : nil }

    /// What redo does; nil if the step is not known.
    func redoing(_ history: History, in scope: HistoryScope) -> HistoryMove? {
        guard isNext(history, in: scope), let step = steps.last, let last = step.nodes.first else { return nil }
        let after = history.moved(
            to: last.version, depth: last.depth, undoCount: last.steps, redoCount: tipSteps - last.steps)
        return HistoryMove(step: step.nodes.backwards, after: after, branchSwitch: nil)
    }

    /// Notes that a history was undone.
    mutating func noteUndo(_ move: HistoryMove, from history: History, in scope: HistoryScope) {
        let tipSteps = move.after.undoCount + move.after.redoCount
        // Somebody went to the middle of the step, which counts on both sides; redo does all of it.
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

    /// Notes that a history was redone.
    mutating func noteRedo(from history: History, in scope: HistoryScope) {
        guard isNext(history, in: scope), let step = steps.popLast() else { return }
        nodeCount -= step.nodes.count
    }

    /// Forgets half of the steps, so that it does not have to be done for each.
    private mutating func forgetFirst() {
        var count = 0
        while nodeCount > UndoneSteps.maximumNodeCount / 2, count < steps.count {
            nodeCount -= steps[count].nodes.count
            count += 1
        }
        steps.removeFirst(count)
    }
}
