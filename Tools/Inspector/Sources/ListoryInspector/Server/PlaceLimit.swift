// Counts what there may be only a few of at a time: open streams, tests that are made.
//
// Always holds: there are never more than the limit.

import Synchronization

/// A limit for streams and for work that takes long.
final class PlaceLimit: Sendable {
    private let most: Int
    private let message: String
    private let count = Mutex(0)

    /// - Parameter message: what is told to those for whom there is no place.
    init(_ most: Int, _ message: String) { (self.most, self.message) = (most, message) }

    /// Counts one, until the place is left or forgotten.
    ///
    /// - Throws: ``Failure`` with 503.
    func enter() throws(Failure) -> Place {
        let isIn = count.withLock { count in
            if count < most { count += 1 } else { return false }
            return true
        }
        guard isIn else {
            throw Failure(.serviceUnavailable, "tooMany", message, headers: [.retryAfter: "5"])
        }
        return Place(self)
    }

    /// A stream that is open, or work that is done.
    final class Place: Sendable {
        private let limit: Mutex<PlaceLimit?>

        fileprivate init(_ limit: PlaceLimit) { self.limit = Mutex(limit) }

        deinit { leave() }

        func leave() {
            limit.withLock { $0.take() }?.count.withLock { $0 -= 1 }
        }
    }
}
