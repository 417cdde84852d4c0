// How a command ends, as a number that scripts can rely on.
//
// Always holds: every error has exactly one of these; the numbers never change their meaning.

import Foundation
import LMDB
import ListModel
import Listory

/// The exit codes of the tool.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command did what it was asked.
    case success = 0
    /// The command was refused: nothing to undo, an unknown or dropped version, a store that is in use,
    /// input that is not what was expected.
    case refused = 1
    /// The command line could not be understood.
    case usage = 2
    /// The store is missing, is something else, or was written by a newer version.
    case unusable = 3
    /// The store is damaged.
    case damaged = 4
    /// Reading or writing failed.
    case inputOutput = 5
    /// `exec`: a line was rejected, or the input ended inside a group.
    case rejected = 6
    /// Rows are not as an undo, a redo or the like expects them: somebody else changed them.
    case conflicts = 7

    /// What the number means, for the help.
    public var meaning: String {
        switch self {
        case .success: "done"
        case .refused: "refused: nothing to undo, no such version, store in use, unexpected input"
        case .usage: "the command line could not be understood"
        case .unusable: "the store is missing, foreign, or of a newer version"
        case .damaged: "the store is damaged"
        case .inputOutput: "reading or writing failed"
        case .rejected: "exec: a line was rejected, or a group did not end"
        case .conflicts: "conflicts: rows were changed since by somebody else"
        }
    }
}

extension ExitStatus {
    /// How a command ends that an error has stopped.
    public init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error.status
        case let error as StoreError: self.init(error)
        case let error as LMDBError: self.init(error)
        case let error as RecordError: self.init(error)
        case let error as ListError: self.init(error)
        case is RequestError, is ImportError: self = .refused
        case is InvariantViolation: self = .damaged
        default: self = .inputOutput
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .notFound, .notAStore, .unknownFormat: self = .unusable
        case .headMismatch, .damagedNode, .damagedCheckpoint, .damagedProjection: self = .damaged
        case .alreadyExists, .unknownVersion, .droppedVersion, .inUse, .writtenElsewhere, .readOnly, .closed:
            self = .refused
        case .appendFailed(_, let cause): self.init(cause)
        }
    }

    private init(_ error: LMDBError) {
        switch error.kind {
        case .damaged, .wrongSize, .undecodable, .engine(.corrupted), .engine(.pageNotFound), .engine(.cursorFull),
            .engine(.panic), .engine(.keyExists), .keyOutOfOrder:
            self = .damaged
        case .engine(.invalid), .engine(.versionMismatch), .engine(.incompatible): self = .unusable
        case .alreadyOpen, .readOnly, .closed, .targetExists, .invalidName: self = .refused
        default: self = .inputOutput
        }
    }

    private init(_ error: RecordError) {
        switch error.problem {
        case .unknownFormat, .unknown: self = .unusable
        case .truncated, .checksum, .link, .invalid: self = .damaged
        }
    }

    private init(_ error: ListError) {
        switch error {
        case .eventMismatch, .unreadable: self = .damaged
        case .conflicts: self = .conflicts
        default: self = .refused
        }
    }
}
