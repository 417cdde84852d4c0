// Why a line of `exec` was rejected before the list was asked.
//
// Always holds: a request that throws this error has changed nothing.

/// A request that could not be carried out.
public struct RequestError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The kinds of rejection.
    public enum Code: String, Sendable {
        /// The line is not JSON.
        case invalidJSON
        /// There is no request of this name.
        case unknownRequest
        /// A field is missing, unknown, or of another kind than expected.
        case invalidRequest
        /// A group was to end, and none had begun.
        case noGroup
        /// What cannot stand between `begin` and `end`: anything but an edit.
        case insideGroup
        /// A line of the group was rejected, so nothing of it happened.
        case groupSpoiled
    }

    /// The kind of rejection.
    public let code: Code
    /// What is wrong, where, and what would have been right.
    public let description: String

    /// A rejection.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// A field that is not what it should be.
    ///
    /// - Parameters:
    ///   - field: its name, after that of the request.
    ///   - expected: what would have been right.
    ///   - found: what is there; nil if it is missing.
    public static func field(_ field: String, expected: String, found: JSONValue?) -> RequestError {
        RequestError(.invalidRequest, "\(field): expected \(expected), found \(found?.summary ?? "nothing")")
    }
}
