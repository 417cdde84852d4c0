// Prevents that the compiler leaves out measured work.

/// Uses results, so that the compiler cannot leave out the code that computes them. It is printed at the end.
public final class Sink {
    public private(set) var word: UInt64 = 0

    /// A sink without results.
    public init() {}

    @inline(never)
    public func take(_ word: UInt64) { self.word = self.word &* 31 &+ word }

    @inline(never)
    public func take(_ count: Int) { take(UInt64(truncatingIfNeeded: count)) }
}
