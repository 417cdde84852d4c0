// Lets a command wait for what happens later.
//
// Always holds: the calling thread continues when the task has ended.

import Dispatch

/// Runs a task, and waits for its end.
///
/// - Throws: what the task throws.
func waiting(_ body: @escaping () async throws -> Void) throws {
    // SAFETY: this thread does nothing until the task has ended, so only one of them uses what the closure captured.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var outcome = Result<Void, any Error>.success(())
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { outcome = .failure(error) }
        ended.signal()
    }
    ended.wait()
    try outcome.get()
}
