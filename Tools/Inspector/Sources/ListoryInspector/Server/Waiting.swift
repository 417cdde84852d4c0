// Calls what may wait for the disk on threads that may wait.
//
// Always holds: no thread of the server's event loops or of Swift's tasks waits for the disk.

import Dispatch

/// Calls a function that may wait, without blocking the thread of the task.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}
