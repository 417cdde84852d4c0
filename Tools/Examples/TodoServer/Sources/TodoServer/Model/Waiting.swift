// Calls what may wait for the disk on threads that may wait.
//
// Always holds: no thread of the server's event loops or of Swift's tasks waits for the disk.

import Dispatch
import Listory

/// Calls a function that may wait, without blocking the thread of the task.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}

extension ListStore {
    /// Makes one commit, without blocking the thread of the task.
    func edit(
        _ name: String, origin: String, _ body: @escaping @Sendable (ListEdit<SectionID, Item>) throws -> Void
    ) async throws {
        try await waiting { try self.edit(name, origin: origin) { try body($0) } }
    }
}
