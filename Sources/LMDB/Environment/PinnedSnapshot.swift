// A snapshot that is kept for a long time: by a copy, or by a store that is only read.
//
// A live read transaction has two effects: its pages are not used again, and the map must not change, because the
// caller may hold pointers into it. The second is necessary only during calls: between two calls, LMDB keeps no pointer
// into the map and finds pages by their numbers. So the map can grow while no call uses the transaction.
//
// Always holds: the transaction counts as live only while `read` runs; the environment is not closed before it has ended.

/// One version of all databases, which can be kept for any time.
///
/// It may be handed to another thread, but is used by one at a time; so it is not `Sendable`.
///
/// - Warning: As long as it exists, pages that later writes free are not used again: the file grows.
package final class PinnedSnapshot {
    private let environment: Environment
    private let transaction: ReadTransaction

    /// Pins the newest version.
    ///
    /// - Throws: As ``Environment/beginRead()``.
    package init(_ environment: Environment) throws(LMDBError) {
        self.environment = environment
        transaction = try environment.beginRead()
        environment.gate.park()
    }

    deinit {
        // When the transaction ends, right after this, it counts a reader out.
        if environment.isOwnProcess { environment.gate.endParking() }
    }

    /// The number of the version.
    var id: Int {
        // SAFETY: the transaction is live as long as the value exists.
        Engine.identifier(transaction.core.handle)
    }

    /// Reads the version. The map does not change meanwhile.
    ///
    /// - Throws: ``LMDBError``: `forked`, `mapLost`, `damaged` when the file was cut off; what `body` throws.
    package func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        try environment.requireOwnProcess("PinnedSnapshot.read")
        try environment.gate.unpark("PinnedSnapshot.read")
        defer { environment.gate.park() }
        try environment.pages?.checkLength()
        return try body(transaction)
    }
}
