// The specification of the history: the whole tree of commits as a dictionary of parents, walked from end to end. Slow,
// short and obviously right: without jumps, stored counts or records.
//
// Always holds: the position of a scope is its tip or an ancestor of the tip, and every other leaf of the tree was left
// by some commit.

import ListModel

/// The trees of commits of all scopes.
public struct ReferenceHistory {
    /// A revision.
    public struct Node {
        public var scope: HistoryScope
        public var parent: Version
        public var continues: Bool
        public var name: String
        public var origin: String
    }

    /// The state of a scope.
    public struct Place {
        public var position = Version.empty
        public var tip = Version.empty
        /// All nodes, in the order in which they were made.
        public var nodes: [Version] = []
        /// The version that last left each tip.
        public var left: [Version: Version] = [:]
    }

    /// A branch, without the time of its last commit.
    public struct Branch: Equatable {
        public var tip: Version
        public var name: String
        public var origin: String
        public var stepCount: Int
        public var fork: Version
        public var isCurrent: Bool

        public init(tip: Version, name: String, origin: String, stepCount: Int, fork: Version, isCurrent: Bool) {
            (self.tip, self.name, self.origin) = (tip, name, origin)
            (self.stepCount, self.fork, self.isCurrent) = (stepCount, fork, isCurrent)
        }
    }

    public private(set) var nodes: [Version: Node] = [:]
    public private(set) var places: [HistoryScope: Place] = [:]

    /// The last commit that was added.
    public private(set) var last = Version.empty

    public init() {}

    public subscript(scope: HistoryScope) -> Place { places[scope] ?? Place() }

    // MARK: Commits

    /// Adds a revision at the position of a scope.
    public mutating func add(_ version: Version, in scope: HistoryScope, continues: Bool, name: String, origin: String)
    {
        var place = self[scope]
        if place.position != place.tip { place.left[place.tip] = version }
        nodes[version] = Node(
            scope: scope, parent: place.position, continues: continues, name: name, origin: origin)
        place.nodes.append(version)
        place.position = version
        place.tip = version
        places[scope] = place
    }

    /// Adds a checkout of a revision in a scope.
    public mutating func move(to target: Version, in scope: HistoryScope, at version: Version) {
        var place = self[scope]
        let tip = tip(of: target, in: scope)
        if tip != place.tip { place.left[place.tip] = version }
        place.position = target
        place.tip = tip
        places[scope] = place
    }

    /// Adds a commit of a log, whatever it is.
    ///
    /// - Returns: what is wrong if it is not what it says: an undo or redo of another step than the next one.
    public mutating func add(_ commit: Commit) -> String? {
        last = commit.version
        guard let scope = commit.scope else { return nil }
        switch commit.cause {
        case .edit, .revert, .restore:
            add(
                commit.version, in: scope, continues: commit.continuesStep, name: commit.name, origin: commit.origin)
        case .undo(let last):
            let step = undoStep(scope)
            guard step.first == last, let first = step.last.flatMap({ nodes[$0] }) else {
                return "commit \(commit.version) undoes \(last); expected \(step)"
            }
            move(to: first.parent, in: scope, at: commit.version)
        case .redo(let last):
            let step = redoStep(scope)
            guard step.last == last else { return "commit \(commit.version) repeats \(last); expected \(step)" }
            move(to: last, in: scope, at: commit.version)
        case .go(let target):
            guard target == .empty || nodes[target]?.scope == scope else {
                return "commit \(commit.version) goes to \(target), which is not in its history"
            }
            move(to: target, in: scope, at: commit.version)
        }
        return nil
    }

    // MARK: Ways

    /// The revisions on the path from the root to a revision, including it.
    public func path(_ version: Version) -> [Version] {
        var path: [Version] = []
        var next = version
        while let node = nodes[next] {
            path.append(next)
            next = node.parent
        }
        return path.reversed()
    }

    public func isAncestor(_ version: Version, of other: Version) -> Bool {
        version == .empty || path(other).contains(version)
    }

    private func continues(_ version: Version) -> Bool { nodes[version]!.continues }

    /// The number of steps in some revisions that follow one another on a path.
    private func stepCount(_ nodes: some Collection<Version>) -> Int {
        nodes.reduce(0) { $0 + (continues($1) ? 0 : 1) }
    }

    public func undoCount(_ scope: HistoryScope) -> Int { stepCount(path(self[scope].position)) }

    public func redoCount(_ scope: HistoryScope) -> Int {
        let rest = path(self[scope].tip).dropFirst(path(self[scope].position).count)
        // The rest of a partly undone step counts as a step of redo.
        return stepCount(rest) + (rest.first.map(continues) == true ? 1 : 0)
    }

    /// The revisions of the next undo, the last one first; empty if there is nothing to undo.
    public func undoStep(_ scope: HistoryScope) -> [Version] {
        var step: [Version] = []
        for version in path(self[scope].position).reversed() {
            step.append(version)
            if !continues(version) { break }
        }
        return step
    }

    /// The revisions of the next redo, the first one first; empty if there is nothing to redo.
    public func redoStep(_ scope: HistoryScope) -> [Version] {
        let rest = path(self[scope].tip).dropFirst(path(self[scope].position).count)
        return Array(rest.prefix(1)) + Array(rest.dropFirst().prefix { continues($0) })
    }

    // MARK: Branches

    /// The revisions of a scope without children.
    public func leaves(_ scope: HistoryScope) -> [Version] {
        let all = self[scope].nodes
        let parents = Set(all.map { nodes[$0]!.parent })
        return all.filter { !parents.contains($0) }
    }

    /// The leaves except the tip, the most recently left first.
    private func leftLeaves(_ scope: HistoryScope) -> [Version] {
        let place = self[scope]
        return leaves(scope).filter { $0 != place.tip }.sorted { place.left[$0]! > place.left[$1]! }
    }

    private func tip(of version: Version, in scope: HistoryScope) -> Version {
        let tip = self[scope].tip
        if isAncestor(version, of: tip) { return tip }
        return leftLeaves(scope).first { isAncestor(version, of: $0) }!
    }

    public func branches(_ scope: HistoryScope, limit: Int) -> [Branch] {
        let tip = self[scope].tip
        if tip == .empty { return [] }
        let present = path(tip)
        return ([tip] + leftLeaves(scope)).prefix(max(0, limit)).map { leaf in
            let way = path(leaf)
            let fork = zip(present, way).prefix { $0 == $1 }.last?.0 ?? .empty
            let node = nodes[leaf]!
            return Branch(
                tip: leaf, name: node.name, origin: node.origin, stepCount: stepCount(way), fork: fork,
                isCurrent: leaf == tip)
        }
    }

    // MARK: Order

    /// The steps of a scope in the order in which they were made.
    private func steps(_ scope: HistoryScope) -> [[Version]] {
        var steps: [[Version]] = []
        for version in self[scope].nodes {
            if continues(version) {
                precondition(steps.last?.last == nodes[version]!.parent, "a step is made without another in between")
                steps[steps.count - 1].append(version)
            } else {
                steps.append([version])
            }
        }
        return steps
    }

    /// The end of the step a number of steps after the one of the position; before it, if the number is negative.
    public func neighbour(_ scope: HistoryScope, by count: Int) -> Version {
        let steps = steps(scope)
        let position = self[scope].position
        let present = steps.firstIndex { $0.contains(position) } ?? -1
        let index = min(present + count, steps.count - 1)
        return index < 0 ? .empty : steps[index].last!
    }
}
