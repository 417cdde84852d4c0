// The history part of a record: a revision of the tree, or a checkout.
//
// Always holds: an entry that was read refers only to its own version or earlier ones, and its counts are possible.
// Verification checks that they are right.

/// The mark of a commit in the history of a scope.
public struct HistoryMark: Hashable, Sendable {
    /// The scope; nil if the commit is in no history.
    public let scope: HistoryScope?
    /// The place in it.
    package let entry: HistoryEntry
}

extension HistoryTable {
    /// Adopts the history that a commit states for its scope.
    @inline(__always)
    package mutating func note(_ mark: HistoryMark, at version: Version) {
        note(mark.entry, in: mark.scope, at: version)
    }

    /// Adopts the history that a commit states for a scope; does nothing if it is in none.
    @inline(__always)
    mutating func note(_ entry: HistoryEntry, in scope: HistoryScope?, at version: Version) {
        if let scope, let history = entry.history(after: version) { self[scope] = history }
    }
}

/// The mark of a commit in the tree of its scope.
package enum HistoryEntry: Hashable, Sendable {
    /// The commit is in no history.
    case untracked
    /// The commit is a revision.
    case node(HistoryRevision)
    /// The commit is a checkout.
    case move(ListHistory, HistorySwitch?)

    /// The history of the scope after the commit; nil if it is in none.
    @inline(__always)
    package func history(after version: Version) -> ListHistory? {
        switch self {
        case .untracked: nil
        case .node(let node): node.history
        case .move(let history, _): history
        }
    }

    /// The branch that the commit left, if any.
    var branchSwitch: HistorySwitch? {
        switch self {
        case .untracked: nil
        case .node(let node): node.branchSwitch
        case .move(_, let branchSwitch): branchSwitch
        }
    }
}

/// A revision: a commit that made new rows.
package struct HistoryRevision: Hashable, Sendable {
    /// The version that it made.
    package let version: Version
    /// The revision whose rows were there before; ``Version/empty`` for the root.
    package let parent: Version
    /// The jump pointer: an ancestor further up, for finding others in O(log n) hops.
    let jump: Version
    /// How many revisions there are from the root to this one.
    let depth: Int
    /// How many steps there are from the root to this one, included.
    package let steps: Int
    /// Whether it continues the step of its parent.
    package let continues: Bool
    /// The newest revision before it, on any branch.
    package let previous: Version
    /// The newest commit that left a branch, up to this one.
    let switched: Version
    /// The branch that it left, if any.
    let branchSwitch: HistorySwitch?

    /// The same revision, continuing the step of its parent.
    var continuing: HistoryRevision {
        HistoryRevision(
            version: version, parent: parent, jump: jump, depth: depth, steps: steps - 1, continues: true,
            previous: previous, switched: switched, branchSwitch: branchSwitch)
    }

    /// The same revision with another jump.
    func jumping(to jump: Version) -> HistoryRevision {
        HistoryRevision(
            version: version, parent: parent, jump: jump, depth: depth, steps: steps, continues: continues,
            previous: previous, switched: switched, branchSwitch: branchSwitch)
    }

    /// The history after the commit.
    var history: ListHistory {
        ListHistory(
            position: version, tip: version, newest: version, switched: switched, undoCount: steps, redoCount: 0,
            depth: depth)
    }
}

/// The branch that a commit left.
package struct HistorySwitch: Hashable, Sendable {
    /// The tip of the branch that was left.
    package let left: Version
    /// The previous commit that left a branch; ``Version/empty`` if none did.
    package let previous: Version
}

// MARK: - Words

extension HistoryEntry {
    /// What the header of the record states.
    struct Shape {
        var isNode: Bool
        var continues: Bool
        var steps: Int
    }

    /// Calls `body` with the numbers of the entry, without its ``Shape``, in the order of the format.
    @inline(__always)
    func forEachWord(at version: Version, _ body: (UInt64) -> Void) {
        // Wraps, as reading does: damaged bytes may hold any number, and the result is checked.
        func distance(_ other: Version) -> UInt64 { version.rawValue &- other.rawValue }
        func put(_ switched: Version, _ branchSwitch: HistorySwitch?) {
            body(distance(switched))
            guard let branchSwitch else { return }
            body(distance(branchSwitch.left))
            body(distance(branchSwitch.previous))
        }
        switch self {
        case .untracked: break
        case .node(let node):
            body(distance(node.parent))
            body(distance(node.jump))
            body(UInt64(truncatingIfNeeded: node.depth))
            body(node.previous.rawValue &- node.parent.rawValue)
            put(node.switched, node.branchSwitch)
        case .move(let history, let branchSwitch):
            body(distance(history.position))
            body(distance(history.tip))
            body(UInt64(truncatingIfNeeded: history.redoCount))
            body(UInt64(truncatingIfNeeded: history.depth))
            body(distance(history.newest))
            put(history.switched, branchSwitch)
        }
    }

    /// The numbers of ``forEachWord(at:_:)``.
    func words(at version: Version) -> [UInt64] {
        var words: [UInt64] = []
        forEachWord(at: version) { words.append($0) }
        return words
    }

    /// Skips the numbers of ``forEachWord(at:_:)``.
    ///
    /// - Parameter next: returns the next number.
    @inline(__always)
    static func skipWords(isNode: Bool, next: () throws -> UInt64) rethrows {
        for _ in 0..<(isNode ? 4 : 5) { _ = try next() }
        // The distance to the newest commit that left a branch. If it is this one, the branch follows.
        if try next() == 0 { _ = (try next(), try next()) }
    }

    /// How many steps undo can go back after the commit.
    var steps: Int64 {
        switch self {
        case .untracked: 0
        case .node(let node): Int64(node.steps)
        case .move(let history, _): Int64(history.undoCount)
        }
    }

    /// An entry from its numbers.
    ///
    /// - Parameters:
    ///   - shape: the shape that the header states.
    ///   - next: returns the numbers in the order of ``forEachWord(at:_:)``.
    ///   - fail: makes the error for an impossible number.
    @inline(__always)
    init(
        _ shape: Shape, at version: Version, next: () throws -> UInt64, fail: (StaticString, UInt64) -> any Error
    ) throws {
        @inline(__always)
        func earlier(_ what: StaticString, orSame: Bool = false) throws -> Version {
            let distance = try next()
            guard distance <= version.rawValue, orSame || distance > 0 else { throw fail(what, distance) }
            return Version(version.rawValue - distance)
        }
        @inline(__always)
        func count(_ what: StaticString) throws -> Int {
            let number = try next()
            // A mark may be read without a check of the version, which may be beyond `Int.max` then.
            guard number <= version.rawValue, let count = Int(exactly: number) else { throw fail(what, number) }
            return count
        }
        @inline(__always)
        func branchSwitch(_ switched: Version) throws -> HistorySwitch? {
            guard switched == version else { return nil }
            let left = try earlier("the tip of a branch")
            return HistorySwitch(left: left, previous: try earlier("a change of the branch"))
        }
        guard shape.steps <= version.rawValue else { throw fail("a number of steps", UInt64(shape.steps)) }
        if shape.isNode {
            let parent = try earlier("a parent")
            let jump = try earlier("an ancestor")
            let depth = try count("a depth")
            guard depth >= shape.steps && shape.steps >= 1 else { throw fail("a depth", UInt64(depth)) }
            let between = try next()
            guard between < version.rawValue - parent.rawValue else { throw fail("a node", between) }
            let switched = try earlier("a change of the branch", orSame: true)
            self = .node(
                HistoryRevision(
                    version: version, parent: parent, jump: jump, depth: depth, steps: shape.steps,
                    continues: shape.continues, previous: Version(parent.rawValue + between), switched: switched,
                    branchSwitch: try branchSwitch(switched)))
        } else {
            let position = try earlier("a position")
            let tip = try earlier("a tip")
            let redoCount = try count("a number of steps")
            let depth = try count("a depth")
            let newest = try earlier("a node")
            let switched = try earlier("a change of the branch", orSame: true)
            let history = ListHistory(
                position: position, tip: tip, newest: newest, switched: switched, undoCount: shape.steps,
                redoCount: redoCount, depth: depth)
            self = .move(history, try branchSwitch(switched))
        }
    }
}
