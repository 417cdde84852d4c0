// A value with a lock that many threads can queue at. `Monitor` says why it is not `Synchronization.Mutex`.
//
// Always holds: the value is touched only with the lock held.

import LMDB

/// A value that one thread at a time may use.
///
/// `@unchecked Sendable`: the value is sendable, and it is read and written with `monitor` locked.
final class Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var value: Value

    init(_ value: consuming Value) { self.value = value }

    /// Calls `body` with the value, and with the lock held.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        monitor.lock()
        defer { monitor.unlock() }
        return try body(&value)
    }
}
