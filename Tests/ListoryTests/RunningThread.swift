// A thread of a test.
//
// Always holds: what it throws is thrown where the test waits for its end.

import Foundation

@testable import Listory

/// A thread that runs a closure.
final class RunningThread: Sendable {
    private let result = Locked<Result<Void, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            let found = Result { try body() }
            result.withLock { $0 = found }
            end.signal()
        }
    }

    var hasEnded: Bool { result.withLock { $0 != nil } }

    /// Waits for its end, and throws what the closure has thrown.
    func wait() throws {
        end.wait()
        try result.withLock { $0 }?.get()
    }
}
