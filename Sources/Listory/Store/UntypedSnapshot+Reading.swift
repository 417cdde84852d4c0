// Reading rows whose nodes may be damaged.
//
// Always holds: reading a row cannot throw, so rows that cannot be read seem to be there, and say that they are unreadable.

import ListModel

extension UntypedSnapshot {
    /// Calls `body`, which keeps what it makes of rows, and throws if some of them could not be read meanwhile for a reason that may be
    /// temporary. Damaged rows are kept as rows that say that they are unreadable.
    func withoutPassingFailures<Result>(_ body: () throws -> Result) throws -> Result {
        let failures = failureCount
        let result = Swift.Result { try body() }
        if let failure = failure(since: failures), !failure.saysDamage { throw failure }
        return try result.get()
    }

    /// Calls `body`, which reads rows, and throws if some of them could not be read meanwhile.
    ///
    /// - Throws: ``ListError/damagedNode(_:)`` for damaged rows, another error of reading the file, and what `body` throws.
    /// - Complexity: that of `body`.
    public func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try passing { do { return try checked(body) } catch { throw error.ofRows } }
    }
}
