// Errors in decoding content, and in converting content of another version.

import ListModel

/// A content that cannot be decoded, or cannot be converted to the version of the app.
public struct ContentError: Error, Sendable {
    /// What is wrong.
    public enum Problem: Sendable {
        /// A newer version of the app wrote it.
        case newer(supported: Int)
        /// The coder of the store has no upcasters: either the store was not given the coder that has them, or a newer
        /// version of the app wrote the content.
        case noUpcasters
        /// The decoder threw.
        case undecodable(cause: any Error)
        /// The app has no upcaster for content of this age.
        case older(oldest: Int)
        /// The upcaster from one version to the next threw.
        case step(from: Int, to: Int, cause: any Error)
    }

    /// The row of the content; nil if only the bytes are known.
    public internal(set) var row: UntypedID?
    /// The version of the content; 0 if it was written before there were versions.
    public let version: Int
    /// What is wrong with it.
    public let problem: Problem
}

extension ContentError: LayerError, CustomStringConvertible {
    /// A sentence that says which content it is, what was expected and what was found.
    public var description: String {
        let place = "the content of \(row.map { "row \($0)" } ?? "a row")"
        let content = "\(place) has version \(version)"
        switch problem {
        case .noUpcasters:
            return "\(content), and the coder of this store knows of no versions: give the store the coder with the "
                + "upcasters, unless a newer version of the app wrote the content"
        case .undecodable(let cause): return "\(place) cannot be decoded: \(cause)"
        case .newer(let supported):
            return "\(content), and version \(supported) or older was expected: written by a newer version of the app"
        case .older(let oldest): return "\(content), and version \(oldest) or newer was expected"
        case .step(let from, let to, let cause):
            return "\(content), and the step from version \(from) to \(to) failed: \(cause)"
        }
    }
}
