// How a store is opened, and what a commit waits for.

import LMDB
import ListModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a commit waits for.
public enum Durability: Hashable, Sendable {
    /// The edit returns when the commit will survive a power cut. Commits that wait together share one sync.
    case immediate
    /// The edit returns at once; the commit is appended soon, by somebody else. ``Store/durableVersion`` tells how far
    /// that is, ``Store/waitUntilDurable(_:)`` and ``Store/durable(_:)`` wait for it.
    case deferred
}

/// How a store is opened. The defaults suit an app.
public struct StoreOptions: Sendable {
    /// Whether the store may only be read. Any number of processes may read while one writes.
    public var isReadOnly = false
    /// What commits wait for that do not say otherwise.
    public var durability = Durability.immediate
    /// How far the file may grow, in bytes.
    public var maximumFileSize = 64 << 30
    /// How many bytes may wait to be appended before an edit that does not wait has to help, in bytes.
    public var maximumPendingBytes = 32 << 20
    /// How wide tree nodes are in memory.
    public var limits = TreeLimits()
    /// How thoroughly the file is checked before it is opened.
    public var gate = Environment.Gate.quick
    /// The clock that commits are dated with.
    public var now: @Sendable () -> Timestamp = StoreOptions.systemTime

    /// The defaults.
    public init() {}

    /// The system's wall clock.
    public static let systemTime: @Sendable () -> Timestamp = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
