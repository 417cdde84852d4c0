// Errors in converting content of another version.

import ListModel

/// A content that cannot be converted to the version of the app.
public struct ContentError: Error, Sendable {
    /// What is wrong.
    public enum Problem: Sendable {
        /// A newer version of the app wrote it.
        case newer(supported: Int)
        /// The app has no upcaster for content of this age.
        case older(oldest: Int)
        /// The step from one version to the next threw.
        case step(from: Int, to: Int, cause: any Error)
    }

    /// The row whose content it is; nil if only the bytes were at hand.
    public internal(set) var row: Identifier?
    /// The version of the content; 0 if it was written before there were versions.
    public let version: Int
    /// What is wrong with it.
    public let problem: Problem
}

extension ContentError: CustomStringConvertible {
    /// A sentence that says which content it is, what was expected and what was found.
    public var description: String {
        let content = "the content of \(row.map { "row \($0)" } ?? "a row") has version \(version)"
        switch problem {
        case .newer(let supported):
            return "\(content), and version \(supported) or older was expected: written by a newer version of the app"
        case .older(let oldest): return "\(content), and version \(oldest) or newer was expected"
        case .step(let from, let to, let cause):
            return "\(content), and the step from version \(from) to \(to) failed: \(cause)"
        }
    }
}
