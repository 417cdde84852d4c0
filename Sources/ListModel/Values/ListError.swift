// Why an edit, an undo or an event of a log was rejected.
//
// Always holds: a function that throws one of these errors has changed nothing.

/// An edit was rejected because it does not fit the list. The list is unchanged.
public enum ListError: Error, Equatable, Sendable {
    /// No row has this id.
    case unknownItem(UntypedID)
    /// No section has this id.
    case unknownSection(UntypedID)
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
    /// An event of the log does not fit the state it is applied to.
    case eventMismatch(what: String, expected: String, found: String)
    /// A stored row cannot be read as the typed model expects it.
    case unreadable(what: String, expected: String, found: String)
}

extension ListError {
    /// A stable name of the kind of error, for programs.
    public var code: String {
        switch self {
        case .unknownItem: "unknownItem"
        case .unknownSection: "unknownSection"
        case .duplicateItem: "duplicateItem"
        case .duplicateSection: "duplicateSection"
        case .itemIndexOutOfRange: "itemIndexOutOfRange"
        case .sectionIndexOutOfRange: "sectionIndexOutOfRange"
        case .identityChanged: "identityChanged"
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
        case .eventMismatch: "eventMismatch"
        case .unreadable: "unreadable"
        }
    }
}

extension ListError: CustomStringConvertible {
    /// A sentence that says what was wrong, where, and what was expected.
    public var description: String {
        switch self {
        case .unknownItem(let id): "no row has the id \(id)"
        case .unknownSection(let id): "no section has the id \(id)"
        case .duplicateItem(let id): "there is a row with the id \(id) already"
        case .duplicateSection(let id): "there is a section with the id \(id) already"
        case .itemIndexOutOfRange(let path, let valid):
            "index \(path.item) in section \(path.section) is out of range: \(ListError.text(valid))"
        case .sectionIndexOutOfRange(let index, let valid):
            "section index \(index) is out of range: \(ListError.text(valid))"
        case .identityChanged(let old, let new): "the item of row \(old) was given the id \(new): a row keeps its id"
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
        case .eventMismatch(let what, let expected, let found),
            .unreadable(let what, let expected, let found):
            "\(what): expected \(expected), found \(found)"
        }
    }

    private static func steps(_ count: Int) -> String { count == 1 ? "1 step" : "\(count) steps" }

    private static func text(_ valid: Range<Int>) -> String {
        valid.isEmpty ? "there are none" : "expected \(valid.lowerBound) to \(valid.upperBound - 1)"
    }
}
