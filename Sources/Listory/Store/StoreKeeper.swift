// What drops old history of an open store, for the store, which does not know how.
//
// Always holds: after ``StoreKeeper/stop()``, nothing of it uses the store until it is started again.

/// The interface of what writes a successor of a store.
protocol StoreKeeper: AnyObject, Sendable {
    /// Begins to look now and then.
    func start()
    /// Ends, and returns when nothing of it is running.
    func stop()
}
