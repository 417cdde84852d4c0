// How long a timer runs.
//
// Always holds: a timer runs for some time, and its end can be computed without overflow.

extension Duration {
    /// In nanoseconds, for a timer: at least one, and at most some thirty years.
    var timerNanoseconds: Int { Int(max(1, min(1e18, self / .nanoseconds(1)))) }
}
