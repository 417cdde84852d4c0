/// Why a shared log did not do what it was asked for. A description has no password in it.
public enum SharedLogError: Error, Hashable, Sendable {
    /// The server cannot be reached, or its answer did not come. If the call was an append, it is unknown whether it happened.
    case unavailable(cause: String)
    /// What the server has is wrong. The log has to be healed by a replica that has what belongs there.
    case damaged(LogPlace, expected: String, found: String)
    /// The server does not take an entry as large as this one, or a snapshot, whose number is that of its position.
    case tooLarge(number: UInt64, bytes: Int, limit: Int)
    /// The server does not let this client do it.
    case refused(Refusal, cause: String)
    /// There is no such list, and it was not to be created.
    case notFound(list: String)
    /// A newer release has written it.
    case futureFormat(LogPlace, expected: Int, found: Int)
    /// The address of the server cannot be used. The reason does not repeat it, because it may have a password in it.
    case invalidAddress(reason: String)
    /// The log was closed by this program.
    case closed

    public enum Refusal: String, Hashable, Sendable {
        /// The name, the password, the certificate or the token is not accepted.
        case credentials
        /// The name may not do this.
        case permissions
    }
}

/// A part of a shared log.
public enum LogPlace: Hashable, Sendable, CustomStringConvertible {
    case entry(UInt64)
    /// What the server says about where the log ends.
    case end
    case snapshot
    /// What the server says about the list as a whole.
    case list(String)

    public var description: String {
        switch self {
        case .entry(let number): "entry \(number)"
        case .end: "the end of the log"
        case .snapshot: "the snapshot"
        case .list(let name): "the log of \(quoted(name))"
        }
    }
}

extension SharedLogError {
    /// Ends what takes long if nobody waits for it any more.
    package static func checkCancellation() throws(SharedLogError) {
        if Task.isCancelled { throw .unavailable(cause: "the task was cancelled") }
    }
}

extension SharedLogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let cause):
            "The shared log is unavailable: \(cause)"
        case .damaged(let place, let expected, let found):
            "In the shared log, \(place) is damaged: expected \(expected), found \(found)"
        case .tooLarge(let number, let bytes, let limit):
            "The entry or the snapshot at \(number) is too large for the shared log: it has \(bytes) bytes, and the limit is \(limit)"
        case .refused(.credentials, let cause):
            "The server does not accept the credentials: \(cause)"
        case .refused(.permissions, let cause):
            "The server does not permit this: \(cause)"
        case .notFound(let list):
            "The server has no list \(quoted(list))"
        case .futureFormat(let place, let expected, let found):
            "In the shared log, \(place) has format \(found) of a newer release; this one reads format \(expected)"
        case .invalidAddress(let reason):
            "The address of the shared log cannot be used: \(reason)"
        case .closed:
            "The shared log was closed"
        }
    }
}

/// A name in quotes, without characters that would change a terminal or break a line.
package func quoted(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(200).map { scalar in
        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            || scalar.properties.generalCategory == .lineSeparator
            || scalar.properties.generalCategory == .paragraphSeparator ? "\u{FFFD}" : scalar
    }
    return "“" + String(String.UnicodeScalarView(scalars)) + "”"
}

/// Text of a server or a client library for an error: in one line, without some secrets.
package func harmless(_ text: String, without secrets: [String]) -> String {
    var result = text
    for secret in secrets where !secret.isEmpty {
        result = result.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
    }
    let lines = result.split(whereSeparator: { $0.isNewline }).map { line in
        String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            .trimmingPrefix(while: { $0 == " " })
    }
    return String(lines.joined(separator: "; ").prefix(500))
}
