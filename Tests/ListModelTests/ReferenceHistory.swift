// The specification of the history: the whole tree of commits as a dictionary of parents, walked from end to end. Slow,
// short and obviously right: without jumps, stored counts or records.
//
// Always holds: the position of a scope is its tip or an ancestor of the tip, and every other leaf of the tree was left
// by some commit.

@testable import ListModel

/// The trees of commits of all scopes.
struct ReferenceHistory {
    /// A revision.
    struct Node {
        var scope: HistoryScope
        var parent: Version
        var continues: Bool
        var name: String
        var origin: String
    }

    /// The state of a scope.
    struct Place {
        var position = Version.empty
        var tip = Version.empty
        /// All nodes, in the order in which they were made.
        var nodes: [Version] = []
        /// The version that last left each tip.
        var left: [Version: Version] = [:]
    }

    /// A branch, without the time of its last commit.
    struct Branch: Equatable {
        var tip: Version
        var name: String
        var origin: String
        var stepCount: Int
        var fork: Version
        var isCurrent: Bool
    }

    private(set) var nodes: [Version: Node] = [:]
    private(set) var places: [HistoryScope: Place] = [:]

    subscript(scope: HistoryScope) -> Place { places[scope] ?? Place() }

    // MARK: Commits

    /// Adds a revision at the position of a scope.
    mutating func add(_ version: Version, in scope: HistoryScope, continues: Bool, name: String, origin: String) {
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
    mutating func move(to target: Version, in scope: HistoryScope, at version: Version) {
        var place = self[scope]
        let tip = tip(of: target, in: scope)
        if tip != place.tip { place.left[place.tip] = version }
        place.position = target
        place.tip = tip
        places[scope] = place
    }

    // MARK: Ways

    /// The revisions on the path from the root to a revision, including it.
    func path(_ version: Version) -> [Version] {
        var path: [Version] = []
        var next = version
        while let node = nodes[next] {
            path.append(next)
            next = node.parent
        }
        return path.reversed()
    }

    func isAncestor(_ version: Version, of other: Version) -> Bool {
        version == .empty || path(other).contains(version)
    }

    private func continues(_ version: Version) -> Bool { nodes[version]!.continues }

    /// The number of steps in some revisions that follow one another on a path.
    private func stepCount(_ nodes: some Collection<Version>) -> Int {
        nodes.reduce(0) { $0 + (continues($1) ? 0 : 1) }
    }

    func undoCount(_ scope: HistoryScope) -> Int { stepCount(path(self[scope].position)) }

    func redoCount(_ scope: HistoryScope) -> Int {
        let rest = path(self[scope].tip).dropFirst(path(self[scope].position).count)
        // The rest of a partly undone step counts as a step of redo.
        return stepCount(rest) + (rest.first.map(continues) == true ? 1 : 0)
    }

    /// The revisions of the next undo, the last one first; empty if there is nothing to undo.
    func undoStep(_ scope: HistoryScope) -> [Version] {
        var step: [Version] = []
        for version in path(self[scope].position).reversed() {
            step.append(version)
            if !continues(version) { break }
        }
        return step
    }

    /// The revisions of the next redo, the first one first; empty if there is nothing to redo.
    func redoStep(_ scope: HistoryScope) -> [Version] {
        let rest = path(self[scope].tip).dropFirst(path(self[scope].position).count)
        return Array(rest.prefix(1)) + Array(rest.dropFirst().prefix { continues($0) })
    }

    // MARK: Branches

    /// The revisions of a scope without children.
    func leaves(_ scope: HistoryScope) -> [Version] {
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

    func branches(_ scope: HistoryScope, limit: Int) -> [Branch] {
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
    func neighbour(_ scope: HistoryScope, by count: Int) -> Version {
        let steps = steps(scope)
        let position = self[scope].position
        let present = steps.firstIndex { $0.contains(position) } ?? -1
        let index = min(present + count, steps.count - 1)
        return index < 0 ? .empty : steps[index].last!
    }
}
