// How an environment is opened.
//
// Always holds: the defaults are the safe choice in every respect; sizes are in bytes.

extension Environment {
    /// What a commit has made durable when it returns.
    public typealias Durability = EnvironmentDurability

    /// How an environment is opened. The defaults are safe.
    public struct Options: Sendable {
        /// Sizes of maps are multiples of this, in bytes, so that a file can be used on systems with small
        /// pages and with large ones: 16 KiB.
        public static let mapGranularity = Engine.mapGranularity

        /// The size of the map to begin with, in bytes; rounded up. It grows as needed, and is at least as large
        /// as the file. It takes address space, not memory or disk.
        public var mapSize = 16 * 1024 * 1024
        /// How far the map may grow, in bytes; rounded up. The file cannot become larger.
        public var maximumMapSize = 64 * 1024 * 1024 * 1024
        /// How many read transactions may be live in all processes together.
        public var maximumReaders = 1022
        /// How many named databases may be open.
        public var maximumDatabases = 16
        /// The permissions of a new data file and lock file; the default lets only the owner in.
        public var fileMode: UInt16 = 0o600
        /// Whether only reading is allowed. The file must exist.
        ///
        /// Where there is no lock file and none can be made, as in an app's bundle, the file is read without one.
        ///
        /// - Warning: Without a lock file, no process may write to the data file meanwhile, because it would not see
        ///   the reader.
        public var isReadOnly = false
        /// What a commit has made durable when it returns.
        public var durability = Durability.full
        /// How long a change of the map waits for live transactions.
        public var resizeTimeout = Duration.seconds(5)
        /// How long a write waits for another process that writes. One that was stopped meanwhile, by a debugger for
        /// example, keeps the lock.
        public var writerTimeout = Duration.seconds(5)
        /// Whether a file on a network file system is opened all the same.
        ///
        /// - Warning: Locks and shared maps cannot be trusted there: two hosts can destroy the file.
        public var allowsNetworkFileSystem = false
        /// Whether the memory of pages that were read is given back after each MiB. They stay in the system's cache, and are
        /// copied or mapped again when they are read, which takes a microsecond for each.
        public var unloadsPages = false
        /// How thoroughly the file is checked before LMDB opens it. LMDB trusts its file, so without a check a damaged
        /// file can end the process.
        public var gate = Gate.quick

        /// The defaults.
        public init() {}
    }

    /// How thoroughly a file is checked before it is opened.
    public enum Gate: Sendable {
        /// The meta pages and the length of the file; constant time.
        case quick
        /// Every page that can be reached; linear in the size of the file.
        case full
        /// Nothing.
        case off
    }
}
