// What follows the commits of a store and keeps a state of its own in the file: projections.
//
// Always holds: a name has one follower, however often it is asked for, so that its events are folded once.

import ListModel

/// A fold of the store's commits, as the store sees it.
protocol StoreFollower: Sendable {
    /// Stores the state, if it is one and there is something to store.
    func storeState(in store: Store, isClosing: Bool) throws
    /// Lets go of the value, which can be had again.
    func letGo()
}

/// The followers of a store.
final class StoreFollowers: Sendable {
    private let state = Locked(State())

    private struct State: Sendable {
        var followers: [String: any StoreFollower] = [:]
    }

    /// The follower of a name, which is made if there is none; nil if the name has one of another type.
    func follower<Follower: StoreFollower>(named name: String, _ make: () -> Follower) -> Follower? {
        state.withLock { state in
            if let known = state.followers[name] { return known as? Follower }
            let follower = make()
            state.followers[name] = follower
            return follower
        }
    }

    private var all: [any StoreFollower] { state.withLock { Array($0.followers.values) } }

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
