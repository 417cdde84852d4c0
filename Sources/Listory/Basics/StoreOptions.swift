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

/// What undo is about.
public enum UndoScope: Hashable, Sendable {
    /// The edits of all who edit: one history.
    case shared
    /// The edits of one origin each: everybody undoes their own.
    case origin

    /// Which history a commit belongs to that does not say otherwise.
    var tracking: Tracking { self == .shared ? .shared : .own }

    /// Whose history an origin undoes in.
    func history(of origin: String) -> HistoryScope { self == .shared ? .shared : .origin(origin) }
}

/// How a store is opened. The defaults suit an app.
public struct StoreOptions: Sendable {
    /// Whether the store may only be read. Any number of processes may read while one writes.
    public var isReadOnly = false
    /// What commits wait for that do not say otherwise.
    public var durability = Durability.immediate
    /// How far the file may grow, in bytes.
    public var maximumFileSize = 64 << 30
    /// How many bytes may wait to be appended before they are appended at once, while edits go on. At 64 times as many,
    /// an edit that does not wait for durability has to help.
    public var maximumPendingBytes = 256 << 10
    /// How wide tree nodes are in memory.
    public var limits = TreeLimits()
    /// How long a deferred commit waits for others to share its sync, unless somebody waits for it.
    public var deferredDelay = Duration.milliseconds(20)
    /// How thoroughly the file is checked before LMDB sees it. The default looks at the beginning and the length of the
    /// file, however large it is. LMDB believes what it reads: in a file that is damaged further on, a page may end the
    /// process. With `.full` all pages and all rows of the newest version are checked first, which takes time in
    /// proportion to the file.
    public var gate = Environment.Gate.quick
    /// When checkpoints are taken, and which are kept.
    public var checkpoints = CheckpointPolicy()
    /// How many bytes of rows may stay in memory that are in a checkpoint and that no snapshot keeps.
    public var memoryBudget = 16 << 20
    /// What undo is about. It may differ from one opening to the next: each commit says which history it belongs to.
    public var undoScope = UndoScope.shared
    /// Which commits are undone together with the one before them.
    public var coalescing = CoalescingPolicy.standard
    /// How many steps undo goes back at most, from the end of the branch; what is beyond can still be gone to.
    public var undoLimit = Int.max
    /// How the newest commits are kept until they are in the database.
    package var tail = TailOptions()
    /// How observers are told of commits.
    package var updates = UpdateOptions()
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
