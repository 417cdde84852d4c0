// Decides which errors say that a file is damaged, and which may pass.
//
// Always holds: an error that may be temporary (no memory, no reader slot, an error of the device) does not count as
// damage, so it never causes a deletion.

import LMDB
import ListModel

extension ListError {
    /// Whether an error of opening, reading or editing a store says that its file is damaged. Any other error may pass, or
    /// has another cause: no memory, a full disk, a file that may not be read.
    public static func saysDamage(_ error: any Error) -> Bool { error.saysDamage && !error.isOfNewerRelease }

    /// Whether the store may be used again soon: another process keeps the file, the disk is full or has failed, or there is
    /// no memory.
    @_spi(Sync) public var mayPass: Bool {
        switch self {
        case .busy, .appendFailed: true
        case .failed(let cause as LMDBError):
            cause.saysBusy || [.noSpace, .inputOutput, .readersFull, .outOfMemory].contains(cause.code)
        default: false
        }
    }
}

extension Error {
    /// Whether the error says that a newer release has written the data.
    var isOfNewerRelease: Bool {
        switch (self as? RecordError)?.problem {
        case .unknownFormat, .unknown: true
        default: false
        }
    }

    /// The error to throw for rows that could not be read because of this one.
    var ofRows: any Error { saysDamage ? ListError.damagedNode(self) : self }

    /// Whether another process keeps the writer's lock: trying again at once would wait as long again.
    var saysBusy: Bool {
        if let error = self as? LMDBError, case .writerBusy = error.kind { true } else { false }
    }

    /// Whether the error says that the data is damaged.
    var saysDamage: Bool {
        switch self as any Error {
        case let error as LMDBError: error.saysDamage
        case ListError.damagedNode(let cause), ListError.failed(let cause): cause.saysDamage
        case ListError.damagedCommit, ListError.damagedCheckpoint, ListError.damagedProjection,
            ListError.headMismatch:
            true
        // Of the log, which holds only what fits.
        case let error as ListError: error.isRejection
        case is NodeError, is RecordError, is InvariantViolation: true
        default: false
        }
    }
}
