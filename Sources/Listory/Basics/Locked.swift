// A value protected by a lock for many threads. `Monitor` says why it is not `Synchronization.Mutex`.
//
// Always holds: the value is accessed only while the lock is held.

import LMDB
import Synchronization

/// A value that one thread at a time uses. Copies share it.
///
/// The value is stored in a class without type parameters. For a generic class, the runtime would make a class for each
/// type at its first use, which takes as long as a hundred uses of the lock.
///
/// `@unchecked Sendable`: the value is sendable, and it is read and written with the lock of `cell` held.
struct Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private let cell: LockedCell
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming Value) {
        let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        // SAFETY: allocated for one value, and not initialised yet.
        value.initialize(to: initial)
        self.value = value
        cell = LockedCell(value) { value in
            // SAFETY: initialised above; called once, when no references are left.
            let value = value.assumingMemoryBound(to: Value.self)
            value.deinitialize(count: 1)
            value.deallocate()
        }
    }

    /// Calls `body` with the value, and with the lock held.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        cell.lock()
        defer { cell.unlock() }
        // SAFETY: initialised as long as the cell exists, and only the thread with the lock uses it.
        return try body(&value.pointee)
    }

    /// Whether the calling thread holds the lock; taking it again would be a deadlock.
    var isHeldByCaller: Bool { cell.isHeldByCaller }
}

/// The lock of a ``Locked`` value, and the memory of the value.
///
/// `@unchecked Sendable`: the pointer is only passed on when the last reference is gone.
private final class LockedCell: @unchecked Sendable {
    private let monitor = Monitor()
    /// The thread that holds the lock; 0 if none does.
    private let owner = Atomic<UInt>(0)
    private let memory: UnsafeMutableRawPointer
    private let destroy: (UnsafeMutableRawPointer) -> Void

    init(_ memory: UnsafeMutableRawPointer, destroy: @escaping (UnsafeMutableRawPointer) -> Void) {
        self.memory = memory
        self.destroy = destroy
    }

    deinit { destroy(memory) }

    func lock() {
        monitor.lock()
        owner.store(Platform.currentThread, ordering: .relaxed)
    }

    func unlock() {
        owner.store(0, ordering: .relaxed)
        monitor.unlock()
    }

    var isHeldByCaller: Bool { owner.load(ordering: .relaxed) == Platform.currentThread }
}
