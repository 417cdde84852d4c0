// Counts the instructions of operations. Always holds: every name is counted once.

import Callgrind

/// Counts the instructions of `body`, which makes an operation a number of times.
@inline(never)
func counting(_ name: String, _ operations: Int, _ body: () throws -> Void) rethrows {
    callgrind_begin()
    try body()
    callgrind_end("\(name) \(operations)")
}

/// Numbers that are scattered over a range, the same in every run.
struct Scattered {
    private var state: UInt64 = 1

    /// The next number from 0 up to `bound`.
    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state >> 33) % bound
    }
}

/// Uses a result, so that the compiler cannot leave out the code that computes it.
@inline(never)
func use(_ number: Int) {}
