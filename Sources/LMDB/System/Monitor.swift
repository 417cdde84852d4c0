// A mutex with conditions, for the few places where a thread must wait for others.
//
// It is not `Synchronization.Mutex`, which on Linux is handed over to a sleeping thread: once threads queue for it,
// each critical section costs a context switch and a long spin, and the queue does not become empty again. A POSIX
// mutex can be taken by any running thread.
//
// Always holds: a thread waits with the lock held, and has it again when the wait returns.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that threads can also wait on, for one of several conditions.
///
/// `@unchecked Sendable`: the POSIX objects are made for use by many threads, and the pointers to them never change.
package final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let conditionCount: Int

    /// - Parameter conditionCount: How many conditions can be waited for; they are numbered from 0.
    package init(conditionCount: Int = 1) {
        self.conditionCount = conditionCount
        conditions = .allocate(capacity: conditionCount)
        conditions.initialize(repeating: pthread_cond_t(), count: conditionCount)
        mutex.initialize(to: pthread_mutex_t())
        // SAFETY: all objects are allocated, at addresses that never change, and initialised once.
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        for index in 0..<conditionCount { pthread_cond_init(conditions + index, nil) }
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A wait must not end early or late because the clock was set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        for index in 0..<conditionCount { pthread_cond_init(conditions + index, &attributes) }
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        // SAFETY: the last reference is gone, so no thread holds or waits for the lock.
        for index in 0..<conditionCount { pthread_cond_destroy(conditions + index) }
        pthread_mutex_destroy(mutex)
        conditions.deallocate()
        mutex.deallocate()
    }

    @inline(__always)
    package func lock() {
        // SAFETY: initialised in `init`, destroyed only in `deinit`.
        pthread_mutex_lock(mutex)
    }

    @inline(__always)
    package func unlock() {
        // SAFETY: as for `lock`; the caller holds the lock.
        pthread_mutex_unlock(mutex)
    }

    /// Lets other threads run that are ready to; returns at once if none is. Call it without the lock.
    @inline(__always)
    package static func letOthersRun() { sched_yield() }

    /// Wakes every thread that waits for a condition.
    @inline(__always)
    package func broadcast(_ condition: Int = 0) {
        // SAFETY: as for `lock`.
        pthread_cond_broadcast(pointer(condition))
    }

    /// Wakes a thread that waits for a condition, if there is one.
    @inline(__always)
    package func signal(_ condition: Int = 0) {
        // SAFETY: as for `lock`.
        pthread_cond_signal(pointer(condition))
    }

    /// Waits until another thread broadcasts or signals; may also return for no reason, so call it in a loop.
    package func wait(_ condition: Int = 0) {
        // SAFETY: as for `lock`; the caller holds the lock.
        pthread_cond_wait(pointer(condition), mutex)
    }

    /// Waits until another thread broadcasts or signals, or the time has passed; call it in a loop.
    package func wait(_ condition: Int = 0, atMost duration: Duration) {
        guard duration > .zero else { return }
        let (seconds, attoseconds) = duration.components
        // A year is long enough, and keeps the sum below within the range of any time type.
        let bounded = min(Int(clamping: seconds), 31_536_000)
        var time = timespec()
        #if canImport(Darwin)
        time.tv_sec = bounded
        time.tv_nsec = Int(attoseconds / 1_000_000_000)
        // SAFETY: as for `lock`; the caller holds the lock, `time` lives through the call.
        pthread_cond_timedwait_relative_np(pointer(condition), mutex, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = Int(time.tv_nsec) + Int(attoseconds / 1_000_000_000)
        time.tv_sec += time_t(bounded + nanoseconds / 1_000_000_000)
        time.tv_nsec = .init(nanoseconds % 1_000_000_000)
        // SAFETY: as for `lock`; the caller holds the lock, `time` lives through the call.
        pthread_cond_timedwait(pointer(condition), mutex, &time)
        #endif
    }

    @inline(__always)
    private func pointer(_ condition: Int) -> UnsafeMutablePointer<pthread_cond_t> {
        precondition(condition >= 0 && condition < conditionCount, "a monitor has the conditions it was made with")
        return conditions + condition
    }
}

extension Monitor {
    /// Calls `body` with the lock held.
    @inline(__always)
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
