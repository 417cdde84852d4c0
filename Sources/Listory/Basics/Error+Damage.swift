// Which errors say that a file is damaged.
//
// Always holds: what may be gone the next time (no memory, no reader slot, an error of the device) is not taken for damage.
// So nothing is deleted on its account.

import LMDB
import ListModel

extension Error {
    /// Whether the error says that what was read is not what was written.
    var saysDamage: Bool {
        switch self as any Error {
        case let error as LMDBError: error.saysDamage
        case StoreError.damagedNode(let cause): cause.saysDamage
        case StoreError.damagedCheckpoint, StoreError.damagedProjection, StoreError.headMismatch: true
        case is NodeError, is RecordError, is ListError, is InvariantViolation: true
        default: false
        }
    }
}
