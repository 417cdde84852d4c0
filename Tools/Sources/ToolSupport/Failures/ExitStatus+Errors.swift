// The exit status of each error.

import LMDB
import ListModel
import Listory

extension ExitStatus {
    /// The exit status of a command that ends with an error.
    public init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error.status
        case let error as DamagedStore: self.init(error.cause)
        case let error as ListError: self.init(error)
        case let error as LMDBError: self.init(error)
        case let error as RecordError: self.init(error)
        case is RequestError, is ImportError: self = .refused
        case is VersionNameError: self = .usage
        default: self = .inputOutput
        }
    }

    private init(_ error: ListError) {
        switch error {
        case .notFound, .notAStore, .unknownFormat, .otherIdentifiers: self = .unusable
        case .headMismatch, .damagedNode, .damagedCheckpoint, .damagedCommit, .damagedProjection, .notRepairable,
            .eventMismatch, .unreadable:
            self = .damaged
        case .conflicts: self = .conflicts
        case .notPermitted: self = .inputOutput
        case .appendFailed(_, let cause), .discardFailed(_, let cause), .failed(let cause): self.init(cause)
        default: self = .refused
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
}
