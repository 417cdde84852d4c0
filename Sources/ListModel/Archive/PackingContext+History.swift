// Predicts the history part of a commit from the commits before it in the block.
//
// Only the block's part of the tree is known; a prediction that needs more guesses. The guesses are exact without
// undos: the parent of a revision is the commit before it, and its jump follows from its depth.
//
// Always holds: a prediction depends on nothing but the entries before it.

extension PackingContext {
    /// The commit that an undo, a redo or the like probably refers to.
    func predictedTarget(_ cause: UInt8, _ scope: HistoryScope) -> Version {
        let history = histories[scope]
        return cause == 2 ? history.tip : history.position
    }

    /// The probable mark of a commit in the history.
    ///
    /// - Parameters:
    ///   - cause: why it was made.
    ///   - continues: whether it says that it belongs to the step before it.
    ///   - scope: whose history it belongs to.
    func predictedEntry(_ cause: Commit.Cause, continues: Bool, in scope: HistoryScope) -> HistoryEntry {
        let history = histories[scope]
        switch cause {
        case .edit, .revert, .restore: return .node(predictedNode(history, continues: continues))
        case .undo(let target): return .move(predictedHistory(beforeStepOf: target, history), nil)
        case .redo(let target), .go(let target): return .move(predictedHistory(at: target, history), nil)
        }
    }

    /// Adds a commit that ended.
    mutating func endCommit(_ mark: HistoryMark) {
        histories.note(mark, at: version)
        entries.append(mark.entry)
    }

    private func node(_ version: Version) -> HistoryRevision? {
        let index = version.rawValue &- first.rawValue
        guard index < UInt64(entries.count), case .node(let node) = entries[Int(index)] else { return nil }
        return node
    }

    private func predictedNode(_ history: ListHistory, continues: Bool) -> HistoryRevision {
        let isSwitch = history.position != history.tip
        return HistoryRevision(
            version: version, parent: history.position, jump: predictedJump(history), depth: history.depth &+ 1,
            steps: continues ? history.undoCount : history.undoCount &+ 1, continues: continues,
            previous: history.newest, switched: isSwitch ? version : history.switched,
            branchSwitch: isSwitch ? HistorySwitch(left: history.tip, previous: history.switched) : nil)
    }

    private func predictedJump(_ history: ListHistory) -> Version {
        let length = PackingContext.jumpLength(atDepth: history.depth &+ 1)
        if length == 1 { return history.position }
        if let parent = node(history.position), let jump = node(parent.jump) { return jump.jump }
        let back = UInt64(length - 1)
        return history.position.rawValue > back ? Version(history.position.rawValue - back) : .empty
    }

    /// The length of a revision's jump in a complete tree: the last digit of its depth as a skew-binary number.
    private static func jumpLength(atDepth depth: Int) -> Int {
        // Damaged bytes may contain any depth.
        var rest = min(max(depth, 1), 1 << 60)
        while true {
            let digit = (1 << (Int.bitWidth - (rest + 1).leadingZeroBitCount - 1)) - 1
            if digit == rest { return digit }
            rest -= digit
        }
    }

    private func predictedHistory(beforeStepOf target: Version, _ history: ListHistory) -> ListHistory {
        var position = target.rawValue > 0 ? Version(target.rawValue - 1) : .empty
        var depth = max(0, history.depth &- 1)
        var next = target
        while let node = node(next) {
            position = node.parent
            depth = max(0, node.depth &- 1)
            if !node.continues { break }
            next = node.parent
        }
        let undoCount = max(0, history.undoCount &- 1)
        return history.moved(
            to: position, depth: depth, undoCount: undoCount,
            redoCount: history.undoCount &+ history.redoCount &- undoCount)
    }

    private func predictedHistory(at target: Version, _ history: ListHistory) -> ListHistory {
        let steps = node(target)?.steps ?? history.undoCount &+ 1
        let depth = node(target)?.depth ?? history.depth &+ 1
        return history.moved(
            to: target, depth: depth, undoCount: steps,
            redoCount: max(0, history.undoCount &+ history.redoCount &- steps))
    }
}
