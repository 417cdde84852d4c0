// Opens a store and reads its first screen of rows, with their contents, in a process that does nothing else.
//
// Always holds: for every store, the file is in the system's cache, because the run before read it.

import ProbeSupport

/// Opens and reads.
struct OpenWorkload {
    let order: MeasureOrder

    /// How many rows a screen shows.
    static let screen = 50

    func measure() throws -> Values {
        let store = try order.contender.open(path: order.path)
        let first = try store.readFirst(OpenWorkload.screen)
        let now = MonotonicClock.now
        guard first.byteCount >= 40 * min(OpenWorkload.screen, order.size) else {
            throw WrongResult(what: "first rows")
        }
        try store.close()
        return [.fromMain: now - processStart, .readyAt: now]
    }
}
