// Calls a function when a file was written to, by this process or another.
//
// Linux has inotify, Apple's systems have kqueue. If inotify has no watch left for this user, a timer takes its place.
//
// Always holds: the function runs on a queue of its own, one call at a time; several writes may be one call.

import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A watch on a file, from `init` to `cancel`.
///
/// `@unchecked Sendable`: sources may be cancelled on any thread.
package final class FileWatch: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    /// How often a file is looked at that cannot be watched.
    private static let period = DispatchTimeInterval.milliseconds(20)

    /// Watches a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - descriptor: the same file, open until after `cancel`.
    ///   - body: called after each write.
    package init(_ path: String, _ descriptor: Int32, _ body: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "lmdb.watch", qos: .userInitiated)
        #if canImport(Darwin)
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: .write, queue: queue)
        source.setEventHandler(handler: body)
        self.source = source
        #else
        let notifier = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        if notifier >= 0 && inotify_add_watch(notifier, path, FileWatch.isModified) >= 0 {
            let source = DispatchSource.makeReadSource(fileDescriptor: notifier, queue: queue)
            source.setEventHandler {
                FileWatch.drain(notifier)
                body()
            }
            source.setCancelHandler { Platform.close(notifier) }
            self.source = source
        } else {
            if notifier >= 0 { Platform.close(notifier) }
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.schedule(deadline: .now() + FileWatch.period, repeating: FileWatch.period)
            source.setEventHandler(handler: body)
            self.source = source
        }
        #endif
        source.activate()
    }

    deinit { source.cancel() }

    /// Ends the watch. A call that has begun may still run.
    package func cancel() { source.cancel() }

    #if !canImport(Darwin)
    /// `IN_MODIFY`.
    private static let isModified: UInt32 = 2

    /// Takes out the events that are waiting; what they say is known.
    private static func drain(_ notifier: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            // SAFETY: the buffer lives through the call.
            while read(notifier, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
    #endif
}
