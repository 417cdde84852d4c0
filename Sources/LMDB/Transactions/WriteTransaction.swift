// A write transaction.
//
// Always holds: it is ended exactly once, in its process and on its thread: committed by `commit`, else aborted.
// What it wrote is visible to others only after the commit, all of it at once.

/// The one live write transaction of an environment.
///
/// - Warning: It belongs to the thread that began it: no suspension point between its begin and its end.
public struct WriteTransaction: ~Copyable, Transaction {
    /// For the binding's own use.
    public let core: TransactionCore
    let environment: Environment
    private let thread: UInt
    private var isLive = true

    /// Whether a write failed because the map was full. LMDB lets the transaction only be aborted then.
    var isMapFull = false
    /// Databases opened here; others may use them after the commit.
    var opened: [DatabaseTable.Opened] = []

    init(_ environment: Environment, _ handle: OpaquePointer) {
        self.environment = environment
        core = TransactionCore(environment, handle)
        thread = Platform.currentThread
    }

    deinit {
        guard isLive, environment.isOwnProcess else { return }
        environment.databases.forget(opened)
        guard thread == Platform.currentThread else {
            environment.gate.loseWriter(.wrongThread)
            return
        }
        // SAFETY: the handle is live, this is its thread, and nobody can use it any more.
        Engine.abort(core.handle)
        environment.endWrite()
    }

    /// Commits: all that was written becomes visible, and as durable as ``Environment/Options/durability`` says.
    ///
    /// - Throws: ``LMDBError``: `engine(.mapFull)` when there is no room (``Environment/write(_:)`` grows the map
    ///   instead); `engine` for errors of the device; `wrongThread`; `forked`. Nothing was committed then; but on Apple's
    ///   systems, an error in `fcntl` means that all was committed and may not survive a power cut.
    public consuming func commit() throws(LMDBError) {
        // Where these throw, the end of the value's life does the rest: a fork touches nothing, another thread
        // tells the gate.
        try environment.requireOwnProcess("mdb_txn_commit")
        guard thread == Platform.currentThread else {
            throw LMDBError(.wrongThread, in: "mdb_txn_commit")
        }
        isLive = false
        defer { environment.endWrite() }
        do throws(LMDBError) {
            // SAFETY: the handle was live, this is its thread; it is not used again, whatever the outcome.
            try Engine.commit(core.handle)
            environment.databases.publish(opened)
        } catch {
            environment.databases.forget(opened)
            throw error
        }
        if Platform.commitsStopAtDriveCache && environment.options.durability == .full {
            // SAFETY: the gate still counts the writer, so the environment is open.
            try Engine.synchronize(environment.handle)
        }
    }

    /// Takes back all that was written.
    public consuming func abort() {}
}
