// A clock that two processes can compare: the system's, which counts from the same moment for all of them.

import Foundation

/// Seconds since the system started.
enum MonotonicClock {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
