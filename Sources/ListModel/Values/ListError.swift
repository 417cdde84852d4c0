// The one error type of a list and of its store.
//
// Always holds: a function that throws one of these errors has changed nothing, except where a case says otherwise.

/// Whatever goes wrong with a list or its file.
///
/// ```swift
/// do { try store.undo() } catch ListError.conflicts(let conflicts) { show(conflicts) }
/// ```
///
/// ``isRejection`` tells the two halves of the cases apart: calls that do not fit the list, and failures of the file. Later releases
/// may have more cases: a `switch` needs a `default`.
public enum ListError: Error, Sendable {
    // MARK: Calls that do not fit the list

    /// No row has this id.
    case unknownItem(UntypedID)
    /// No section has this id.
    case unknownSection(UntypedID)
    /// A version has no such row or section, so it cannot be restored from there; `what` names it.
    case notInVersion(what: String, Version)
    /// A row with this id is in the list already, or occurs twice among the rows to insert.
    case duplicateItem(UntypedID)
    /// A section with this id is in the list already, or occurs twice among the sections to insert.
    case duplicateSection(UntypedID)
    /// The index path is not that of a row or of an insertion; `valid` is the range of item indices that its section
    /// accepts.
    case itemIndexOutOfRange(ListIndexPath, valid: Range<Int>)
    /// The index is not that of a section or of an insertion; `valid` is the range of accepted indices.
    case sectionIndexOutOfRange(Int, valid: Range<Int>)
    /// A function that changes the item of a row gave it another id. Delete the row and insert another instead.
    case identityChanged(from: UntypedID, to: UntypedID)
    /// An item cannot be encoded; `cause` is the error of the coder.
    case unencodable(UntypedID, cause: any Error)
    /// The ids of this store's rows, or sections, are of another kind.
    case otherKind(UntypedID, expected: UntypedID.Kind)
    /// Rows were to move before or after one of themselves (the id is that one's), a section before or after itself, or a row
    /// with all rows below it to itself or to one of those (the id is that of the row that was to move).
    case movedOntoItself(UntypedID)
    /// A row would get a depth that is out of range.
    case depthOutOfRange(UntypedID, depth: Int)
    /// The row cannot be indented, because it has no sibling before it whose child it could become.
    case cannotIndent(UntypedID)
    /// The row cannot be outdented, because it has no parent whose sibling it could become.
    case cannotOutdent(UntypedID)
    /// Fewer steps than requested can be undone.
    case nothingToUndo(requested: Int, available: Int)
    /// Fewer steps than requested can be redone.
    case nothingToRedo(requested: Int, available: Int)
    /// An undo, a redo or a merge found rows that others changed meanwhile.
    case conflicts([MergeConflict])
    /// The version is not in this history: it belongs to another history, or to none.
    case notInHistory(Version)
    /// Undo, redo or a similar function was called while a group was open, or a group was ended that was not open.
    case groupMismatch(expected: String)
    /// The closure of a commit called a function that makes a commit of its own, or that ends one.
    case insideCommit
    /// The commit exceeds the size of a record: 4 GiB.
    case commitTooLarge(bytes: Int)
    /// The list would exceed the limit of rows or sections, or the log the limit of versions.
    case limitReached(what: String, limit: UInt64)
    /// A commit would break a rule that the app has declared: see ``ListRule``.
    case brokenRule(name: String, reason: String)
    /// An annotation of the commit has a name that only the library may use: see ``CommitAnnotation``.
    case reservedAnnotation(String)
    /// The content that this version gave a row was erased.
    case erasedContent(Version)
    /// No version has this name.
    case unknownName(String)
    /// A version has this name already.
    case duplicateName(String, of: Version)
    /// A version cannot have this name: `validBytes` is how many bytes of UTF-8 a name has.
    case invalidName(String, validBytes: ClosedRange<Int>)
    /// An event of the log does not fit the state it is applied to.
    case eventMismatch(what: String, expected: String, found: String)
    /// A stored row cannot be read as the typed model expects it.
    case unreadable(what: String, expected: String, found: String)

    // MARK: Failures of the store

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
    /// This cannot be done to a replica of a shared list: see `Docs/Design/Sync.md`.
    case replica(path: String, reason: String)
    /// Another process has been writing to the store for longer than `StoreOptions.lockTimeout`. It may have been stopped;
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
    /// it can be read: set `StoreOptions.isReadOnly`, and `StoreOptions.lastVersion` to the version before.
    case damagedCommit(Version, cause: any Error)
    /// Verifying a store found that the stored state of a projection cannot be read. The projection is folded again
    /// when it is used.
    case damagedProjection(name: String)
    /// A store cannot be repaired, because this many commits, contents of dropped ones, and names of versions are lost. Salvage
    /// saves the rest.
    case notRepairable(commits: UInt64, contents: Int, names: Int)
    /// The store was opened for reading.
    case readOnly
    /// The system does not let this process open the file or its lock file, or make one in its folder: for writing, or if `isReadOnly`,
    /// for reading. Or the file has a second name (a hard link), which would keep the old file if another one took its place.
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
    /// A view cannot place a row, because a function of its query threw an error. The view still shows the rows from before.
    case query(QueryError)
    /// The file or the system failed, with an `LMDBError` (a full disk, no permission, a damaged page), or with another error of a
    /// layer below.
    case failed(cause: any Error)
}

extension ListError {
    /// Whether the call does not fit the list: a row that is not there, nothing to undo, a conflict. Otherwise the store or its
    /// file has failed, is closed, or is used where it cannot be.
    public var isRejection: Bool {
        switch self {
        case .unknownItem, .unknownSection, .notInVersion, .duplicateItem, .duplicateSection, .itemIndexOutOfRange,
            .sectionIndexOutOfRange, .identityChanged, .unencodable, .otherKind, .movedOntoItself, .depthOutOfRange,
            .cannotIndent, .cannotOutdent, .nothingToUndo, .nothingToRedo, .conflicts, .notInHistory, .groupMismatch,
            .insideCommit, .commitTooLarge, .limitReached, .brokenRule, .reservedAnnotation, .erasedContent,
            .unknownName,
            .duplicateName, .invalidName, .eventMismatch, .unreadable:
            true
        default: false
        }
    }

    /// The error of the layer below, or of the app's own function, if there is one.
    public var cause: (any Error)? {
        switch self {
        case .unencodable(_, let cause), .damagedNode(let cause), .damagedCommit(_, let cause),
            .appendFailed(_, let cause), .discardFailed(_, let cause), .failed(let cause):
            cause
        case .query(let error): error
        default: nil
        }
    }

    /// A stable name of the kind of error, for programs.
    public var code: String {
        switch self {
        case .unknownItem: "unknownItem"
        case .unknownSection: "unknownSection"
        case .notInVersion: "notInVersion"
        case .duplicateItem: "duplicateItem"
        case .duplicateSection: "duplicateSection"
        case .itemIndexOutOfRange: "itemIndexOutOfRange"
        case .sectionIndexOutOfRange: "sectionIndexOutOfRange"
        case .identityChanged: "identityChanged"
        case .unencodable: "unencodable"
        case .otherKind: "otherKind"
        case .movedOntoItself: "movedOntoItself"
        case .depthOutOfRange: "depthOutOfRange"
        case .cannotIndent: "cannotIndent"
        case .cannotOutdent: "cannotOutdent"
        case .nothingToUndo: "nothingToUndo"
        case .nothingToRedo: "nothingToRedo"
        case .conflicts: "conflicts"
        case .notInHistory: "notInHistory"
        case .groupMismatch: "groupMismatch"
        case .insideCommit: "insideCommit"
        case .commitTooLarge: "commitTooLarge"
        case .limitReached: "limitReached"
        case .brokenRule: "brokenRule"
        case .reservedAnnotation: "reservedAnnotation"
        case .erasedContent: "erasedContent"
        case .unknownName: "unknownName"
        case .duplicateName: "duplicateName"
        case .invalidName: "invalidName"
        case .eventMismatch: "eventMismatch"
        case .unreadable: "unreadable"
        case .notFound: "notFound"
        case .alreadyExists: "alreadyExists"
        case .notAStore: "notAStore"
        case .unknownFormat: "unknownFormat"
        case .otherIdentifiers: "otherIdentifiers"
        case .headMismatch: "headMismatch"
        case .unknownVersion: "unknownVersion"
        case .droppedVersion: "droppedVersion"
        case .inUse: "inUse"
        case .replica: "replica"
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
        case .query: "query"
        case .failed: "failed"
        }
    }
}

extension ListError: Equatable {
    /// Two errors are equal if they say the same.
    public static func == (one: ListError, other: ListError) -> Bool {
        one.code == other.code && one.description == other.description
    }
}

extension ListError: CustomStringConvertible {
    /// A sentence that says what is wrong, where, what was expected and what was found.
    public var description: String {
        switch self {
        case .unknownItem(let id): "no row has the id \(id)"
        case .unknownSection(let id): "no section has the id \(id)"
        case .notInVersion(let what, let version): "version \(version) has no \(what)"
        case .duplicateItem(let id): "there is a row with the id \(id) already"
        case .duplicateSection(let id): "there is a section with the id \(id) already"
        case .itemIndexOutOfRange(let path, let valid):
            "index \(path.item) in section \(path.section) is out of range: \(ListError.text(valid))"
        case .sectionIndexOutOfRange(let index, let valid):
            "section index \(index) is out of range: \(ListError.text(valid))"
        case .identityChanged(let old, let new): "the item of row \(old) was given the id \(new): a row keeps its id"
        case .unencodable(let id, let cause):
            "the item of row \(id) cannot be encoded: \(cause)"
        case .otherKind(let id, let expected):
            "\(id) cannot be used here: the ids of this store are of the kind \(expected)"
        case .movedOntoItself(let id): "\(id) cannot move before, after or below itself"
        case .depthOutOfRange(let id, let depth):
            "\(id) cannot stand at depth \(depth): expected 0 to \(UntypedRow.maximumDepth)"
        case .cannotIndent(let id): "\(id) has no sibling before it whose child it could become"
        case .cannotOutdent(let id): "\(id) has no parent whose sibling it could become"
        case .nothingToUndo(let requested, let available):
            "cannot undo \(ListError.steps(requested)): \(available) can be undone"
        case .nothingToRedo(let requested, let available):
            "cannot redo \(ListError.steps(requested)): \(available) can be redone"
        case .conflicts(let conflicts):
            "the rows were changed since: " + conflicts.map(\.description).joined(separator: ", ")
        case .notInHistory(let version): "version \(version) is not in this history"
        case .insideCommit: "the closure of a commit makes edits: it can neither begin nor end a commit"
        case .groupMismatch(let expected): "groups are begun and ended in pairs: expected \(expected)"
        case .commitTooLarge(let bytes): "the commit has \(bytes) bytes, and a record holds less than 4 GiB"
        case .limitReached(let what, let limit): "there are at most \(limit) \(what)"
        case .brokenRule(let name, let reason): "the rule \"\(name)\" would be broken: \(reason)"
        case .reservedAnnotation(let name): "only the library may attach an annotation named \"\(name)\""
        case .erasedContent(let version): "the content of version \(version) was erased"
        case .unknownName(let name): "no version has the name \"\(name)\""
        case .duplicateName(let name, let version): "version \(version) has the name \"\(name)\" already"
        case .invalidName(let name, let valid):
            "a name of a version has \(valid.lowerBound) to \(valid.upperBound) bytes: found \(name.utf8.count)"
        case .eventMismatch(let what, let expected, let found),
            .unreadable(let what, let expected, let found):
            "\(what): expected \(expected), found \(found)"
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
            "version \(version) was dropped, and has no name: the log begins with version \(oldest)"
        case .replica(let path, let reason): "\(path) is a replica of a shared list: \(reason)"
        case .inUse(let path): "\(path) is open or being compacted, here or in another process"
        case .busy(let path, let processes):
            "another process keeps \(path) locked, one of \(processes.map(String.init).joined(separator: ", "))"
        case .tooManyProcesses(let limit): "\(limit) processes have the store open, which is the most that may"
        case .writtenElsewhere(let expected, let found):
            expected == found
                ? "another process wrote to the store meanwhile, whose newest version is \(found)"
                : "another process wrote to the store: expected version \(expected) to be the newest, found \(found)"
        case .damagedNode(let cause): "some rows cannot be read, open the store again: \(cause)"
        case .damagedCheckpoint(let version): "the checkpoint of version \(version) is damaged"
        case .damagedCommit(let version, let cause):
            "the commit of version \(version) is damaged, those before it can be read: \(cause)"
        case .damagedProjection(let name): "the stored state of the projection \(name) is damaged"
        case .notRepairable(let commits, let contents, let names):
            "the store cannot be repaired: \(commits) commits, \(contents) contents and \(names) names are lost; salvage saves "
                + "the rest"
        case .readOnly: "the store was opened for reading"
        case .notPermitted(let path, isReadOnly: false):
            "\(path), its folder or its lock file may not be written, or it would be replaced and has a second name, which would keep "
                + "the old file: a store that is there can be read with `isReadOnly`"
        case .notPermitted(let path, isReadOnly: true):
            "\(path) may not be read, or its lock file not be used"
        case .closed: "the store is closed"
        case .usedInside(let place): "it was used inside \(place), and would wait for itself: use what is given there"
        case .editEnded: "an edit, or a row that it wrote, was used after its closure had returned"
        case .appendFailed(let durable, let cause): "versions after \(durable) are not durable: \(cause)"
        case .discardFailed(let durable, let cause):
            "versions after \(durable) were discarded, but may come back: \(cause)"
        case .query(let error): "\(error)"
        case .failed(let cause): "\(cause)"
        }
    }

    private static func steps(_ count: Int) -> String { count == 1 ? "1 step" : "\(count) steps" }

    private static func text(_ valid: Range<Int>) -> String {
        valid.isEmpty ? "there are none" : "expected \(valid.lowerBound) to \(valid.upperBound - 1)"
    }
}
