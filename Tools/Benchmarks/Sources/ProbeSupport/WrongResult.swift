// The error of an invalid measurement.

/// The measured operation had a wrong result.
public struct WrongResult: Error {
    /// What was missing or wrong.
    public let what: String

    public init(what: String) { self.what = what }
}
