// A snapshot that is kept for long: by a copy, or by a store that is only read.
//
// A live read transaction does two things: it keeps its pages from being used again, and its user may hold pointers into
// the map. Only the second keeps the map from changing. LMDB itself keeps no pointer into the map between two calls: it
// finds pages by their numbers. So a transaction that nobody uses just now does not keep the map from growing.
//
// Always holds: the transaction counts as live only while `read` runs; the environment is not closed before it has ended.

/// One version of all databases, readable for any time.
///
/// It may be handed to another thread, but is used by one at a time; so it is not `Sendable`.
///
/// - Warning: Pages that later writes set free are not used again as long as it exists: the file grows.
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
        // The end of the transaction, which follows, counts a reader out.
        if environment.isOwnProcess { environment.gate.endParking() }
    }

    /// The number of the version.
    var id: Int { transaction.id }

    /// Reads the version. The map does not change meanwhile.
    ///
    /// - Throws: ``LMDBError``: `forked`, `mapLost`; what `body` throws.
    package func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        try environment.requireOwnProcess("PinnedSnapshot.read")
        try environment.gate.unpark("PinnedSnapshot.read")
        defer { environment.gate.park() }
        return try body(transaction)
    }
}
