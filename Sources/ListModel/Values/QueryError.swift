// Why a view of some rows could not follow its source.
//
// Always holds: a view that throws this error still shows the rows from before.

/// A row that a view could not place, because the app's function threw an error.
public struct QueryError: Error, Sendable {
    /// The row.
    public let id: UntypedID
    /// Its position in the rows below the stage: in the list itself for the first stage.
    public let path: ListIndexPath
    /// The version of the rows.
    public let version: Version
    /// The index of the stage.
    public let stage: Int
    /// The error that the function threw.
    public let cause: any Error

    init(id: UntypedID, path: ListIndexPath, version: Version, stage: Int, cause: any Error) {
        self.id = id
        self.path = path
        self.version = version
        self.stage = stage
        self.cause = cause
    }
}

extension QueryError: CustomStringConvertible {
    /// The row and the error that the function threw.
    public var description: String {
        "the view cannot place the row \(id) at \(path) of version \(version): \(cause)"
    }
}
