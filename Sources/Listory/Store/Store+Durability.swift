// How far the log is, and waiting for it.

import ListModel

extension Store {
    /// The newest version that would survive a power cut.
    public var durableVersion: Version { group.durableVersion }

    /// Waits, blocking the thread, until a version is durable. If nobody else is writing, this thread does.
    ///
    /// - Parameter version: the version of a commit of this store; nil for all there are.
    /// - Throws: ``StoreError/appendFailed(durable:cause:)``; ``StoreError/unknownVersion(_:head:)`` for a version that
    ///   is yet to come.
    public func waitUntilDurable(_ version: Version? = nil) throws {
        if let version { try checkExists(version) }
        try group.flush(through: version, .shared)
    }

    /// Waits, without blocking a thread, until a version is durable.
    ///
    /// - Parameter version: the version of a commit of this store.
    /// - Throws: as ``waitUntilDurable(_:)``.
    public func durable(_ version: Version) async throws {
        try checkExists(version)
        try await group.durable(version)
    }

    /// Why the newest commits could not be appended to the log; nil if nothing is known against it.
    ///
    /// They are in memory, no further edit is taken, and appending is tried again by itself: after half a second, and then
    /// after pauses that double up to a minute.
    public var appendFailure: StoreError? { group.failure }

    /// Tells whether commits can be appended: the present ``appendFailure`` first, and then each failure, and nil when an
    /// attempt succeeded. A commit that nobody waits for fails without anybody else noticing.
    ///
    /// ```swift
    /// for await failure in try store.appendFailures() { banner.isHidden = failure == nil }
    /// ```
    ///
    /// A reader that lags gets the newest only. The sequence ends when the store is closed.
    ///
    /// - Throws: ``StoreError/closed``.
    public func appendFailures() throws -> AsyncStream<StoreError?> {
        // Under the lock, so that it is either refused or ended by closing.
        try withHead { _ in group.observeFailures() }
    }

    private func checkExists(_ version: Version) throws {
        if version <= durableVersion { return }
        let newest = try self.version
        if version > newest { throw StoreError.unknownVersion(version, head: newest) }
    }
}
