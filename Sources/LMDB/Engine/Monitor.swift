// A mutex with one condition, for the few places where a thread must wait for others.
//
// Always holds: `wait` is called with the lock held, and has it again when it returns.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that threads can also wait on.
///
/// `@unchecked Sendable`: the two POSIX objects are made for use by many threads, and the pointers to them
/// never change.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        // SAFETY: both objects are allocated, at an address that never changes, and initialised once.
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A wait must not end early or late because someone set the clock.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        // SAFETY: the last reference is gone, so no thread holds or waits for the lock.
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @inline(__always)
    func lock() {
        // SAFETY: initialised in `init`, destroyed only in `deinit`.
        pthread_mutex_lock(mutex)
    }

    @inline(__always)
    func unlock() {
        // SAFETY: as for `lock`; the caller holds the lock.
        pthread_mutex_unlock(mutex)
    }

    /// Wakes every waiting thread.
    @inline(__always)
    func broadcast() {
        // SAFETY: as for `lock`.
        pthread_cond_broadcast(condition)
    }

    /// Waits until another thread broadcasts; may also return for no reason, so call it in a loop.
    func wait() {
        // SAFETY: as for `lock`; the caller holds the lock.
        pthread_cond_wait(condition, mutex)
    }

    /// Waits until another thread broadcasts or the time has passed; call it in a loop.
    func wait(atMost duration: Duration) {
        guard duration > .zero else { return }
        let (seconds, attoseconds) = duration.components
        // A year is for ever here, and keeps the sum below within any time type.
        let bounded = min(Int(clamping: seconds), 31_536_000)
        var time = timespec()
        #if canImport(Darwin)
        time.tv_sec = bounded
        time.tv_nsec = Int(attoseconds / 1_000_000_000)
        // SAFETY: as for `lock`; the caller holds the lock, `time` lives through the call.
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = Int(time.tv_nsec) + Int(attoseconds / 1_000_000_000)
        time.tv_sec += time_t(bounded + nanoseconds / 1_000_000_000)
        time.tv_nsec = .init(nanoseconds % 1_000_000_000)
        // SAFETY: as for `lock`; the caller holds the lock, `time` lives through the call.
        pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
