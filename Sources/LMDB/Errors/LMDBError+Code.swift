// LMDB's and the operating system's result codes as values.
//
// Always holds: any Int32 is representable, so a code from a newer LMDB survives and can be compared.

import CLMDB

extension LMDBError {
    /// A result code of LMDB (negative) or of the operating system (an `errno`, positive).
    ///
    /// An open set: codes that have no name here keep their number.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number that the C call returned.
        public let rawValue: Int32

        /// Wraps a number, known or not.
        ///
        /// - Parameter rawValue: What the C call returned.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// LMDB's or the operating system's text for the code.
        public var message: String {
            // SAFETY: mdb_strerror returns a static string, or strerror's, which is copied at once.
            mdb_strerror(rawValue).map { String(cString: $0) } ?? "unknown"
        }
    }
}

extension LMDBError.Code {
    /// The key is there already.
    public static let keyExists = Self(rawValue: MDB_KEYEXIST)
    /// No such key or database.
    public static let notFound = Self(rawValue: MDB_NOTFOUND)
    /// A page that is referred to does not exist: damage.
    public static let pageNotFound = Self(rawValue: MDB_PAGE_NOTFOUND)
    /// A page is of the wrong type: damage.
    public static let corrupted = Self(rawValue: MDB_CORRUPTED)
    /// An earlier fatal error made the environment unusable.
    public static let panic = Self(rawValue: MDB_PANIC)
    /// The file or the lock file is of another LMDB version.
    public static let versionMismatch = Self(rawValue: MDB_VERSION_MISMATCH)
    /// Not an LMDB file.
    public static let invalid = Self(rawValue: MDB_INVALID)
    /// The map is full.
    public static let mapFull = Self(rawValue: MDB_MAP_FULL)
    /// The environment's maximum of databases is reached.
    public static let databasesFull = Self(rawValue: MDB_DBS_FULL)
    /// The environment's maximum of readers is reached.
    public static let readersFull = Self(rawValue: MDB_READERS_FULL)
    /// The tree is deeper than a cursor can go: damage.
    public static let cursorFull = Self(rawValue: MDB_CURSOR_FULL)
    /// Another process made the map larger.
    public static let mapResized = Self(rawValue: MDB_MAP_RESIZED)
    /// The operation does not fit the database or its flags.
    public static let incompatible = Self(rawValue: MDB_INCOMPATIBLE)
    /// A key or value has an unsupported size.
    public static let badValueSize = Self(rawValue: MDB_BAD_VALSIZE)

    /// Permission denied.
    public static let accessDenied = Self(rawValue: Platform.accessDenied)
    /// The operation is not permitted.
    public static let notPermitted = Self(rawValue: Platform.notPermitted)
    /// The file exists.
    public static let fileExists = Self(rawValue: Platform.fileExists)
    /// An argument is not valid, or a database handle is not known to the transaction.
    public static let invalidArgument = Self(rawValue: Platform.invalidArgument)
    /// An input or output error of the device.
    public static let inputOutput = Self(rawValue: Platform.inputOutput)
    /// No such file or directory.
    public static let noSuchFile = Self(rawValue: Platform.noSuchFile)
    /// Out of memory or address space.
    public static let outOfMemory = Self(rawValue: Platform.outOfMemory)
    /// No space left on the device.
    public static let noSpace = Self(rawValue: Platform.noSpace)
    /// The user's share of the disk is used up.
    package static let quotaExceeded = Self(rawValue: Platform.quotaExceeded)
    /// The file would be larger than the process or the file system allows.
    package static let fileTooLarge = Self(rawValue: Platform.fileTooLarge)
    /// The file system is read-only.
    public static let readOnlyFileSystem = Self(rawValue: Platform.readOnlyFileSystem)
    /// The resource is busy; try again.
    public static let tryAgain = Self(rawValue: Platform.tryAgain)
}

extension LMDBError.Code: CustomStringConvertible {
    /// The text and the number.
    public var description: String { "\(message) [\(rawValue)]" }
}
