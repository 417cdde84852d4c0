// Computes the history entry of the next commit of a scope.
//
// The jump of a revision is chosen as in skew-binary numbers (Myers, "An applicative random-access stack", 1983): if
// the first two jumps on the path up from the parent are equally long, the revision jumps over both, otherwise to its
// parent. For this the writer keeps the *spine*: the parent, its jump, the jump of that, and so on, O(log n) revisions.
// It is read from the log after a checkout and after opening.
//
// Always holds: the spine, if there is one, ends with the position of its scope.

/// Makes the entries of commits.
struct HistoryWriter: Sendable {
    /// A revision on the spine.
    private struct Vertebra: Sendable {
        var version: Version
        var depth: Int
    }

    private var scope: HistoryScope?
    /// From the root to the position, by jumps.
    private var spine: [Vertebra] = []
    /// Whether the spine does not reach the root, because the log was compacted.
    private var isCut = false

    /// Whether the spine is that of a scope. If not, it has to be read before the scope gets a revision.
    func isReady(_ scope: HistoryScope) -> Bool { self.scope == scope }

    /// The entry of a revision at the position of a history, as if it began a step.
    ///
    /// - Parameters:
    ///   - version: the version that it makes.
    ///   - history: the history of the scope of the spine, before the commit.
    func node(_ version: Version, _ history: ListHistory) -> HistoryRevision {
        let isSwitch = history.position != history.tip
        return HistoryRevision(
            version: version, parent: history.position, jump: jump(from: history.position), depth: history.depth + 1,
            steps: history.undoCount + 1, continues: false, previous: history.newest,
            switched: isSwitch ? version : history.switched,
            branchSwitch: isSwitch ? HistorySwitch(left: history.tip, previous: history.switched) : nil)
    }

    /// Adds the revision that ``node(_:_:)`` returned last.
    mutating func append(_ node: HistoryRevision) {
        while let last = spine.last, last.version > node.jump { spine.removeLast() }
        if spine.isEmpty { isCut = node.jump > .empty }
        spine.append(Vertebra(version: node.version, depth: node.depth))
    }

    /// Forgets the spine of a scope, because its position moves.
    mutating func forget(_ scope: HistoryScope) { if self.scope == scope { self.scope = nil } }

    private func jump(from position: Version) -> Version {
        guard spine.count >= 2 else { return position }
        let parent = spine[spine.count - 1]
        let jump = spine[spine.count - 2]
        if spine.count == 2 && isCut { return position }
        let above = spine.count >= 3 ? spine[spine.count - 3] : Vertebra(version: .empty, depth: 0)
        return parent.depth - jump.depth == jump.depth - above.depth ? above.version : position
    }

    /// Reads the spine of a scope.
    ///
    /// - Complexity: O(log n) records.
    mutating func load(_ scope: HistoryScope, _ history: ListHistory, _ tree: HistoryTree) throws {
        var spine: [Vertebra] = []
        var version = history.position
        while version > tree.oldest {
            let node = try tree.node(version)
            spine.append(Vertebra(version: version, depth: node.depth))
            version = node.jump
        }
        self.spine = spine.reversed()
        isCut = version > .empty
        self.scope = scope
    }
}
