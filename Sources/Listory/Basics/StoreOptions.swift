// How a store is opened, and what a commit waits for.

import LMDB
import ListModel

/// What a commit waits for.
public enum Durability: Hashable, Sendable {
    /// The edit returns when the commit will survive a power cut, or cannot be saved yet: see ``StoreProtocol/appendFailure``. Commits
    /// that wait together share one sync.
    case immediate
    /// The edit returns at once; a background thread appends the commit soon. ``StoreProtocol/durableVersion`` is the newest
    /// durable version; ``StoreProtocol/waitUntilDurable(_:)`` and ``StoreProtocol/durable(_:)`` wait for a version;
    /// ``StoreProtocol/appendFailures()`` reports that appending failed.
    case deferred
}

/// Which commits undo reverts.
public enum UndoScope: Hashable, Sendable {
    /// The edits of all origins, in one history.
    case shared
    /// Each origin undoes its own edits only.
    case origin

    /// The history of a commit, by default.
    var tracking: Tracking { self == .shared ? .shared : .own }

    /// The history in which an origin undoes.
    func history(of origin: String) -> HistoryScope { self == .shared ? .shared : .origin(origin) }
}

/// How a store is opened. The defaults suit an app.
public struct StoreOptions: Sendable {
    /// Whether the store may only be read. Any number of processes may read while one writes.
    ///
    /// Such a store follows the commits of the processes that edit it.
    ///
    /// Reading needs a lock file beside the store. If there is none and none can be made, as in an app's bundle, the
    /// store is read without one, and shows the version that it opened; then no process may edit it meanwhile.
    public var isReadOnly = false
    /// The version with which a store that is only read ends; nil for the newest. Later commits are not looked at: this is
    /// how to read what comes before a damaged one.
    public var lastVersion: Version?
    /// What no commit of this process may do. The commits of others are not judged.
    public var rules: [ListRule] = []
    /// What commits wait for by default.
    public var durability = Durability.immediate
    /// The maximum size of the file, in bytes.
    public var maximumFileSize = 64 << 30
    /// How long an edit waits for another process that writes to the store. One that was stopped meanwhile keeps the lock;
    /// then the edit returns, and is saved later. Until it is, further edits throw ``ListError/busy(path:processes:)`` inside `appendFailed`.
    public var lockTimeout = Duration.seconds(5)
    /// The queued bytes at which a background flush begins at once. At 64 times as many, a deferred edit waits.
    public var maximumPendingBytes = 256 << 10
    /// Makes the id of a commit of a replica: 8 random bytes.
    package var makeIdentifier: @Sendable () -> [UInt8] = {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }
    }
    /// The capacities of tree nodes in memory.
    package var limits = TreeLimits()
    /// How long a deferred commit waits for others to share its sync, unless a thread waits for it.
    public var deferredDelay = Duration.milliseconds(20)
    /// How thoroughly the file is checked when it is opened.
    public var gate = Gate.quick
    /// For a control in tests: whether no page of the file is checked.
    package var trustsPages = false
    /// When checkpoints are taken, and which are kept.
    public var checkpoints = CheckpointPolicy()
    /// How many of the newest commits stay as they are; older ones are packed in the background while the store is open, and take a
    /// few bytes each instead of a hundred. `Int.max` packs nothing.
    ///
    /// Nothing is lost with it, but what is packed takes longer to read: a version of the past up to twice as long, and undoing or reading the
    /// first commit of a block some milliseconds. Each process that edits the store should have the same value.
    public var unpackedCount = 1_024
    /// How commits are packed in the background.
    package var packing = PackingOptions()
    /// The most bytes of stored rows to keep in memory, besides those that snapshots keep.
    public var memoryBudget = 16 << 20
    /// Whether the memory of parts of the file that were read is given back soon. They stay in the system's cache.
    /// For a program that reads a large file once; what is read again and again takes longer.
    public var unloadsPages = false
    /// Which commits undo reverts. It may differ from one opening to the next, because each record states its history.
    public var undoScope = UndoScope.shared
    /// Which commits coalesce into one undo step.
    public var coalescing = CoalescingPolicy.standard
    /// The most steps that undo goes back from the end of the branch. Earlier commits can still be checked out.
    public var undoLimit = Int.max
    /// The kinds of ids that a new file gets.
    var identifierKinds: IdentifierKinds?
    /// How the newest commits are kept until they are in the database.
    package var journal = JournalOptions()
    /// Whether other processes know of this one. A store that is only read and unknown keeps one version of the file from opening to
    /// closing: for a copy that is made of it.
    package var isKnownToOthers = true
    /// Whether the store is opened to append what others made, and makes no edits itself.
    @_spi(Sync) public var isFollower = false
    /// A reader of any process that is this many transactions behind stands still.
    package var maximumReaderLag = 256
    /// The pause before appending is tried again after a failure. It doubles with each failure.
    package var retryDelay = Duration.milliseconds(500)
    /// How observers are told of commits.
    package var updates = UpdateOptions()
    /// The name of the store in logs and metrics; they do not have its path. Used with the package traits `Logging`, `Metrics` and
    /// `Signposts` only.
    public var label = ""
    /// From which duration on an edit is reported as slow, with the package traits `Logging` and `Metrics`. One frame of a display
    /// by default.
    public var slowEditThreshold = Duration.milliseconds(16)
    /// Where the store reports what it does; set when it is opened.
    var diagnostics = Diagnostics()
    /// The clock for the times of commits.
    public var now: @Sendable () -> Timestamp = StoreOptions.systemTime

    /// How thoroughly a file is checked when it is opened.
    public enum Gate: Hashable, Sendable {
        /// The beginning and the length of the file; takes the same time however large it is.
        case quick
        /// All pages, and all rows of the newest version; takes time in proportion to the file.
        case full
    }

    /// The defaults.
    public init() {}

    /// The system's wall clock.
    public static let systemTime: @Sendable () -> Timestamp = {
        Timestamp(microseconds: Platform.wallClock)
    }
}

// MARK: - What an app has no reason to choose

// The defaults are measured; tests choose others to reach the edges.

/// How large the journal is, and how long commits stay in it.
package struct JournalOptions: Sendable {
    /// How many bytes LMDB has before a value on pages of its own.
    package static let pageHeaderSize = 16

    /// Whether a file that has no journal gets one, and commits are written to it.
    package var isUsed = true
    /// The size of the journal, in bytes: whole pages but for the header that LMDB puts before it.
    package var size = (128 << 10) - JournalOptions.pageHeaderSize
    /// After how long at most what is in the journal is moved into the database.
    package var storeDelay = Duration.milliseconds(200)
    /// Whether what only the journal has is left out when the store is opened: loses commits. For tests, which must see that.
    package var isIgnored = false
    /// Whether opening moves what it found before it had the lock, though another process may have added to it since: loses
    /// commits. For tests, which must see that.
    package var isFoundEarly = false
    /// Whether a writer does not look whether another process has appended: loses commits. For tests, which must see that.
    package var isUnchecked = false
    /// Called when opening has seen that the journal may have commits, before it takes the lock. For tests, in which another
    /// process writes then.
    package var whenFound: (@Sendable () -> Void)?
    /// Called between the reads of the journal and of the database. For tests, in which another process writes then.
    package var whenReading: (@Sendable () -> Void)?
}

/// How commits are packed in the background.
package struct PackingOptions: Sendable {
    /// How many commits are packed in one transaction; also after how many events a group is looked for.
    package var groupCount = 2_048
    /// After how many bytes of records a group ends.
    package var groupSize = 1 << 20
    /// How many commits have their headers in one chunk.
    package var headerCount = 512
    /// After how many commits a run ends, in the background and when the store is closed.
    package var runSize = 1 << 14
    package var lastRunSize = 1 << 18
    /// How many commits are packed at least when the store is closed, where no checkpoint follows them.
    package var lastGroupCount = 512
    /// After how many free bytes, and if half of the file is free, it is given back when the store is closed.
    package var freeSize = 1 << 20
    /// The same of the disk space of the file while the store is open: more than packing frees at once, because pages that are used again
    /// soon should keep theirs.
    package var openFreeSize = 1 << 22
    /// Whether free pages are given back while the store is open, however few they are. For tests.
    package var givesBackAlways = false
    /// For how long free pages are given back with the writer's lock held, without a pause.
    package var sliceTime = Duration.milliseconds(1)
}

/// How observers are told of commits.
package struct UpdateOptions: Sendable {
    /// How many updates may wait for a reader. Each keeps what the list changed since the one before it.
    package var queueLimit = 256
    /// For a test that has to fail: tells observers of a commit before it is in the queue, where its content could be read,
    /// and then calls this, which lets them try.
    package var tellsEarly: (@Sendable () -> Void)?
}
