// Threads, and a thread that waits for a task.

import Dispatch
import LMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a closure on some threads, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var threads: [pthread_t] = []
    for index in 0..<count {
        let start = Unmanaged.passRetained(Start { body(index) }).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        pthread_create(
            &thread, nil,
            {
                Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body(); return nil
            }, start)
        threads.append(thread!)
        #else
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            {
                Unmanaged<Start>.fromOpaque($0!).takeRetainedValue().body(); return nil
            }, start)
        threads.append(thread)
        #endif
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// The end of a task, for which a thread waits.
///
/// `@unchecked Sendable`: the error is set before the semaphore is signalled and read after that.
final class Waiting: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var error: (any Error)?

    func set(_ error: any Error) { self.error = error }
    func end() { semaphore.signal() }

    func wait() throws {
        semaphore.wait()
        if let error { throw error }
    }
}
