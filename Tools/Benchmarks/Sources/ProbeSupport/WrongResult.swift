// The error of a measurement that is worth nothing.

/// What was measured did not do what it should.
public struct WrongResult: Error {
    /// What was missing or wrong.
    public let what: String

    public init(what: String) { self.what = what }
}
