// Keeps the compiler from leaving measured work out.

/// Where results go so that no compiler can leave out what made them. It is printed at the end.
public final class Sink {
    public private(set) var word: UInt64 = 0

    /// A sink that nothing has gone into.
    public init() {}

    @inline(never)
    public func take(_ word: UInt64) { self.word = self.word &* 31 &+ word }

    @inline(never)
    public func take(_ count: Int) { take(UInt64(truncatingIfNeeded: count)) }
}
