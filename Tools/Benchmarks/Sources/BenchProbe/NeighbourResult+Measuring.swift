// Measures how long the edits of another process take to arrive.

import Listory
import ProbeSupport

extension NeighbourResult {
    /// Follows the store at a path.
    init(measuring path: String, updateCount: Int) async throws {
        let store = try UntypedStore.open(at: path)
        var delays: [Double] = []
        for await update in try store.updates() {
            let now = MonotonicClock.now
            guard let begin = NeighbourResult.beginning(update.cause.name) else {
                throw WrongResult(what: "name of an edit")
            }
            delays.append(now - begin)
            if delays.count == updateCount { break }
        }
        try store.close()
        self.init(delays: delays)
    }
}
