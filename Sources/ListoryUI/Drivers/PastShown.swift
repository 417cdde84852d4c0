// Why a gesture was refused although there was nothing wrong with it.

import ListModel

/// A row was edited while rows of the past were shown.
public struct PastShown: Error, Hashable, CustomStringConvertible {
    /// What is shown.
    public let version: Version

    public var description: String { "version \(version) is looked at: end the preview, or restore it" }
}
