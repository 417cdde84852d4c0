// The error of a request that is rejected, most often before it reaches the list.
//
// Always holds: a request with this error has changed nothing.

/// A request that could not be carried out.
public struct RequestError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The kinds of rejection.
    public enum Code: String, Sendable {
        /// The line is not JSON.
        case invalidJSON
        /// There is no request of this name.
        case unknownRequest
        /// A field is missing, unknown, or not of the expected kind.
        case invalidRequest
        /// The end of a group that has not begun.
        case noGroup
        /// A request other than an edit between `begin` and `end`.
        case insideGroup
        /// A line of the group was rejected, so the whole group is discarded.
        case groupSpoiled
        /// Another process committed first, and nothing is left of the edit.
        case lostRace
    }

    /// The kind of rejection.
    public let code: Code
    /// What is wrong, where, and what was expected.
    public let description: String

    /// A rejection.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// A field with an unexpected value.
    ///
    /// - Parameters:
    ///   - field: its path, which begins with the name of the request.
    ///   - expected: the expected value.
    ///   - found: the value; nil if it is missing.
    public static func field(_ field: String, expected: String, found: JSONValue?) -> RequestError {
        RequestError(.invalidRequest, "\(field): expected \(expected), found \(found?.summary ?? "nothing")")
    }
}
