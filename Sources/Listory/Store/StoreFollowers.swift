// The projections of a store, which follow its commits and store a state in the file.
//
// Always holds: each name has one follower, so its events are folded once.

import ListModel

/// The interface of a projection for the store.
protocol StoreFollower: Sendable {
    /// Stores the state of the newest version, also if the value was not used.
    ///
    /// - Returns: whether it did: not if others may replace the version.
    func store(in store: UntypedStore) throws -> Bool
    /// Stores the state, if there is one to store.
    func storeState(in store: UntypedStore, isClosing: Bool) throws
    /// Releases the value, which can be computed again.
    func letGo()
}

/// The followers of a store.
final class StoreFollowers: Sendable {
    private let state = Locked(State())

    private struct State: Sendable {
        var followers: [String: any StoreFollower] = [:]
    }

    /// The follower of a name, which is made if there is none; nil if the name has a follower of another type.
    func follower<Follower: StoreFollower>(named name: String, _ make: () -> Follower) -> Follower? {
        state.withLock { state in
            if let known = state.followers[name] { return known as? Follower }
            let follower = make()
            state.followers[name] = follower
            return follower
        }
    }

    private var all: [any StoreFollower] { state.withLock { Array($0.followers.values) } }

    /// Stores the states of all followers.
    ///
    /// The log has everything: a state that cannot be stored is folded again.
    func storeStates(in store: UntypedStore, isClosing: Bool) {
        for follower in all { try? follower.storeState(in: store, isClosing: isClosing) }
    }

    /// Stores the states of all followers, because commits are about to be dropped: a state that lacks one of them could not be continued.
    ///
    /// - Returns: whether all are stored.
    func storeAll(in store: UntypedStore) throws -> Bool { try all.allSatisfy { try $0.store(in: store) } }

    /// Releases all values.
    func letGo() {
        for follower in all { follower.letGo() }
    }
}
