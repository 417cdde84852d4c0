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

    private func checkExists(_ version: Version) throws {
        if version <= durableVersion { return }
        let newest = try self.version
        if version > newest { throw StoreError.unknownVersion(version, head: newest) }
    }
}
