// The errors of projections.

import ListModel

/// A failure of a projection. The list is not affected.
public enum ProjectionError: Error, Sendable {
    /// The projection threw an error for an event. It has no value until it is rebuilt:
    /// ``LiveProjection/rebuild()``. `event` is the index in its commit; nil if it was seeded with the rows of a version.
    case failed(projection: String, version: Version, event: Int?, cause: any Error)
    /// A name is empty, or longer than 511 bytes.
    case invalidName(String)
    /// Another type has the name in this store.
    case nameInUse(String)
}

extension ProjectionError {
    /// A stable name of the kind of error, for programs.
    public var code: String {
        switch self {
        case .failed: "failed"
        case .invalidName: "invalidName"
        case .nameInUse: "nameInUse"
        }
    }
}

extension ProjectionError: LayerError, CustomStringConvertible {
    /// A sentence that says what is wrong, and where.
    public var description: String {
        switch self {
        case .failed(let projection, let version, let event?, let cause):
            "the projection \(projection) failed at event \(event) of commit \(version): \(cause)"
        case .failed(let projection, let version, nil, let cause):
            "the projection \(projection) failed with the rows of version \(version): \(cause)"
        case .invalidName(let name):
            "\"\(name)\" is no name of a projection: expected 1 to \(ProjectionRow.nameLimit) bytes, "
                + "found \(name.utf8.count)"
        case .nameInUse(let name): "another type is the projection \(name) of this store"
        }
    }
}
