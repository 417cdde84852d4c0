// The projections of a store that somebody asked for.
//
// Always holds: a name has one follower, however often it is asked for, so that its events are folded once.

import ListModel

/// Who follows a store.
final class ProjectionRegistry: Sendable {
    private let state = Locked(State())

    private struct State: Sendable {
        var followers: [String: any ProjectionFollowing] = [:]
    }

    /// The follower of a projection, which is made if there is none.
    func follower<Value>(_ rules: ProjectionRules<Value>) throws -> ProjectionFollower<Value> {
        guard (1...StoredProjection.nameLimit).contains(rules.name.utf8.count) else {
            throw ProjectionError.invalidName(rules.name)
        }
        return try state.withLock { state in
            guard let known = state.followers[rules.name] else {
                let follower = ProjectionFollower(rules)
                state.followers[rules.name] = follower
                return follower
            }
            guard let follower = known as? ProjectionFollower<Value> else {
                throw ProjectionError.nameInUse(rules.name)
            }
            return follower
        }
    }

    private var all: [any ProjectionFollowing] { state.withLock { Array($0.followers.values) } }

    /// Stores the states that there are.
    ///
    /// The log has everything: a state that cannot be stored is folded again.
    func storeStates(in store: Store, isClosing: Bool) {
        for follower in all { try? follower.storeState(in: store, isClosing: isClosing) }
    }

    /// Lets go of all values.
    func letGo() {
        for follower in all { follower.letGo() }
    }
}
