// A value protected by a lock for many threads. `Monitor` says why it is not `Synchronization.Mutex`.
//
// Always holds: the value is accessed only while the lock is held.

import LMDB
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value that one thread at a time uses.
///
/// `@unchecked Sendable`: the value is sendable, and it is read and written with `monitor` locked.
final class Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    /// The thread that holds the lock; 0 if none does.
    private let owner = Atomic<UInt>(0)
    /// Behind a pointer, because a stored property of a type that cannot be copied makes `Mirror` end the process, and
    /// a test that fails with a store in its expression would look into it.
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ initial: consuming Value) {
        // SAFETY: allocated above with room for one, and not initialised yet.
        value.initialize(to: initial)
    }

    deinit {
        // SAFETY: initialised in `init`; no references are left.
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls `body` with the value, and with the lock held.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        monitor.lock()
        owner.store(currentThreadNumber(), ordering: .relaxed)
        defer {
            owner.store(0, ordering: .relaxed)
            monitor.unlock()
        }
        // SAFETY: initialised from `init` to `deinit`, and the lock keeps others out.
        return try body(&value.pointee)
    }

    /// Whether the calling thread holds the lock, so that it would wait for itself.
    var isHeldByCaller: Bool { owner.load(ordering: .relaxed) == currentThreadNumber() }
}

/// A number of the calling thread, never 0, that no other living thread has.
func currentThreadNumber() -> UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}
