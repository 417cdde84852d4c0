// Counts the streams that are open. Always holds: there are never more than the limit.

import Synchronization

/// A limit for streams.
final class StreamLimit: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(_ most: Int) { self.most = most }

    /// Counts a stream, until the place is left or forgotten.
    ///
    /// - Throws: ``Failure`` with 503.
    func enter() throws(Failure) -> Place {
        let isIn = count.withLock { count in
            if count < most { count += 1 } else { return false }
            return true
        }
        guard isIn else {
            throw Failure(
                .serviceUnavailable, "tooMany", "\(most) pages are listening already.", headers: [.retryAfter: "5"])
        }
        return Place(self)
    }

    /// A stream that is open.
    final class Place: Sendable {
        private let limit: Mutex<StreamLimit?>

        fileprivate init(_ limit: StreamLimit) { self.limit = Mutex(limit) }

        deinit { leave() }

        func leave() {
            limit.withLock { $0.take() }?.count.withLock { $0 -= 1 }
        }
    }
}
