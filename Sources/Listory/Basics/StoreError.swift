// The errors of opening, reading and writing a store.

import LMDB
import ListModel

/// A failure of a store. The list is as it was before, except where a case says otherwise.
public enum StoreError: Error, Sendable {
    /// There is no file at the path.
    case notFound(path: String)
    /// A new store cannot be created, because there is already a file at the path.
    case alreadyExists(path: String)
    /// The file is an LMDB database, but not a store.
    case notAStore(path: String, found: String)
    /// The store was written in a format that this library does not know.
    case unknownFormat(path: String, found: UInt32, supported: UInt32)
    /// The ids of the store's rows or sections are of other kinds than those of the app's types. `expected` and `found` name them,
    /// or the first id that does not fit.
    case otherIdentifiers(path: String, expected: String, found: String)
    /// The head row of the store does not fit the end of the log.
    case headMismatch(what: String, expected: String, found: String)
    /// The log has no record of a version.
    case unknownVersion(Version, head: Version)
    /// A version was dropped when the store was compacted.
    case droppedVersion(Version, oldest: Version)
    /// This process or another one has the store open, or is compacting or repairing it, or a snapshot of it is kept.
    case inUse(path: String)
    /// Another process has been writing to the store for longer than ``StoreOptions/lockTimeout``. It may have been stopped;
    /// one of `processes`, which have the store open.
    case busy(path: String, processes: [Int32])
    /// As many processes as possible have the store open.
    case tooManyProcesses(limit: Int)
    /// Another process appended to the log since this one opened it; open the store again.
    case writtenElsewhere(expected: Version, found: Version)
    /// A stored node cannot be read, so that some rows cannot be shown and nothing can be edited. The log has everything:
    /// open the store again.
    case damagedNode(any Error)
    /// The newest checkpoint cannot be read. Opening the store makes a new one from the log.
    case damagedCheckpoint(Version)
    /// The commit of a version cannot be read or replayed, and no checkpoint follows it. Nothing was changed. The rows before
    /// it can be read: set ``StoreOptions/isReadOnly``, and ``StoreOptions/lastVersion`` to the version before.
    case damagedCommit(Version, cause: any Error)
    /// Verifying a store found that the stored state of a projection cannot be read. The projection is folded again
    /// when it is used.
    case damagedProjection(name: String)
    /// A store cannot be repaired, because this many commits, and contents of dropped ones, are lost. Salvage saves the rest.
    case notRepairable(commits: UInt64, contents: Int)
    /// The store was opened for reading.
    case readOnly
    /// The system does not let this process open the file or its lock file: for writing, or if `isReadOnly`, for reading.
    case notPermitted(path: String, isReadOnly: Bool)
    /// The store was closed.
    case closed
    /// A store was used inside the closure of an edit, or a view or a projection inside one of its own functions. The
    /// lock is held there, so the call would never return.
    case usedInside(String)
    /// The list of an edit, or a row that it wrote, was used after its closure had returned.
    case editEnded
    /// Appending to the log failed. The edits since `durable` are in memory and will be tried again; no further edit is
    /// accepted until an attempt succeeds.
    case appendFailed(durable: Version, cause: any Error)
    /// The store is closed, and the edits since `durable` were discarded, but the next opening may find some of them: the
    /// device could not be told, or another process has taken them over.
    case discardFailed(durable: Version, cause: any Error)
}

extension StoreError {
    /// A stable name of the kind of error, for programs.
    public var code: String {
        switch self {
        case .notFound: "notFound"
        case .alreadyExists: "alreadyExists"
        case .notAStore: "notAStore"
        case .unknownFormat: "unknownFormat"
        case .otherIdentifiers: "otherIdentifiers"
        case .headMismatch: "headMismatch"
        case .unknownVersion: "unknownVersion"
        case .droppedVersion: "droppedVersion"
        case .inUse: "inUse"
        case .busy: "busy"
        case .tooManyProcesses: "tooManyProcesses"
        case .writtenElsewhere: "writtenElsewhere"
        case .damagedNode: "damagedNode"
        case .damagedCheckpoint: "damagedCheckpoint"
        case .damagedCommit: "damagedCommit"
        case .damagedProjection: "damagedProjection"
        case .notRepairable: "notRepairable"
        case .readOnly: "readOnly"
        case .notPermitted: "notPermitted"
        case .closed: "closed"
        case .usedInside: "usedInside"
        case .editEnded: "editEnded"
        case .appendFailed: "appendFailed"
        case .discardFailed: "discardFailed"
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// A sentence that says what is wrong, where, what was expected and what was found.
    public var description: String {
        switch self {
        case .notFound(let path): "there is no store at \(path)"
        case .alreadyExists(let path): "there is a file at \(path) already"
        case .notAStore(let path, let found): "\(path) is not a Listory store: \(found)"
        case .unknownFormat(let path, let found, let supported):
            "\(path) has format \(found); this library reads format \(supported)"
        case .otherIdentifiers(let path, let expected, let found):
            "\(path) has other ids than the app's types: expected \(expected), found \(found)"
        case .headMismatch(let what, let expected, let found):
            "the store is damaged: \(what): expected \(expected), found \(found)"
        case .unknownVersion(let version, let head): "there is no version \(version): the newest is \(head)"
        case .droppedVersion(let version, let oldest) where version == oldest:
            "the commit of version \(version) was dropped: the log begins after it"
        case .droppedVersion(let version, let oldest):
            "version \(version) was dropped: the oldest that can be reached is \(oldest)"
        case .inUse(let path): "\(path) is open or being compacted, here or in another process"
        case .busy(let path, let processes):
            "another process keeps \(path) locked, one of \(processes.map(String.init).joined(separator: ", "))"
        case .tooManyProcesses(let limit): "\(limit) processes have the store open, which is the most that may"
        case .writtenElsewhere(let expected, let found):
            "another process wrote to the store: expected version \(expected) to be the newest, found \(found)"
        case .damagedNode(let cause): "some rows cannot be read, open the store again: \(cause)"
        case .damagedCheckpoint(let version): "the checkpoint of version \(version) is damaged"
        case .damagedCommit(let version, let cause):
            "the commit of version \(version) is damaged, those before it can be read: \(cause)"
        case .damagedProjection(let name): "the stored state of the projection \(name) is damaged"
        case .notRepairable(let commits, let contents):
            "the store cannot be repaired: \(commits) commits and \(contents) contents are lost; salvage saves the rest"
        case .readOnly: "the store was opened for reading"
        case .notPermitted(let path, isReadOnly: false):
            "\(path), its folder or its lock file may not be written: to read the store, open it with `isReadOnly`"
        case .notPermitted(let path, isReadOnly: true):
            "\(path) may not be read, or its lock file not be used"
        case .closed: "the store is closed"
        case .usedInside(let place): "it was used inside \(place), and would wait for itself: use what is given there"
        case .editEnded: "an edit, or a row that it wrote, was used after its closure had returned"
        case .appendFailed(let durable, let cause): "versions after \(durable) are not durable: \(cause)"
        case .discardFailed(let durable, let cause):
            "versions after \(durable) were discarded, but may come back: \(cause)"
        }
    }
}
