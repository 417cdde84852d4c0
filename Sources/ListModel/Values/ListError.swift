// Why an edit, an undo or an event of a log was rejected.
//
// Always holds: whoever throws one of these has changed nothing.

/// An edit that does not fit the list. The list is as it was before.
public enum ListError: Error, Equatable, Sendable {
    /// No row has this id.
    case unknownItem(Identifier)
    /// No section has this id.
    case unknownSection(Identifier)
    /// A row with this id is in the list already, or twice in what was to be inserted.
    case duplicateItem(Identifier)
    /// A section with this id is in the list already, or twice in what was to be inserted.
    case duplicateSection(Identifier)
    /// No row, or no place for one, is at this index path; `valid` are the indices that its section has.
    case itemIndexOutOfRange(ListIndexPath, valid: Range<Int>)
    /// No section, or no place for one, is at this index.
    case sectionIndexOutOfRange(Int, valid: Range<Int>)
    /// Rows were to move before or after one of themselves (the id is that one's), a section before or after itself, or a row
    /// with all rows below it to itself or to one of those (the id is that of the row that was to move).
    case movedOntoItself(Identifier)
    /// A row was to stand at a depth that no row can have.
    case depthOutOfRange(Identifier, depth: Int)
    /// A row has no sibling before it whose child it could become.
    case cannotIndent(Identifier)
    /// A row has no parent whose sibling it could become.
    case cannotOutdent(Identifier)
    /// Fewer steps than asked for can be undone.
    case nothingToUndo(requested: Int, available: Int)
    /// Fewer steps than asked for can be redone.
    case nothingToRedo(requested: Int, available: Int)
    /// The rows are not as an undo, a redo or the like expects them: somebody else changed them meanwhile.
    case conflicts([MergeConflict])
    /// A version is no place in this history: it belongs to another one, or to none.
    case notInHistory(Version)
    /// Undo, redo or the like was asked for while a group was open, or the end of a group that was not.
    case groupMismatch(expected: String)
    /// The closure of a commit asked for something that is a commit of its own, or that ends one.
    case insideCommit
    /// The content of one commit is more than a record holds: 4 GiB.
    case commitTooLarge(bytes: Int)
    /// The list would have more rows or sections, or the log more versions, than there can be.
    case limitReached(what: String, limit: UInt64)
    /// An event of the log does not fit the state it is applied to.
    case eventMismatch(what: String, expected: String, found: String)
    /// A row and its content cannot be told apart from what is needed: the typed model and the stored row disagree.
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
    /// A sentence that says what was wrong, where, and what would have been right.
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
        case .movedOntoItself(let id): "\(id) cannot move before, after or below itself"
        case .depthOutOfRange(let id, let depth):
            "\(id) cannot stand at depth \(depth): expected 0 to \(ListItem.maximumDepth)"
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
