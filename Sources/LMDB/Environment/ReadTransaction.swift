// A read transaction.
//
// Always holds: it is ended exactly once, in its process: by `commit`, `abort`, or at the end of its life. Its
// handle goes back to the environment's pool, with its slot in the reader table.

/// An unchanging snapshot of all databases, for reading.
///
/// It may be handed to another thread, but is used by one at a time; so it is not `Sendable`.
///
/// - Warning: A snapshot that is kept makes the file grow and keeps the map from growing. End it soon.
public struct ReadTransaction: ~Copyable, Transaction {
    /// For the binding's own use.
    public let core: TransactionCore
    let environment: Environment

    init(_ environment: Environment, _ handle: OpaquePointer, _ reader: TreeReader?) {
        self.environment = environment
        core = TransactionCore(environment, handle, reader)
    }

    deinit {
        guard environment.isOwnProcess else { return }
        // SAFETY: the handle is live, and nobody can use it any more. Reset before it is counted out: until
        // then the map stays.
        Engine.reset(core.handle)
        environment.gate.leaveRead(keeping: core.handle)
        environment.pages?.unloadIfDue()
    }

    /// Ends the transaction.
    public consuming func abort() {}
}
