// Calls what may wait for the disk, or takes long, on threads that may wait.
//
// Always holds: no thread of the server's event loops or of Swift's tasks waits for the disk, and answers do not wait for
// what takes seconds.

import Dispatch
import Foundation
import Synchronization

/// Calls a function that may wait, without blocking the thread of the task.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Calls a function that takes seconds, on a thread of its own.
///
/// - Parameter body: gets a function to call now and then, which throws when the task is cancelled.
func working<Result: Sendable>(
    _ body: @escaping @Sendable (_ check: () throws -> Void) throws -> Result
) async throws -> Result {
    let isCancelled = Mutex(false)
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Swift.Result {
                        try body { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
                    })
            }
        }
    } onCancel: {
        isCancelled.withLock { $0 = true }
    }
}
