// Makes errors of the layers below the one type that an app sees.

import LMDB
import ListModel

/// An error of a layer below the door.
protocol LayerError: Error {}

extension LMDBError: LayerError {}
extension RecordError: LayerError {}
extension NodeError: LayerError {}
extension InvariantViolation: LayerError {}

extension ListError {
    /// The error as an app sees it.
    init(_ error: any Error) {
        switch error {
        case let error as ListError: self = error
        case let error as QueryError: self = .query(error)
        default: self = .failed(cause: error)
        }
    }

    /// The error as an app sees it, unless it is of one of the app's own functions: that one stays as it is.
    static func atDoor(_ error: any Error) -> any Error {
        switch error {
        case is any LayerError: ListError(error)
        default: error
        }
    }
}

/// Does what may also throw errors of the app's own functions.
@inline(__always)
func passing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ListError.atDoor(error) }
}

/// Does what only throws errors of the library.
@inline(__always)
func door<Result>(_ body: () throws -> Result) throws(ListError) -> Result {
    do { return try body() } catch { throw ListError(error) }
}
