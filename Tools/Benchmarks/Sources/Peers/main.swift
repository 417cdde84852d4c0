// The beginning of the process: a comparison, or a measuring process that it has started.
//
// Always holds: the clock is read first, and a measuring process does nothing else before the measurement.

import ProbeSupport

let processStart = MonotonicClock.now
if let order = MeasureOrder(CommandLine.arguments) {
    try order.carryOut()
} else {
    PeersCommand.main()
}
