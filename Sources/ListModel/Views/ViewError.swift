// Why a derived view could not be brought up to date.
//
// Always holds: the view that throws one shows the rows that it showed before.

/// A row that a view could not place, because the function that says where it stands threw an error.
public struct ViewError: Error, Sendable {
    /// The row.
    public let id: Identifier
    /// Where it is in what the stage sees: in the list itself for the first stage.
    public let path: ListIndexPath
    /// The version whose rows were looked at.
    public let version: Version
    /// Which stage of the view it was, from 0.
    public let stage: Int
    /// What was thrown.
    public let cause: any Error

    init(id: Identifier, path: ListIndexPath, version: Version, stage: Int, cause: any Error) {
        self.id = id
        self.path = path
        self.version = version
        self.stage = stage
        self.cause = cause
    }
}

extension ViewError: CustomStringConvertible {
    /// Which row it was, and what was thrown.
    public var description: String {
        "the view cannot place the row \(id) at \(path) of version \(version): \(cause)"
    }
}
