// Counting the instructions of operations. Always holds: every name is counted once.

import Callgrind

/// Counts the instructions that `body` takes, which does something a number of times.
@inline(never)
func counting(_ name: String, _ operations: Int, _ body: () throws -> Void) rethrows {
    callgrind_begin()
    try body()
    callgrind_end("\(name) \(operations)")
}

/// Numbers that are all over a range, the same in every run.
struct Scattered {
    private var state: UInt64 = 1

    /// The next number from 0 up to `bound`.
    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state >> 33) % bound
    }
}

/// A name that is given where a result goes, so that the compiler cannot leave out what made it.
@inline(never)
func use(_ number: Int) {}
