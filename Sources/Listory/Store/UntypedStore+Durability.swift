// Durability: which commits are durable, waiting for them, and failures.

import ListModel

extension StoreProtocol {
    /// The newest durable version: it survives a power cut.
    public var durableVersion: Version { core.group.durableVersion }

    /// Waits, blocking the thread, until a version is durable. If no other thread is writing, this thread writes.
    ///
    /// - Parameter version: the version of a commit of this store; nil for all commits.
    /// - Throws: ``ListError/appendFailed(durable:cause:)``; ``ListError/unknownVersion(_:head:)`` for a version that
    ///   does not exist yet; ``ListError/usedInside(_:)`` in the closure of an edit.
    public func waitUntilDurable(_ version: Version? = nil) throws {
        try door {
            try core.checkIsOutside()
            if let version { try checkExists(version) }
            try core.group.flush(through: version, .shared, isAsMade: true)
        }
    }

    /// The commit as it is in the log. A deferred commit is made again if another process commits before it is appended; then it has
    /// another version, and perhaps other events.
    ///
    /// - Parameter commit: a commit that this store made since it was opened. What became of it is remembered at least until 4,096 others
    ///   were made again.
    public func successor(of commit: Commit) -> Commit { core.group.successor(of: commit) }

    /// Waits, without blocking a thread, until a version is durable.
    ///
    /// - Parameter version: the version of a commit of this store.
    /// - Throws: as ``waitUntilDurable(_:)``.
    public func durable(_ version: Version) async throws {
        try core.checkIsOutside()
        try checkExists(version)
        try await core.group.durable(version)
    }

    /// Why the newest commits could not be appended to the log; nil if there is no known error.
    ///
    /// The commits are in memory and further edits throw. The store retries automatically: after half a second, and
    /// then after pauses that double up to a minute.
    public var appendFailure: ListError? { core.group.failure }

    /// Reports whether commits can be appended: first the present ``appendFailure``, then each failure, and nil when an
    /// attempt succeeds. Use it with deferred commits, whose failures no edit throws.
    ///
    /// ```swift
    /// for await failure in try store.appendFailures() { banner.isHidden = failure == nil }
    /// ```
    ///
    /// A slow reader receives only the newest. The sequence ends when the store closes, or is released.
    ///
    /// - Throws: ``ListError/closed``.
    public func appendFailures() throws -> AsyncStream<ListError?> {
        // Under the lock, so that closing either refuses it or ends it.
        try core.withHead { _ in core.group.observeFailures() }
    }

    private func checkExists(_ version: Version) throws {
        if version <= durableVersion { return }
        let newest = try self.version
        if version > newest { throw ListError.unknownVersion(version, head: newest) }
    }
}
