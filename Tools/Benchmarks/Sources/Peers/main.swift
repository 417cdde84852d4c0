// Where the process begins: a comparison, or one of the processes that it starts to measure something.
//
// Always holds: the clock is read before anything else happens, and a process that measures does nothing else first.

import ProbeSupport

let processStart = MonotonicClock.now
if let order = MeasureOrder(CommandLine.arguments) {
    try order.carryOut()
} else {
    PeersCommand.main()
}
